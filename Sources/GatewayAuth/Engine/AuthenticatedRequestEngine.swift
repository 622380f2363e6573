public import GatewayCore
import Synchronization

/// Puts a bearer token on every call, and turns any number of simultaneous 401s into one refresh (RFC 6750).
///
/// ```swift
/// let engine = AuthenticatedRequestEngine(
///     below: AsyncRequestEngine(transport: transport), coordinator: coordinator,
///     scope: try CredentialScope(["https://api.example.com"]))
/// let response = try await engine.send(try HTTPRequest(.get, "https://api.example.com/books"))
/// ```
/// The credential of a call is the one in its context, otherwise the one that the scope has for its origin.
///
/// What happens to a call:
/// - It has no credential: it is sent unchanged.
/// - It has an `Authorization` field: it is sent unchanged, and a 401 is returned to the caller.
/// - Otherwise each of its attempts is stamped with the newest token. Plain HTTP to another machine is refused,
///   unless ``plainHTTP`` lists the host.
/// - The response is 401: the generation *of the attempt that was answered* is reported as rejected. If there is a newer
///   token it is used; otherwise one refresh is made for all calls. Then the call is sent once more. A second 401 is
///   returned to the caller, and so is the first if the credential cannot be renewed. It is reported, too, if the origin
///   has accepted that token before: then it was revoked. A token that was never accepted is not replaced at once, since
///   each call would cost two tokens where none is accepted.
/// - The response is 401 and the body cannot be sent again: the token is refreshed for later calls, the 401 is returned to
///   the caller, and nothing is sent again.
/// - The response is 401 because the proof lacks a nonce (RFC 9449 §9): the call is sent once more with the new nonce, and
///   nothing is refreshed. If the proof had that nonce already, the 401 is returned to the caller.
/// - The response is 401 with `invalid_dpop_proof` (RFC 9449 §7.1): the proof is wrong, not the token. Nothing is
///   refreshed, and the 401 is returned to the caller. Check the binding's key and this machine's clock.
/// - The response is 401 with `insufficient_user_authentication` (RFC 9470 §3): a refreshed token would be of the same
///   authentication. The 401 is returned to the caller.
/// - The response is 400 or 403 with `invalid_token`, and the origin is configured for it: it is handled as a 401. See
///   ``CredentialScope/rejectionStatuses``.
/// - The response is 403 with `insufficient_scope` (RFC 6750 §3.1), and the origin may require one of the scopes in the
///   challenge: a token with these scopes is requested once for all calls that need it, and the call is sent once more,
///   under the rules for 401s. See ``CredentialScope/stepUpScopes``. Any other 403 is returned to the caller, and so is
///   this one if the scopes are not granted.
/// - Somebody signs out or in while it is under way: it is not sent again, since it would be sent for another person.
///
/// When refreshed tokens are rejected again and again, refreshing is suspended for a while, and such calls fail with the
/// code `refreshSuspended`.
///
/// The actor holds the state that 401s change. Other calls do not use it.
public final actor AuthenticatedRequestEngine: RequestEngine {
    private struct CircuitKey: Hashable {
        let credential: String
        let origin: Origin
    }

    private let below: any RequestEngine
    private let credentials: [Origin: any CredentialSource]
    private let onlyOrigin: Origin?
    private let onlyCredential: (any CredentialSource)?
    /// The hosts that credentials may be sent to over plain HTTP.
    public nonisolated let plainHTTP: PlainHTTPHosts
    /// Those of the engine below.
    public nonisolated var operationOptions: OperationOptions { below.operationOptions }
    /// The origins that such a call was reported for.
    private let reportedOrigins = Locked<Set<Origin>>([])
    /// What pauses and the deadlines of calls are counted on.
    public nonisolated let clock: any GatewayClock
    private var circuits: [CircuitKey: RejectionCircuit] = [:]
    /// The number of circuits. A 401 is reported without a wait for the actor where there are none: until then, other calls
    /// are sent with the rejected token.
    private let circuitCount = Atomic(0)

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
        (onlyOrigin, onlyCredential) = (nil, nil)
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
                        rejectionStatuses: scope.rejectionStatuses[origin] ?? [], plainHTTP: plainHTTP)
                )
            })
        let only = credentials.count == 1 ? credentials.first : nil
        (onlyOrigin, onlyCredential) = (only?.key, only?.value)
    }

    /// Puts authentication right over a transport, without retries and the like.
    public init(
        transport: any Transport, coordinator: TokenRefreshCoordinator, scope: CredentialScope,
        plainHTTP: PlainHTTPHosts = .none, clock: any GatewayClock = SystemClock()
    ) {
        self.init(
            below: AttemptEngine(transport: transport), coordinator: coordinator, scope: scope,
            plainHTTP: plainHTTP, clock: clock)
    }

    /// Makes the call. See ``GatewayCore/RequestEngine/send(_:context:)``.
    ///
    /// - Throws: ``GatewayCore/NetworkError``, also for a token that cannot be had. Every status is a response.
    @inline(__always)
    public nonisolated func send(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        try pin(request, &context)
        let response = try await below.send(request, context: copy context)
        guard let source = Self.refused(response, context) else { return response }
        return try await recover(from: response, request: request, context: context, source: source)
    }

    // Functions of their own, so that what they need room for is no part of a call that waits.

    /// Settles whose credential the call carries, if any.
    @inline(never)
    private nonisolated func pin(
        _ request: HTTPRequest, _ context: inout RequestContext
    ) throws(NetworkError) {
        let origin = request.origin
        guard let named = context.credentials ?? configured(for: origin),
            !request.fields.contains(.authorization)
        else {
            if context.credentials != nil { context.credentials = nil }
            return
        }
        if !origin.isSecureOrLoopback {
            try origin.refuseInsecure(allowing: plainHTTP)
            report(request, context)
        }
        let pinned = named.pinned()
        if context.credentials !== pinned { context.credentials = pinned }
    }

    /// The configured credential of an origin. One origin is compared faster than it is hashed.
    private nonisolated func configured(for origin: Origin) -> (any CredentialSource)? {
        guard let onlyOrigin else { return credentials[origin] }
        return onlyOrigin == origin ? onlyCredential : nil
    }

    /// Reports a credential that goes over plain HTTP to another machine, once for each origin.
    private nonisolated func report(_ request: HTTPRequest, _ context: RequestContext) {
        guard context.isObserved(as: .state),
            reportedOrigins.withLock({ $0.insert(request.origin).inserted })
        else { return }
        context.record(.sentOverPlainHTTP, at: request.origin)
    }

    /// The credential that was refused, where another may help.
    @inline(__always)
    private static func refused(
        _ response: HTTPResponse, _ context: RequestContext
    ) -> (any CredentialSource)? {
        guard response.status == 401 || response.status == 403 || response.status == 400 else { return nil }
        return refusedCredential(response, context)
    }

    @inline(never)
    private static func refusedCredential(
        _ response: HTTPResponse, _ context: RequestContext
    ) -> (any CredentialSource)? {
        guard let source = context.credentials, source.isRenewable,
            response.exchange.stamp?.identity == source.identity,
            // A 400 is about the request, unless the configuration says otherwise.
            response.status != 400 || source.rejectable?.slot.reach.rejectionStatuses.contains(400) == true
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
            var reason = AttemptInfo.Reason.replay
            if mayRepeat, response.status == 401, request.body.isReplayable,
                source.isRepeatable(after: response)
            {
                mayRepeat = false
                reason = .nonce
            } else if mayRefresh, source.isRejected(by: response) {
                mayRefresh = false
                let next = max(stamp.generation + 1, context.minimumGeneration)
                circuit = CircuitKey(credential: source.identity.key, origin: request.origin)
                // A stream that is not read must not hold its connection while the token is renewed.
                if request.body.isReplayable { response.body.discard() }
                guard
                    try await refresh(
                        stamp.generation, to: next, source, circuit, request, context,
                        status: response.status, sent: sent)
                else { return response }
                context.minimumGeneration = next
            } else if response.status == 403, mayStepUp {
                mayStepUp = false
                guard let wider = try await stepUp(response, source, request, context) else {
                    return response
                }
                source = wider
                reason = .stepUp
                context.credentials = wider
                // Generations are counted by each token for itself.
                context.minimumGeneration = 0
            } else {
                return response
            }
            response.body.discard()
            let number = response.exchange.attemptNumber ?? context.attempt.number
            context.attempt = AttemptInfo(number: number.addingClamped(1), reason: reason)
            response = try await replay(request, context, sent: sent)
            guard let circuit else { continue }
            let isRejected = source.isRejected(by: response)
            if isRejected, let generation = response.generation {
                source.rejectable?.slot.rejectIfAccepted(generation)
            }
            await settle(response, isRejected: response.status == 401 || isRejected, context, circuit)
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

    /// Reports a generation as rejected and waits for the next.
    ///
    /// - Returns: whether the call is to be sent again.
    private nonisolated func refresh(
        _ generation: UInt64, to next: UInt64, _ source: any CredentialSource, _ circuit: CircuitKey?,
        _ request: HTTPRequest, _ context: RequestContext, status: Int, sent: Int
    ) async throws(NetworkError) -> Bool {
        context.record(.credentialRejected(generation: generation), for: request)

        // A token that is there already costs nothing, whatever the circuit says.
        var probe = request
        let isAtHand = (try? source.stamp(&probe, atLeast: next)).flatMap(\.self) != nil
        if !isAtHand, let circuit, circuitCount.load(ordering: .relaxed) > 0,
            let pause = await pause(for: circuit)
        {
            throw NetworkError(
                .refreshSuspended,
                "Refreshing is suspended: \(RejectionCircuit.threshold) or more refreshed tokens in a row were rejected. "
                    + "Check the issuer, audience and scopes that the service expects.",
                origin: request.origin, retryAfter: pause, status: status, attempts: sent)
        }
        let isReplayable = request.body.isReplayable
        source.reject(generation, renewing: !isReplayable)
        guard isReplayable else { return false }
        do {
            try await source.ready(atLeast: next, for: context)
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
            try await step.source.ready(atLeast: 0, for: context)
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

    private func settle(
        _ response: HTTPResponse, isRejected: Bool, _ context: RequestContext, _ circuit: CircuitKey
    ) {
        guard isRejected else {
            let ended = circuits.removeValue(forKey: circuit)
            circuitCount.store(circuits.count, ordering: .relaxed)
            if ended?.hasPaused == true { context.record(.refreshResumed, at: circuit.origin) }
            return
        }
        let pause = circuits[circuit, default: RejectionCircuit()].wasFruitless(
            response.exchange.stamp?.generation ?? context.minimumGeneration, now: clock.now)
        circuitCount.store(circuits.count, ordering: .relaxed)
        if let pause { context.record(.refreshSuspended(for: pause), at: circuit.origin) }
    }
}
