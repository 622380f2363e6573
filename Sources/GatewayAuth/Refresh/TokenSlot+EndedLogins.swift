import GatewayCore

/// Logins that have ended, and whose responses may be left in a cache that outlives the process: the store knows them until the
/// cache has removed the responses.
extension TokenSlot {
    /// How long the key is waited for.
    private static let patience = Duration.seconds(30)

    /// Removes what logins have left that have ended in this process or in earlier ones, once for the slot.
    func finishEndedLogins() {
        guard state.withLock({ !$0.account.isFinishing }), let store = environment.store, store.isDurable,
            !environment.observers.removers.isEmpty, state.withLock({ $0.account.beginFinishing() })
        else { return }
        Task.detached { [key, environment] in
            guard let record = try? await store.load(key), !record.endedLogins.isEmpty else { return }
            await Self.forget(
                record.endedLogins, removing: record.endedAccounts(of: key), key, store, environment)
        }
    }

    /// Lets the store forget the logins that have ended with a record when their responses are removed, which was begun when they
    /// ended.
    func forgetEndedLogins(of record: StoredToken, replacing found: StoredToken?) {
        let known = found?.endedLogins ?? []
        let logins = record.endedLogins.filter { !known.contains($0) }
        guard !logins.isEmpty, let store = environment.store else { return }
        Task.detached { [key, environment] in
            await Self.forget(logins, removing: EndedAccounts([]), key, store, environment)
        }
    }

    private static func forget(
        _ logins: [UInt64], removing accounts: EndedAccounts, _ key: TokenKey, _ store: any TokenStore,
        _ environment: TokenEnvironment
    ) async {
        let removers = environment.observers.removers
        guard !removers.isEmpty else { return }
        for remover in removers {
            guard await remover.removeResponses(of: accounts) else { return }
        }
        // Otherwise the next process removes them once more.
        try? await store.forgetEndedLogins(
            logins, of: key, deadline: .after(patience, clock: environment.clock))
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
