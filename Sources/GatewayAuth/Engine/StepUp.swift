import GatewayCore

/// The additional scopes of one credential at one origin: the allowed scopes, and the token that has been obtained.
///
/// The token with more scopes has its own key, next to the base token and for the same login; see
/// ``TokenSlot/wider(_:than:epoch:)``. While it is available, later calls to the origin use it from the start. Why: the
/// origin may receive these scopes by configuration, it has already received such a token, and otherwise each call
/// would be sent twice. Calls never wait for it, so that a call does not fail because of a scope that it may not need;
/// without it, a call starts with the base token.
final class StepUp: Sendable {
    private struct Widest {
        let slot: TokenSlot
        let epoch: UInt64
        /// The epoch of the base key.
        let baseEpoch: UInt64
    }

    private let base: TokenSlot
    private let allowed: Set<String>
    private let widest = Locked<Widest?>(nil)

    /// - Parameters:
    ///   - base: the token that calls start with.
    ///   - allowed: the scopes that the origin may require. Others are ignored.
    init(base: TokenSlot, allowed: Set<String>) {
        self.base = base
        self.allowed = allowed
    }

    /// The token with more scopes, if it is available.
    ///
    /// - Parameter epoch: the login of the base token.
    func current(epoch: UInt64) -> (slot: TokenSlot, epoch: UInt64)? {
        guard let widest = widest.withLock({ $0 }), widest.baseEpoch == epoch,
            (try? widest.slot.peek(atLeast: 0, epoch: widest.epoch)).flatMap(\.self) != nil
        else { return nil }
        return (widest.slot, widest.epoch)
    }

    /// The reaction to a challenge.
    struct Step {
        let source: SlotCredentialSource
        /// The additional scopes that are requested.
        let further: Set<String>
        fileprivate let baseEpoch: UInt64

        /// Whether all additional scopes were granted.
        var isWider: Bool { further.isSubset(of: source.slot.grantedScopes) }
    }

    /// A credential with the scopes of the current one and those allowed scopes that the challenge requires.
    ///
    /// - Returns: `nil` if the challenge has no new allowed scope, or the acquirer does not support step-up.
    func step(from source: SlotCredentialSource, challenged: [String]) -> Step? {
        let granted = source.slot.grantedScopes
        let further = allowed.intersection(challenged).subtracting(granted)
        guard !further.isEmpty, base.environment.acquirer.canStepUp else { return nil }
        let before = source.slot === base ? granted : granted.union(source.slot.key.scopes)
        let key = base.key.widened(to: before.union(further))
        guard key != source.slot.key,
            let (slot, baseEpoch) = base.wider(key, than: source.slot, epoch: source.epoch)
        else { return nil }
        return Step(
            source: SlotCredentialSource(slot: slot, epoch: slot.epoch, reach: source.reach),
            further: further, baseEpoch: baseEpoch)
    }

    /// Lets later calls start with the token of a step.
    func remember(_ step: Step) {
        let (slot, epoch, baseEpoch) = (step.source.slot, step.source.epoch, step.baseEpoch)
        widest.withLock { $0 = Widest(slot: slot, epoch: epoch, baseEpoch: baseEpoch) }
    }
}

extension TokenKey {
    /// A copy of the key with other scopes.
    func widened(to scopes: Set<String>) -> TokenKey {
        TokenKey(
            issuer: issuer, client: client, tenant: tenant, subject: subject, scopes: Array(scopes),
            audiences: audiences, resources: resources, binding: binding)
    }
}
