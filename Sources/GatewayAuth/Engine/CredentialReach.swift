import GatewayCore

/// Where a key's token may be sent, and what responses may do to it.
final class CredentialReach: Sendable {
    private let origins: Set<Origin>
    /// The only origin, if there is only one: it is compared faster than it is hashed.
    private let onlyOrigin: Origin?
    /// The hosts that may receive it over plain HTTP.
    let plainHTTP: PlainHTTPHosts
    /// `nil`: no 403 leads to further scopes.
    let stepUp: StepUp?
    /// The statuses besides 401 that reject the token, if the response says `invalid_token`.
    let rejectionStatuses: Set<Int>

    init(
        origins: Set<Origin>, plainHTTP: PlainHTTPHosts, stepUp: StepUp? = nil,
        rejectionStatuses: Set<Int> = []
    ) {
        self.origins = origins
        onlyOrigin = origins.count == 1 ? origins.first : nil
        self.plainHTTP = plainHTTP
        self.stepUp = stepUp
        self.rejectionStatuses = rejectionStatuses.intersection(CredentialScope.possibleRejectionStatuses)
    }

    /// Whether there is only one origin.
    var hasOneOrigin: Bool { onlyOrigin != nil }

    /// Whether the token may be sent to an origin.
    func includes(_ origin: Origin) -> Bool {
        onlyOrigin.map { $0 == origin } ?? origins.contains(origin)
    }
}
