import GatewayCore

/// Logins that have ended, and whose responses may be left in a cache that outlives the process: the store knows them until the
/// cache has removed the responses.
extension TokenSlot {
    /// How long the key is waited for.
    private static let patience = Duration.seconds(30)

    /// Whether the store is to know a login that ends here.
    var keepsEndedLogins: Bool {
        environment.store?.isDurable == true && !environment.observers.removers.isEmpty
    }

    /// Removes what logins have left that have ended in this process or in earlier ones, once for the slot.
    func finishEndedLogins() {
        guard state.withLock({ !$0.account.isFinishing }), let store = environment.store, keepsEndedLogins,
            state.withLock({ $0.account.beginFinishing() })
        else { return }
        Task.detached { [key, environment] in
            guard let record = try? await store.load(key), !record.endedLogins.isEmpty else { return }
            await Self.forget(
                record.endedLogins, removing: record.endedAccounts(of: key), key, store, environment)
        }
    }

    /// Lets the store forget a login when its responses are removed, which was begun when it ended.
    func forgetEndedLogin(_ login: UInt64) {
        guard let store = environment.store else { return }
        Task.detached { [key, environment] in
            await Self.forget([login], removing: [], key, store, environment)
        }
    }

    private static func forget(
        _ logins: [UInt64], removing accounts: [String], _ key: TokenKey, _ store: any TokenStore,
        _ environment: TokenEnvironment
    ) async {
        for remover in environment.observers.removers {
            guard await remover.removeResponses(of: accounts) else { return }
        }
        // Otherwise the next process removes them once more.
        try? await store.forgetEndedLogins(
            logins, of: key, deadline: .after(patience, clock: environment.clock))
    }
}
