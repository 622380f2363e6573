public import GatewayCore

/// Puts a bearer token on every call, and turns any number of simultaneous 401s into one refresh (RFC 6750).
///
/// ```swift
/// let engine = AuthenticatedRequestEngine(
///     below: AsyncRequestEngine(transport: transport), coordinator: coordinator,
///     scope: try CredentialScope(["https://api.example.com"]))
/// let response = try await engine.send(try HTTPRequest(.get, "https://api.example.com/books"))
/// ```
/// Whose credential a call carries: the one that its context names, else the one that the scope gives its origin.
///
/// What happens to a call:
/// - Neither names one: it goes down as it is, without a credential.
/// - It has an `Authorization` field already: whoever set it is taken at his word. It goes down as it is, and a 401
///   is its caller's.
/// - Otherwise each of its attempts is stamped with the newest token. Plain HTTP to another machine is refused.
/// - It is answered 401: the generation *that the answered attempt carried* is reported as rejected. Where a newer
///   one is there it is used; else one refresh is made for all. Then the call is sent once more. A second 401 goes to
///   the caller, and so does the first where the credential cannot be renewed.
/// - It is answered 401 and its body cannot be sent again: the token is refreshed for those who come later, the 401
///   goes to the caller, and nothing is sent again.
/// - Somebody signs out or in while it is under way: it is not sent again, since it would go under another's name.
///
/// When fresh tokens are rejected time after time, refreshing pauses and such calls fail with the code
/// `refreshSuspended`.
///
/// The actor holds what 401s change. A call that is not answered 401 never comes to it.
public actor AuthenticatedRequestEngine: RequestEngine {
    private struct CircuitKey: Hashable {
        let credential: String
        let origin: Origin
    }

    private let below: any RequestEngine
    private let credentials: [Origin: any CredentialSource]
    private let clock: any GatewayClock
    private var circuits: [CircuitKey: RejectionCircuit] = [:]

    /// Puts authentication over an engine, for calls whose context names their credential.
    ///
    /// - Parameters:
    ///   - below: makes the calls, and stamps each attempt by the context's `credentials`.
    ///   - clock: what pauses are counted on.
    public init(below: any RequestEngine, clock: any GatewayClock = SystemClock()) {
        self.below = below
        self.clock = clock
        credentials = [:]
    }

    /// Puts authentication over an engine, for calls to certain origins.
    ///
    /// - Parameters:
    ///   - below: makes the calls, and stamps each attempt by the context's `credentials`.
    ///   - coordinator: keeps the tokens.
    ///   - scope: which origins get which credential, where a call's context names none.
    ///   - clock: what pauses are counted on.
    public init(
        below: any RequestEngine, coordinator: TokenRefreshCoordinator, scope: CredentialScope,
        clock: any GatewayClock = SystemClock()
    ) {
        self.below = below
        self.clock = clock
        credentials = Dictionary(
            uniqueKeysWithValues: scope.keys.map { origin, key in
                (origin, coordinator.credentials(for: key, origins: [origin]))
            })
    }

    /// Puts authentication right over a transport, without retries and the like.
    public init(
        transport: any Transport, coordinator: TokenRefreshCoordinator, scope: CredentialScope,
        clock: any GatewayClock = SystemClock()
    ) {
        self.init(
            below: SingleExchangeEngine(transport: transport), coordinator: coordinator, scope: scope,
            clock: clock)
    }

    /// Makes the call. See ``GatewayCore/RequestEngine/send(_:context:)``.
    ///
    /// - Throws: ``GatewayCore/NetworkError``, also for a token that cannot be had. Every status is a response.
    @inline(__always)
    public nonisolated func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        var context = context
        guard let named = context.credentials ?? credentials[request.origin],
            !request.fields.contains(.authorization)
        else {
            context.credentials = nil
            return try await below.send(request, context: context)
        }
        try request.origin.refuseInsecure()
        let source = named.pinned()
        context.credentials = source
        let response = try await below.send(request, context: context)
        guard response.status == 401, source.isRenewable, let stamp = response.exchange.stamp,
            stamp.identity == source.identity
        else { return response }
        return try await recover(
            from: response, generation: stamp.generation, request: request, context: context, source: source)
    }

    /// The 401 loop: at most one refresh and one replay.
    private nonisolated func recover(
        from rejection: HTTPResponse, generation: UInt64, request: HTTPRequest, context: RequestContext,
        source: any CredentialSource
    ) async throws(NetworkError) -> HTTPResponse {
        let next = max(generation + 1, context.minimumGeneration)
        let sent = rejection.exchange.attempts
        context.record(.credentialRejected(generation: generation), for: request)

        // A token that is there already costs nothing, whatever the circuit says.
        let circuit = CircuitKey(credential: source.identity.key, origin: request.origin)
        var probe = request
        let isAtHand = (try? source.stamp(&probe, atLeast: next)).flatMap(\.self) != nil
        if !isAtHand, let pause = await pause(for: circuit) {
            throw NetworkError(
                .refreshSuspended,
                "Fresh tokens were rejected again and again: check what the gateway expects of them.",
                origin: request.origin, retryAfter: pause, status: 401, attempts: sent)
        }
        let isReplayable = request.body.isReplayable
        source.reject(generation, renewing: !isReplayable)
        guard isReplayable else { return rejection }
        do {
            try await source.ready(atLeast: next, deadline: context.deadline)
        } catch {
            throw error.with(attempts: sent)
        }
        guard !Task.isCancelled else {
            throw NetworkError(
                .cancelled, "The task was cancelled before the call was sent again.", origin: request.origin,
                attempts: sent)
        }
        context.record(.replayed(generation: next), for: request)
        var context = context
        context.minimumGeneration = next
        do {
            var response = try await below.send(request, context: context)
            response.exchange.attempts += sent
            await settle(response, generation: next, circuit: circuit)
            return response
        } catch {
            throw error.with(attempts: error.attempts + sent)
        }
    }

    // MARK: What 401s change

    private func pause(for circuit: CircuitKey) -> Duration? { circuits[circuit]?.pause(at: clock.now) }

    private func settle(_ response: HTTPResponse, generation: UInt64, circuit: CircuitKey) {
        guard response.status == 401 else {
            if circuits[circuit] != nil { circuits[circuit] = nil }
            return
        }
        circuits[circuit, default: RejectionCircuit()].wasFruitless(
            response.exchange.stamp?.generation ?? generation, now: clock.now)
    }
}
