import GatewayCore

/// How far a key's token goes: who may see it, and what an origin may have it widened to.
final class CredentialReach: Sendable {
    let origins: Set<Origin>
    /// `nil`: no 403 changes anything.
    let stepUp: StepUp?

    init(origins: Set<Origin>, stepUp: StepUp? = nil) {
        self.origins = origins
        self.stepUp = stepUp
    }
}
