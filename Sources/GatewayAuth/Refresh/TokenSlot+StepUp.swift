import GatewayCore

/// Tokens of further scopes, beside the one of the slot's key and under its login.
extension TokenSlot {
    /// What the newest token allows: what its grant says, else what was asked for (RFC 6749 §5.1).
    var grantedScopes: Set<String> { Set(state.withLock { $0.machine.lastGrant?.scopes } ?? key.scopes) }

    /// The slot of a key with further scopes, made where there is none.
    ///
    /// It ends with this slot's login. What it holds is not stored: a record of its own would outlive a sign-out that
    /// another process makes and that knows nothing of it, and would be found by whoever signs in next.
    ///
    /// - Parameters:
    ///   - key: the same key but for the scopes.
    ///   - slot: this slot, or one that it has made.
    ///   - epoch: under which login that was.
    /// - Returns: the slot with this one's epoch; `nil` where that login is over.
    func wider(
        _ key: TokenKey, than slot: TokenSlot, epoch: UInt64
    ) -> (slot: TokenSlot, epoch: UInt64)? {
        let fresh = TokenEnvironment.nextEpoch()
        return state.withLock { state in
            let isCurrent =
                slot === self ? state.machine.epoch == epoch : state.wider[slot.key] === slot
            guard isCurrent else { return nil }
            if key == self.key { return (self, state.machine.epoch) }
            if let wider = state.wider[key] { return (wider, state.machine.epoch) }
            // It belongs to the same login.
            let wider = TokenSlot(
                key: key, epoch: fresh, environment: environment.withoutStore,
                account: state.account(in: self))
            state.wider[key] = wider
            return (wider, state.machine.epoch)
        }
    }
}
