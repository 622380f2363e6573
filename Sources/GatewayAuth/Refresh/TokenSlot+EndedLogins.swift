import GatewayCore

/// Logins that have ended, and whose responses may be left in a cache that outlives the process: the store knows them until the
/// cache has removed the responses.
extension TokenSlot: EndedLoginKeeping {
    /// How long the key is waited for.
    private static let patience = Duration.seconds(30)

    /// Removes what logins have left that have ended in this process or in earlier ones, once for the slot.
    func finishEndedLogins() {
        guard state.withLock({ !$0.account.isFinishing }), environment.keepsEndedLogins else { return }
        let removers = environment.observers.removers
        guard !removers.isEmpty, state.withLock({ $0.account.beginFinishing() }) else { return }
        for remover in removers { remover.finishEndedLogins(of: self) }
    }

    /// Removes what the logins have left that have ended with a record.
    func finishEndedLogins(of record: StoredToken) {
        guard !record.endedLogins.isEmpty else { return }
        for remover in environment.observers.removers { remover.finishEndedLogins(of: self) }
    }

    /// Removes the responses of all logins that the store knows to have ended, and lets it forget them.
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
            // Otherwise the next process removes them once more.
            try? await store.forgetEndedLogins(
                record.endedLogins, of: key, deadline: .after(Self.patience, clock: environment.clock))
            return true
        } catch { return false }
    }
}

extension TokenSlot.State {
    /// What a record knows of ended logins: those of the record before it, its login unless it goes on, and the logins that have
    /// ended here since.
    ///
    /// - Parameters:
    ///   - found: the record that is replaced.
    ///   - login: the login of the new record.
    ///   - isKept: whether the store is to know logins that end here.
    func endedLogins(replacing found: StoredToken?, by login: UInt64, isKept: Bool) -> [UInt64] {
        let known = found?.endedLogins(ending: isKept && found?.login != login) ?? []
        guard isKept, let unsaved else { return known }
        return known + unsaved.ended.filter { $0 != login && !known.contains($0) }
    }
}
