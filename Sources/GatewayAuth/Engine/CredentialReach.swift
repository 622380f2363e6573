import GatewayCore

/// How far a key's token goes: who may see it, and what an origin may have it widened to.
final class CredentialReach: Sendable {
    let origins: Set<Origin>
    /// The hosts that may see it over plain HTTP.
    let plainHTTP: PlainHTTPHosts
    /// `nil`: no 403 changes anything.
    let stepUp: StepUp?

    init(origins: Set<Origin>, plainHTTP: PlainHTTPHosts, stepUp: StepUp? = nil) {
        self.origins = origins
        self.plainHTTP = plainHTTP
        self.stepUp = stepUp
    }
}
