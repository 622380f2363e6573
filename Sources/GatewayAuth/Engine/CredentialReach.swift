import GatewayCore

/// Where the token of a key may be sent, and which responses reject or extend it.
final class CredentialReach: Sendable {
    private let origins: Set<Origin>
    /// The origin, if there is only one. Why: comparing one origin is faster than hashing it.
    private let onlyOrigin: Origin?
    /// The hosts that may receive the token over plain HTTP.
    let plainHTTP: PlainHTTPHosts
    /// `nil` disables step-up after a 403.
    let stepUp: StepUp?
    /// The statuses besides 401 that reject the token if the response has the error `invalid_token`.
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
