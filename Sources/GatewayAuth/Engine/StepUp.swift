import GatewayCore

/// The further scopes of one credential at one origin: which may be had there, and which have been.
///
/// The token with further scopes lives under a key of its own, beside the one that it follows and under the same
/// login; see ``TokenSlot/wider(_:than:epoch:)``. Once it is there, later calls to the origin carry it from the start,
/// for as long as it is at hand: the configuration allows the origin those scopes, the origin has seen such a token
/// already, and without it every such call would go on the wire twice. It is never waited for, so that no call fails
/// for the sake of a scope that it may not need: without it, a call begins with the token it was configured for.
final class StepUp: Sendable {
    private struct Widest {
        let slot: TokenSlot
        let epoch: UInt64
        /// The epoch of the key that it follows.
        let baseEpoch: UInt64
    }

    private let base: TokenSlot
    private let allowed: Set<String>
    private let widest = Locked<Widest?>(nil)

    /// - Parameters:
    ///   - base: the token that calls begin with.
    ///   - allowed: which scopes the origin may ask for; all others are none of its business.
    init(base: TokenSlot, allowed: Set<String>) {
        self.base = base
        self.allowed = allowed
    }

    /// The token with further scopes, if it is at hand.
    ///
    /// - Parameter epoch: the login of the token that calls begin with.
    func current(epoch: UInt64) -> (slot: TokenSlot, epoch: UInt64)? {
        guard let widest = widest.withLock({ $0 }), widest.baseEpoch == epoch,
            (try? widest.slot.peek(atLeast: 0, epoch: widest.epoch)).flatMap(\.self) != nil
        else { return nil }
        return (widest.slot, widest.epoch)
    }

    /// What a challenge leads to.
    struct Step {
        let source: SlotCredentialSource
        /// What it is made for.
        let further: Set<String>
        fileprivate let baseEpoch: UInt64

        /// Whether the token allows more than the one before it.
        var isWider: Bool { further.isSubset(of: source.slot.grantedScopes) }
    }

    /// The credential with what a credential has and what a challenge names, as far as it is allowed.
    ///
    /// - Returns: `nil` where nothing can be gained: nothing new was named, nothing allowed, or the acquirer cannot.
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

    /// Later calls begin with it.
    func remember(_ step: Step) {
        let (slot, epoch, baseEpoch) = (step.source.slot, step.source.epoch, step.baseEpoch)
        widest.withLock { $0 = Widest(slot: slot, epoch: epoch, baseEpoch: baseEpoch) }
    }
}

extension TokenKey {
    /// The same with other scopes.
    func widened(to scopes: Set<String>) -> TokenKey {
        TokenKey(
            issuer: issuer, client: client, tenant: tenant, subject: subject, scopes: Array(scopes),
            audiences: audiences, resources: resources, binding: binding)
    }
}
