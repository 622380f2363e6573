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
/// - Otherwise each of its attempts is stamped with the newest token. Plain HTTP to another machine is refused, unless
///   ``plainHTTP`` lists the host.
/// - It is answered 401: the generation *that the answered attempt carried* is reported as rejected. Where a newer
///   one is there it is used; else one refresh is made for all. Then the call is sent once more. A second 401 goes to
///   the caller, and so does the first where the credential cannot be renewed.
/// - It is answered 401 and its body cannot be sent again: the token is refreshed for those who come later, the 401
///   goes to the caller, and nothing is sent again.
/// - It is answered 401 since its proof lacks a nonce (RFC 9449 §9): it is sent once more with the nonce that came, and
///   nothing is refreshed. A nonce that was there already helps nobody, and the 401 goes to the caller.
/// - It is answered 401 with `insufficient_user_authentication` (RFC 9470 §3): a refreshed token would be of the same
///   authentication; the 401 goes to the caller.
/// - It is answered 403 with `insufficient_scope` (RFC 6750 §3.1), and its origin may ask for one of the scopes that
///   the challenge names: a token with these, too, is had once for all who need it, and the call is sent once more,
///   under the rules for 401s. See ``CredentialScope/stepUpScopes``. Any other 403 goes to the caller, and so does
///   this one where the scopes are not granted.
/// - Somebody signs out or in while it is under way: it is not sent again, since it would go under another's name.
///
/// When fresh tokens are rejected time after time, refreshing pauses and such calls fail with the code
/// `refreshSuspended`.
///
/// The actor holds what 401s change. A call that is not answered 401 never comes to it.
public final actor AuthenticatedRequestEngine: RequestEngine {
    private struct CircuitKey: Hashable {
        let credential: String
        let origin: Origin
    }

    private let below: any RequestEngine
    private let credentials: [Origin: any CredentialSource]
    /// The hosts that credentials may be sent to over plain HTTP.
    public nonisolated let plainHTTP: PlainHTTPHosts
    /// The origins that such a call was reported for.
    private let reportedOrigins = Locked<Set<Origin>>([])
    /// What pauses and the deadlines of calls are counted on.
    public nonisolated let clock: any GatewayClock
    private var circuits: [CircuitKey: RejectionCircuit] = [:]

    /// Puts authentication over an engine, for calls whose context names their credential.
    ///
    /// - Parameters:
    ///   - below: makes the calls, and stamps each attempt by the context's `credentials`.
    ///   - plainHTTP: the hosts that credentials may be sent to over plain HTTP.
    ///   - clock: what pauses are counted on.
    public init(
        below: any RequestEngine, plainHTTP: PlainHTTPHosts = .none, clock: any GatewayClock = SystemClock()
    ) {
        self.below = below
        self.plainHTTP = plainHTTP
        self.clock = clock
        credentials = [:]
    }

    /// Puts authentication over an engine, for calls to certain origins.
    ///
    /// - Parameters:
    ///   - below: makes the calls, and stamps each attempt by the context's `credentials`.
    ///   - coordinator: keeps the tokens.
    ///   - scope: which origins get which credential, where a call's context names none.
    ///   - plainHTTP: the hosts that credentials may be sent to over plain HTTP.
    ///   - clock: what pauses are counted on.
    public init(
        below: any RequestEngine, coordinator: TokenRefreshCoordinator, scope: CredentialScope,
        plainHTTP: PlainHTTPHosts = .none, clock: any GatewayClock = SystemClock()
    ) {
        self.below = below
        self.plainHTTP = plainHTTP
        self.clock = clock
        credentials = Dictionary(
            uniqueKeysWithValues: scope.keys.map { origin, key in
                (
                    origin,
                    coordinator.credentials(
                        for: key, origin: origin, stepUpScopes: scope.stepUpScopes[origin] ?? [],
                        plainHTTP: plainHTTP)
                )
            })
    }

    /// Puts authentication right over a transport, without retries and the like.
    public init(
        transport: any Transport, coordinator: TokenRefreshCoordinator, scope: CredentialScope,
        plainHTTP: PlainHTTPHosts = .none, clock: any GatewayClock = SystemClock()
    ) {
        self.init(
            below: SingleExchangeEngine(transport: transport), coordinator: coordinator, scope: scope,
            plainHTTP: plainHTTP, clock: clock)
    }

    /// Makes the call. See ``GatewayCore/RequestEngine/send(_:context:)``.
    ///
    /// - Throws: ``GatewayCore/NetworkError``, also for a token that cannot be had. Every status is a response.
    @inline(__always)
    public nonisolated func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let context = try pin(request, context)
        let response = try await below.send(request, context: context)
        guard let source = Self.refused(response, context) else { return response }
        return try await recover(from: response, request: request, context: context, source: source)
    }

    // Functions of their own, so that what they need room for is no part of a call that waits.

    /// Settles whose credential the call carries, if any.
    @inline(never)
    private nonisolated func pin(
        _ request: HTTPRequest, _ context: RequestContext
    ) throws(NetworkError) -> RequestContext {
        var context = context
        guard let named = context.credentials ?? credentials[request.origin],
            !request.fields.contains(.authorization)
        else {
            if context.credentials != nil { context.credentials = nil }
            return context
        }
        try request.origin.refuseInsecure(allowing: plainHTTP)
        if !plainHTTP.isEmpty { report(request, context) }
        context.credentials = named.pinned()
        return context
    }

    /// Reports a credential that goes over plain HTTP to another machine, once for each origin.
    private nonisolated func report(_ request: HTTPRequest, _ context: RequestContext) {
        guard !request.origin.isSecureOrLoopback, context.events != nil,
            reportedOrigins.withLock({ $0.insert(request.origin).inserted })
        else { return }
        context.record(.sentOverPlainHTTP, for: request)
    }

    /// The credential that was refused, where another may help.
    @inline(__always)
    private static func refused(
        _ response: HTTPResponse, _ context: RequestContext
    ) -> (any CredentialSource)? {
        guard response.status == 401 || response.status == 403 else { return nil }
        return refusedCredential(response, context)
    }

    @inline(never)
    private static func refusedCredential(
        _ response: HTTPResponse, _ context: RequestContext
    ) -> (any CredentialSource)? {
        guard let source = context.credentials, source.isRenewable,
            response.exchange.stamp?.identity == source.identity
        else { return nil }
        return source
    }

    /// What a refusal leads to: at most one refresh, at most one step-up, and a replay after each.
    private nonisolated func recover(
        from refusal: HTTPResponse, request: HTTPRequest, context: RequestContext,
        source: any CredentialSource
    ) async throws(NetworkError) -> HTTPResponse {
        var (response, context, source) = (refusal, context, source)
        var (mayRefresh, mayStepUp, mayRepeat) = (true, true, true)
        while let stamp = response.exchange.stamp, stamp.identity == source.identity {
            let sent = response.exchange.attempts
            var circuit: CircuitKey?
            if mayRepeat, response.status == 401, request.body.isReplayable,
                source.isRepeatable(after: response)
            {
                mayRepeat = false
            } else if response.status == 401, mayRefresh, Self.isRefreshable(response) {
                mayRefresh = false
                let next = max(stamp.generation + 1, context.minimumGeneration)
                circuit = CircuitKey(credential: source.identity.key, origin: request.origin)
                // A stream that nobody will read must not hold its connection while the token is renewed.
                if request.body.isReplayable { response.body.discard() }
                guard
                    try await refresh(
                        stamp.generation, to: next, source, circuit, request, context, sent: sent)
                else { return response }
                context.minimumGeneration = next
            } else if response.status == 403, mayStepUp {
                mayStepUp = false
                guard let wider = try await stepUp(response, source, request, context) else {
                    return response
                }
                source = wider
                context.credentials = wider
                // Generations are counted by each token for itself.
                context.minimumGeneration = 0
            } else {
                return response
            }
            response.body.discard()
            response = try await replay(request, context, sent: sent)
            if let circuit { await settle(response, generation: context.minimumGeneration, circuit) }
        }
        return response
    }

    /// Sends the call once more, with what `context` has now.
    private nonisolated func replay(
        _ request: HTTPRequest, _ context: RequestContext, sent: Int
    ) async throws(NetworkError) -> HTTPResponse {
        guard !Task.isCancelled else {
            throw NetworkError(
                .cancelled, "The task was cancelled before the call was sent again.", origin: request.origin,
                attempts: sent)
        }
        context.record(.replayed(generation: context.minimumGeneration), for: request)
        do {
            var response = try await below.send(request, context: context)
            response.exchange.attempts = sent.addingClamped(response.exchange.attempts)
            return response
        } catch {
            throw error.with(attempts: sent.addingClamped(error.attempts))
        }
    }

    // MARK: 401

    /// Whether a newer token may help. Who demands that a person authenticates again, or in another way, says so
    /// (RFC 9470 §3), and a refreshed token tells of the same authentication as the one before. Who misses something
    /// in the proof has nothing against the token (RFC 9449 §7.1, §9).
    private static func isRefreshable(_ response: HTTPResponse) -> Bool {
        let errors = ["insufficient_user_authentication", "use_dpop_nonce", "invalid_dpop_proof"]
        let told = response.tokenChallenges.compactMap { $0["error"] }
        return told.isEmpty || !told.allSatisfy(errors.contains)
    }

    /// Reports a generation as rejected and waits for the next.
    ///
    /// - Returns: whether the call is to be sent again.
    private nonisolated func refresh(
        _ generation: UInt64, to next: UInt64, _ source: any CredentialSource, _ circuit: CircuitKey?,
        _ request: HTTPRequest, _ context: RequestContext, sent: Int
    ) async throws(NetworkError) -> Bool {
        context.record(.credentialRejected(generation: generation), for: request)

        // A token that is there already costs nothing, whatever the circuit says.
        var probe = request
        let isAtHand = (try? source.stamp(&probe, atLeast: next)).flatMap(\.self) != nil
        if !isAtHand, let circuit, let pause = await pause(for: circuit) {
            throw NetworkError(
                .refreshSuspended,
                "Fresh tokens were rejected again and again: check what the gateway expects of them.",
                origin: request.origin, retryAfter: pause, status: 401, attempts: sent)
        }
        let isReplayable = request.body.isReplayable
        source.reject(generation, renewing: !isReplayable)
        guard isReplayable else { return false }
        do {
            try await source.ready(atLeast: next, deadline: context.deadline)
        } catch {
            throw error.with(attempts: sent)
        }
        return true
    }

    // MARK: 403

    /// A credential with the further scopes that a 403 names, where they are allowed and can be had.
    ///
    /// Nothing but the names of scopes is taken from the challenge, and no address in it is called.
    ///
    /// - Returns: `nil` where the 403 is the caller's: it names nothing that helps, the scopes were not granted, or
    ///   the body is gone. In the last case the token is had all the same, for calls that come later.
    private nonisolated func stepUp(
        _ response: HTTPResponse, _ source: any CredentialSource, _ request: HTTPRequest,
        _ context: RequestContext
    ) async throws(NetworkError) -> (any CredentialSource)? {
        let composite = source as? any CompositeCredentialSource
        let source = composite?.renewed ?? source
        let bound = source as? BoundCredentialSource
        guard let source = source as? SlotCredentialSource ?? bound?.base, let stepUp = source.reach.stepUp,
            let challenge = response.tokenChallenges.first(where: {
                $0.isScheme(bound == nil ? "Bearer" : "DPoP")
            }) ?? (bound == nil ? nil : response.tokenChallenges.first),
            challenge["error"] == "insufficient_scope",
            let scopes = challenge["scope"],
            let step = stepUp.step(from: source, challenged: scopes.split(separator: " ").map(String.init))
        else { return nil }
        guard request.body.isReplayable else {
            step.source.slot.prefetch(atLeast: 0, epoch: step.source.epoch)
            stepUp.remember(step)
            return nil
        }
        do {
            try await step.source.ready(atLeast: 0, deadline: context.deadline)
        } catch {
            switch error.code {
            case .cancelled, .timeout, .signedOut: throw error.with(attempts: response.exchange.attempts)
            // The API's answer says more than the token server's.
            default: return nil
            }
        }
        guard step.isWider else { return nil }
        stepUp.remember(step)
        let wider: any CredentialSource =
            bound.map { BoundCredentialSource(base: step.source, binding: $0.binding) } ?? step.source
        return composite.map { $0.replacing(wider) } ?? wider
    }

    // MARK: What 401s change

    private func pause(for circuit: CircuitKey) -> Duration? { circuits[circuit]?.pause(at: clock.now) }

    private func settle(_ response: HTTPResponse, generation: UInt64, _ circuit: CircuitKey) {
        guard response.status == 401 else {
            if circuits[circuit] != nil { circuits[circuit] = nil }
            return
        }
        circuits[circuit, default: RejectionCircuit()].wasFruitless(
            response.exchange.stamp?.generation ?? generation, now: clock.now)
    }
}
