import GatewayCore

/// Tokens with more scopes, next to the token of the slot's key and for the same login.
extension TokenSlot {
    /// The scopes of the newest token: those in the grant, otherwise the requested ones (RFC 6749 §5.1).
    var grantedScopes: Set<String> { Set(state.withLock { $0.machine.lastGrant?.scopes } ?? key.scopes) }

    /// The slot of a key with more scopes. It is created if necessary.
    ///
    /// It ends with the login of this slot. Its tokens are not stored. Why: another process that signs out does not
    /// know such a record, so it would remain in the store and could be used after the next sign-in.
    ///
    /// - Parameters:
    ///   - key: the same key with other scopes.
    ///   - slot: this slot, or one that it has created.
    ///   - epoch: the login of that slot.
    /// - Returns: the slot and the epoch of this slot; `nil` if that login has ended.
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
            // It belongs to the same login, so it has the same account.
            let wider = TokenSlot(
                key: key, epoch: fresh, environment: environment.withoutStore,
                account: state.account(in: self))
            state.wider[key] = wider
            return (wider, state.machine.epoch)
        }
    }
}
