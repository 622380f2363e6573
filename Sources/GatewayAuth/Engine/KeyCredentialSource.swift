public import GatewayCore

/// The token of a key for any login. Used in configurations, which exist longer than calls.
final class KeyCredentialSource: CredentialSource {
    private let slot: TokenSlot
    private let reach: CredentialReach
    /// The credential source of the last login.
    private let latest = Locked<SlotCredentialSource?>(nil)

    init(slot: TokenSlot, reach: CredentialReach) {
        self.slot = slot
        self.reach = reach
    }

    private var current: SlotCredentialSource {
        let base = self.slot.epoch
        let (slot, epoch) = reach.stepUp?.current(epoch: base) ?? (self.slot, base)
        return latest.withLock { latest in
            if let latest, latest.slot === slot, latest.epoch == epoch { return latest }
            let source = SlotCredentialSource(slot: slot, epoch: epoch, reach: reach)
            latest = source
            return source
        }
    }

    var identity: CredentialIdentity { current.identity }
    func identified() async -> CredentialIdentity { await current.identified() }
    func pinned() -> any CredentialSource {
        guard let binding = slot.environment.binding else { return current }
        return BoundCredentialSource(base: current, binding: binding)
    }

    func isReady(atLeast generation: UInt64) -> Bool { current.isReady(atLeast: generation) }

    func hasExpired(atLeast generation: UInt64) -> Bool { current.hasExpired(atLeast: generation) }

    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
        try await current.ready(atLeast: generation, deadline: deadline)
    }

    func ready(atLeast generation: UInt64, for call: RequestContext) async throws(NetworkError) {
        try await current.ready(atLeast: generation, for: call)
    }

    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try pinned().stamp(&request, atLeast: generation)
    }

    func stampIfReady(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try pinned().stampIfReady(&request, atLeast: generation)
    }

    func note(_ response: HTTPResponse, to request: HTTPRequest) {
        slot.environment.binding?.remember(response.fields, from: request.origin, .api)
    }

    func reject(_ generation: UInt64, renewing: Bool) { current.reject(generation, renewing: renewing) }
}

extension KeyCredentialSource: EventReporting {
    func report(to outlet: EventOutlet) { slot.report(to: outlet) }
}

extension TokenRefreshCoordinator {
    /// The credential of a key, for the context of a request.
    ///
    /// - Parameters:
    ///   - key: the key of the token.
    ///   - origins: the origins that may receive the token. Stamping a request to another origin fails with the code
    ///     `credentialMissing`.
    ///   - rejectionStatuses: the statuses besides 401 that reject the token; see
    ///     ``CredentialScope/rejectionStatuses``.
    ///   - plainHTTP: the hosts that may receive the token over plain HTTP.
    public func credentials(
        for key: TokenKey = .default, origins: Set<Origin>, rejectionStatuses: Set<Int> = [],
        plainHTTP: PlainHTTPHosts = .none
    ) -> any CredentialSource {
        KeyCredentialSource(
            slot: slot(for: key, pinned: true),
            reach: CredentialReach(
                origins: origins, plainHTTP: plainHTTP, rejectionStatuses: rejectionStatuses))
    }

    /// The credential of a key at one origin, for the context of a request, with step-up and additional rejection
    /// statuses.
    ///
    /// - Parameters:
    ///   - key: the key of the token.
    ///   - origin: the origin that may receive the token. Stamping a request to another origin fails with the code
    ///     `credentialMissing`.
    ///   - stepUpScopes: the scopes that the origin may require with a 403; see ``CredentialScope/stepUpScopes``.
    ///   - rejectionStatuses: the statuses besides 401 that reject the token; see
    ///     ``CredentialScope/rejectionStatuses``.
    ///   - plainHTTP: the hosts that may receive the token over plain HTTP.
    public func credentials(
        for key: TokenKey = .default, origin: Origin, stepUpScopes: Set<String>,
        rejectionStatuses: Set<Int> = [], plainHTTP: PlainHTTPHosts = .none
    ) -> any CredentialSource {
        let slot = slot(for: key, pinned: true)
        let stepUp = stepUpScopes.isEmpty ? nil : StepUp(base: slot, allowed: stepUpScopes)
        return KeyCredentialSource(
            slot: slot,
            reach: CredentialReach(
                origins: [origin], plainHTTP: plainHTTP, stepUp: stepUp, rejectionStatuses: rejectionStatuses)
        )
    }
}
