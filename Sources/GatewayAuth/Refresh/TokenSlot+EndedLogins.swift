import GatewayCore

/// Ended logins whose responses may remain in a durable cache. The store lists them until the cache has removed the
/// responses.
extension TokenSlot: EndedLoginKeeping {
    /// The maximum wait for the key.
    private static let patience = Duration.seconds(30)

    /// Removes the responses of logins that ended in this process or in earlier ones, once per slot.
    func finishEndedLogins() {
        guard state.withLock({ !$0.account.isFinishing }), environment.keepsEndedLogins else { return }
        let removers = environment.observers.removers
        guard !removers.isEmpty, state.withLock({ $0.account.beginFinishing() }) else { return }
        for remover in removers { remover.finishEndedLogins(of: self) }
    }

    /// Removes the responses of the ended logins of a record.
    func finishEndedLogins(of record: StoredToken) {
        guard !record.endedLogins.isEmpty else { return }
        for remover in environment.observers.removers { remover.finishEndedLogins(of: self) }
    }

    /// Removes the responses of all ended logins in the store, then deletes these logins from the store.
    func finishEndedLogins(until deadline: Deadline?) async -> Bool {
        guard let store = environment.store else { return true }
        do throws(NetworkError) {
            // Only the store knows which login a sign-in or sign-out ends.
            if state.withLock({ $0.unsaved?.login != nil }), let error = await saveOnce() { throw error }
            guard let record = try await store.load(key), !record.endedLogins.isEmpty else { return true }
            let removers = environment.observers.removers
            for remover in removers {
                guard await remover.removeResponses(of: record.endedAccounts(of: key), until: deadline)
                else { return false }
            }
            guard !removers.isEmpty else { return false }
            // If this fails, the next process removes them again.
            try? await store.forgetEndedLogins(
                record.endedLogins, of: key, deadline: .after(Self.patience, clock: environment.clock))
            return true
        } catch { return false }
    }
}

extension TokenSlot.State {
    /// The ended logins of a new record: those of the previous record, the previous login if it ends, and the logins
    /// that have ended in this process since.
    ///
    /// - Parameters:
    ///   - found: the replaced record.
    ///   - login: the login of the new record.
    ///   - isKept: whether logins that end in this process are included.
    func endedLogins(replacing found: StoredToken?, by login: UInt64, isKept: Bool) -> [UInt64] {
        let known = found?.endedLogins(ending: isKept && found?.login != login) ?? []
        guard isKept, let unsaved else { return known }
        return known + unsaved.ended.filter { $0 != login && !known.contains($0) }
    }
}
