public import GatewayCore
import Synchronization

/// Adds a bearer token to every call, and makes one refresh for any number of simultaneous 401 responses (RFC 6750).
///
/// ```swift
/// let engine = AuthenticatedRequestEngine(
///     below: AsyncRequestEngine(transport: transport), coordinator: coordinator,
///     scope: try CredentialScope(["https://api.example.com"]))
/// let response = try await engine.send(try HTTPRequest(.get, "https://api.example.com/books"))
/// ```
/// The credential of a call is the one in its context, otherwise the one that the scope has for the request's origin.
///
/// How a call is handled:
/// - It has no credential: it is sent unchanged.
/// - It has an `Authorization` field: it is sent unchanged, and a 401 is returned to the caller.
/// - Otherwise each attempt is stamped with the newest token. Plain HTTP to another machine is refused, unless
///   ``plainHTTP`` lists the host.
/// - The response is 401: the token generation *of that attempt* is reported as rejected. If there is a newer token, it
///   is used; otherwise one refresh is made for all calls. Then the call is sent once more, before first attempts that
///   wait for the token, so that the token is still valid. A second 401 is returned to
///   the caller, and so is the first if the credential cannot be refreshed. If the origin had accepted the token of the
///   second 401 before, that token is reported as rejected, too, because it must have been revoked. Otherwise it is not
///   replaced immediately, because each call would cost two tokens if the origin accepts none.
/// - The response is 401 and the body cannot be sent again: the token is refreshed for later calls, and the 401 is
///   returned to the caller.
/// - The response is 401 because the DPoP proof lacks a nonce (RFC 9449 §9): the call is sent once more with the new
///   nonce, without a refresh. If the proof already had that nonce, the 401 is returned to the caller.
/// - The response is 401 with `invalid_dpop_proof` (RFC 9449 §7.1): the proof is invalid, not the token. Nothing is
///   refreshed, and the 401 is returned to the caller. Check the binding's key and the clock of this machine.
/// - The response is 401 with `insufficient_user_authentication` (RFC 9470 §3): a refresh does not change the user
///   authentication. The 401 is returned to the caller.
/// - The response is 400 or 403 with `invalid_token`, and this is configured for the origin: it is handled as a 401.
///   See ``CredentialScope/rejectionStatuses``.
/// - The response is 403 with `insufficient_scope` (RFC 6750 §3.1), and the origin may require one of the scopes in the
///   challenge: a token with these scopes is requested once for all calls that need it, and the call is sent once more,
///   under the rules for 401s. See ``CredentialScope/stepUpScopes``. Any other 403 is returned to the caller, and so is
///   this one if the scopes are not granted.
/// - A sign-out or another sign-in happens during the call: the call is not sent again, because it would be sent for
///   another user.
///
/// If refreshed tokens are rejected repeatedly, refreshing is suspended for some time, and affected calls fail with the
/// code `refreshSuspended`. If the origin accepts the token for other calls, only calls with the same operation, or
/// with the same method and path if they have no operation, are affected (up to 16 of them for each credential).
/// Otherwise all calls to the origin are affected.
///
/// The actor isolates the state that changes with 401 responses. Other calls do not use the actor.
public final actor AuthenticatedRequestEngine: RequestEngine {
    let below: any RequestEngine
    private let credentials: [Origin: any CredentialSource]
    private let onlyOrigin: Origin?
    private let onlyCredential: (any CredentialSource)?
    /// The hosts that may receive credentials over plain HTTP.
    public nonisolated let plainHTTP: PlainHTTPHosts
    /// The services of the engine below, with the clock, the hosts and the credentials of this layer.
    public nonisolated var services: EngineServices {
        var services = below.services.with(clock: clock)
        services.plainHTTP = plainHTTP
        services.credentials.merge(credentials) { _, own in own }
        return services
    }
    /// Kept for the engine's health, which refers to it weakly.
    private let coordinator: TokenRefreshCoordinator?
    /// The maximum number of remembered origins. When it is exceeded, all are forgotten and reported again.
    private static let maximumReportedOrigins = 1_000
    /// The origins for which a credential over plain HTTP was reported.
    private let reportedOrigins = Locked<Set<Origin>>([])
    /// The clock for suspensions and for the deadlines of calls.
    public nonisolated let clock: any GatewayClock
    private var circuits = RejectionCircuits()
    /// The number of circuits.
    private let circuitCount = Atomic(0)
    /// Whether there are circuits. If not, a rejection is reported without waiting for the actor. Why: during such a
    /// wait, other calls would be sent with the rejected token.
    nonisolated var hasCircuits: Bool { circuitCount.load(ordering: .relaxed) > 0 }

    /// Creates an engine for calls whose context contains their credential.
    ///
    /// - Parameters:
    ///   - below: the engine that makes the calls, and stamps each attempt with the `credentials` of the context.
    ///   - plainHTTP: the hosts that may receive credentials over plain HTTP; `nil` for those of the engine below.
    ///   - clock: the clock for suspensions; `nil` for that of the engine below.
    public init(
        below: any RequestEngine, plainHTTP: PlainHTTPHosts? = nil, clock: (any GatewayClock)? = nil
    ) {
        self.below = below
        let services = below.services
        let plainHTTP = plainHTTP ?? services.plainHTTP
        self.plainHTTP = plainHTTP
        self.clock = clock ?? services.clock
        credentials = [:]
        coordinator = nil
        (onlyOrigin, onlyCredential) = (nil, nil)
    }

    /// Creates an engine for calls to certain origins.
    ///
    /// - Parameters:
    ///   - below: the engine that makes the calls, and stamps each attempt with the `credentials` of the context.
    ///   - coordinator: the coordinator that keeps the tokens.
    ///   - scope: the credential of each origin, for calls whose context contains none.
    ///   - plainHTTP: the hosts that may receive credentials over plain HTTP; `nil` for those of the engine below.
    ///   - clock: the clock for suspensions; `nil` for that of the engine below.
    public init(
        below: any RequestEngine, coordinator: TokenRefreshCoordinator, scope: CredentialScope,
        plainHTTP: PlainHTTPHosts? = nil, clock: (any GatewayClock)? = nil
    ) {
        self.below = below
        let services = below.services
        let plainHTTP = plainHTTP ?? services.plainHTTP
        self.plainHTTP = plainHTTP
        self.clock = clock ?? services.clock
        credentials = Dictionary(
            uniqueKeysWithValues: scope.keys.map { origin, key -> (Origin, any CredentialSource) in
                let (stepUp, statuses) = (
                    scope.stepUpScopes[origin] ?? [], scope.rejectionStatuses[origin] ?? []
                )
                if let laterKey = scope.laterKey {
                    return (
                        origin,
                        coordinator.credentials(
                            asking: laterKey, origins: [origin], stepUpScopes: stepUp,
                            rejectionStatuses: statuses, plainHTTP: plainHTTP)
                    )
                }
                return (
                    origin,
                    coordinator.credentials(
                        for: key, origin: origin, stepUpScopes: stepUp, rejectionStatuses: statuses,
                        plainHTTP: plainHTTP)
                )
            })
        self.coordinator = coordinator
        services.parts.add(coordinator)
        let only = credentials.count == 1 ? credentials.first : nil
        (onlyOrigin, onlyCredential) = (only?.key, only?.value)
    }

    /// Creates an engine directly above a transport, without retries and other layers.
    public init(
        transport: any Transport, coordinator: TokenRefreshCoordinator, scope: CredentialScope,
        plainHTTP: PlainHTTPHosts? = nil, clock: (any GatewayClock)? = nil
    ) {
        self.init(
            below: AttemptEngine(transport: transport), coordinator: coordinator, scope: scope,
            plainHTTP: plainHTTP, clock: clock)
    }

    /// Makes the call. See ``GatewayCore/RequestEngine/send(_:context:)``.
    ///
    /// - Throws: ``GatewayCore/NetworkError``, also if no token can be obtained. Every status is a response.
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

    // Out of line to keep the async frame of a waiting call small.

    /// Sets the credential of the call, if any.
    @inline(never)
    private nonisolated func pin(
        _ request: HTTPRequest, _ context: inout RequestContext
    ) throws(NetworkError) {
        let origin = request.origin
        guard !context.isAnonymous, let named = context.credentials ?? configured(for: origin),
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

    /// The configured credential of an origin. Why the special case: comparing one origin is faster than hashing it.
    private nonisolated func configured(for origin: Origin) -> (any CredentialSource)? {
        guard let onlyOrigin else { return credentials[origin] }
        return onlyOrigin.isIdentical(to: origin) || onlyOrigin == origin ? onlyCredential : nil
    }

    /// Reports that a credential is sent over plain HTTP to another machine, once for each origin.
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

    /// The credential that the response rejects, if a newer one may be accepted.
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
            // A 400 does not reject the credential, unless this is configured.
            response.status != 400 || source.rejectable?.slot.reach.rejectionStatuses.contains(400) == true
        else { return nil }
        return source
    }

    // MARK: What 401s change

    /// The remaining suspension of refreshing. If the origin has accepted the last token that was counted, the origin
    /// as a whole does not reject tokens, and the circuit ends.
    func pause(
        for circuit: RejectionCircuits.Key, _ source: any CredentialSource, _ context: RequestContext
    ) -> Duration? {
        guard let pause = circuits.pause(of: circuit, at: clock.now) else { return nil }
        guard let last = circuits.last(of: circuit),
            source.rejectable?.slot.refutes(last, at: clock.now) == true
        else { return pause }
        end(circuit, context)
        return nil
    }

    func end(_ circuit: RejectionCircuits.Key, _ context: RequestContext) {
        let ended = circuits.end(circuit)
        circuitCount.store(circuits.count, ordering: .relaxed)
        if ended?.hasPaused == true { context.record(.refreshResumed, at: circuit.origin) }
    }

    func recordRejection(
        _ circuit: RejectionCircuits.Key, of token: RejectionCircuit.Token, _ context: RequestContext
    ) {
        let pause = circuits.recordRejection(circuit, of: token, now: clock.now)
        circuitCount.store(circuits.count, ordering: .relaxed)
        if let pause { context.record(.refreshSuspended(for: pause), at: circuit.origin) }
    }
}
