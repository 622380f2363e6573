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
/// code `refreshSuspended`: those of the same operation, or with the same method and path where they have none, if the origin
/// accepts the token elsewhere (up to 16 of them for a credential), otherwise those of the whole origin.
///
/// The actor holds the state that 401s change. Other calls do not use it.
public final actor AuthenticatedRequestEngine: EngineLayer {
    private let below: any RequestEngine
    private let credentials: [Origin: any CredentialSource]
    private let onlyOrigin: Origin?
    private let onlyCredential: (any CredentialSource)?
    /// The hosts that credentials may be sent to over plain HTTP.
    public nonisolated let plainHTTP: PlainHTTPHosts
    /// The engine below.
    public nonisolated var engineBelow: any RequestEngine { below }
    /// Those of the engine below.
    public nonisolated var operationOptions: OperationOptions { below.operationOptions }
    /// No more origins are remembered; one that is forgotten is reported again.
    private static let maximumReportedOrigins = 1_000
    /// The origins that such a call was reported for.
    private let reportedOrigins = Locked<Set<Origin>>([])
    /// What pauses and the deadlines of calls are counted on.
    public nonisolated let clock: any GatewayClock
    private var circuits = RejectionCircuits()
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
        return try await recover(
            from: consume response, request: request, context: context, source: source)
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
        return onlyOrigin.isIdentical(to: origin) || onlyOrigin == origin ? onlyCredential : nil
    }

    /// Reports a credential that goes over plain HTTP to another machine, once for each origin.
    private nonisolated func report(_ request: HTTPRequest, _ context: RequestContext) {
        guard context.isObserved(as: .state),
            reportedOrigins.withLock({ origins in
                if origins.count >= Self.maximumReportedOrigins, !origins.contains(request.origin) {
                    origins = []
                }
                return origins.insert(request.origin).inserted
            })
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
    ///
    /// Thousands of calls may wait here at a time: what they need is on the heap once, and the async frames are small.
    @inline(never)
    private nonisolated func recover(
        from refusal: consuming HTTPResponse, request: HTTPRequest, context: RequestContext,
        source: any CredentialSource
    ) async throws(NetworkError) -> HTTPResponse {
        let recovery = Recovery(refusal, context, source)
        while let step = recovery.next(for: request) {
            switch step {
            case .replay: break
            case .refresh: guard try await refresh(recovery, request) else { return recovery.response }
            case .stepUp: guard try await stepUp(recovery, request) else { return recovery.response }
            }
            recovery.beginReplay()
            try await replay(recovery, request)
            if recovery.isRefreshed { await settle(recovery, request) }
        }
        return recovery.response
    }

    /// Sends the call once more.
    @inline(never)
    private nonisolated func replay(
        _ recovery: Recovery, _ request: HTTPRequest
    ) async throws(NetworkError) {
        try recovery.record(replayOf: request)
        do {
            recovery.received(try await below.send(request, context: recovery.context))
        } catch {
            throw recovery.failed(error)
        }
    }

    /// Counts whether a token that was refreshed is rejected again.
    @inline(never)
    private nonisolated func settle(_ recovery: Recovery, _ request: HTTPRequest) async {
        let origin = request.origin
        let circuit = RejectionCircuits.Key(credential: recovery.source.identity.key, origin: origin)
        switch recovery.judge(request, now: clock.now) {
        case .accepted:
            if circuitCount.load(ordering: .relaxed) > 0 { await end(circuit, recovery.context) }
        case .rejectedByPath: break
        case .rejectedByOrigin:
            let stamp = recovery.response.exchange.stamp
            let token = RejectionCircuit.Token(
                epoch: recovery.source.identity.epoch,
                generation: stamp?.generation ?? recovery.context.minimumGeneration)
            await recordRejection(circuit, of: token, recovery.context)
        }
    }

    // MARK: 401

    /// Reports a generation as rejected and waits for the next.
    ///
    /// - Returns: whether the call is to be sent again.
    @inline(never)
    private nonisolated func refresh(
        _ recovery: Recovery, _ request: HTTPRequest
    ) async throws(NetworkError) -> Bool {
        recovery.recordRejection(of: request)
        let slot = recovery.source.rejectable?.slot
        let pauseOfPath = slot?.pause(for: recovery.key(of: request), at: clock.now)
        if pauseOfPath != nil || circuitCount.load(ordering: .relaxed) > 0,
            !recovery.hasTokenAtHand(for: request)
        {
            try await refuseSuspended(recovery, request, pauseOfPath)
        }
        guard recovery.reject(request) else { return false }
        do {
            try await recovery.source.ready(
                atLeast: recovery.context.minimumGeneration, for: recovery.context)
        } catch {
            throw error.with(attempts: recovery.sent)
        }
        return true
    }

    /// Fails a call while refreshing is suspended.
    @inline(never)
    private nonisolated func refuseSuspended(
        _ recovery: Recovery, _ request: HTTPRequest, _ pauseOfPath: Duration?
    ) async throws(NetworkError) {
        let circuit = RejectionCircuits.Key(
            credential: recovery.source.identity.key, origin: request.origin)
        var pause = pauseOfPath
        if pause == nil { pause = await self.pause(for: circuit, recovery.source, recovery.context) }
        guard let pause else { return }
        throw NetworkError(
            .refreshSuspended,
            "Refreshing is suspended\(pauseOfPath == nil ? "" : " for this operation or path"): "
                + "\(RejectionCircuit.threshold) or more refreshed tokens in a row were rejected. "
                + "Check the issuer, audience and scopes that the service expects.",
            origin: request.origin, retryAfter: pause, status: recovery.response.status,
            attempts: recovery.sent)
    }

    // MARK: 403

    /// Continues with a credential that has the further scopes that a 403 names.
    ///
    /// - Returns: whether the call is to be sent again.
    @inline(never)
    private nonisolated func stepUp(
        _ recovery: Recovery, _ request: HTTPRequest
    ) async throws(NetworkError) -> Bool {
        guard
            let wider = try await widened(recovery.response, recovery.source, request, recovery.context)
        else { return false }
        recovery.continues(with: wider)
        return true
    }

    /// A credential with the further scopes that a 403 names, where they are allowed and can be had.
    ///
    /// Nothing but the names of scopes is taken from the challenge, and no address in it is called.
    ///
    /// - Returns: `nil` where the 403 is the caller's: it names nothing that helps, the scopes were not granted, or
    ///   the body is gone. In the last case the token is had all the same, for calls that come later.
    private nonisolated func widened(
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

    /// How long refreshing still pauses. Where the origin has accepted the last token that was counted, the count was not about
    /// the origin, and ends.
    private func pause(
        for circuit: RejectionCircuits.Key, _ source: any CredentialSource, _ context: RequestContext
    ) -> Duration? {
        guard let pause = circuits.pause(of: circuit, at: clock.now) else { return nil }
        guard let last = circuits.last(of: circuit),
            source.rejectable?.slot.refutes(last, at: clock.now) == true
        else { return pause }
        end(circuit, context)
        return nil
    }

    private func end(_ circuit: RejectionCircuits.Key, _ context: RequestContext) {
        let ended = circuits.end(circuit)
        circuitCount.store(circuits.count, ordering: .relaxed)
        if ended?.hasPaused == true { context.record(.refreshResumed, at: circuit.origin) }
    }

    private func recordRejection(
        _ circuit: RejectionCircuits.Key, of token: RejectionCircuit.Token, _ context: RequestContext
    ) {
        let pause = circuits.recordRejection(circuit, of: token, now: clock.now)
        circuitCount.store(circuits.count, ordering: .relaxed)
        if let pause { context.record(.refreshSuspended(for: pause), at: circuit.origin) }
    }
}
