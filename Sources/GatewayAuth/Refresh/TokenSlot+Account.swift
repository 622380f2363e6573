import GatewayCore

/// The account of a slot's login: an identifier that outlives the process.
extension TokenSlot {
    /// The identity of a login.
    func identity(epoch: UInt64) -> CredentialIdentity {
        let account = state.withLock { $0.machine.epoch == epoch ? $0.account(in: self) : nil }
        return CredentialIdentity(key: key.canonical, epoch: epoch, account: account)
    }

    struct Account {
        /// The name that the application gave the login.
        var name: String?
        /// The account of a login in the store.
        var stored: (login: UInt64, text: String)?
    }
}

extension TokenSlot.State {
    /// The account of the current login; `nil` if nobody is signed in, or nothing that outlives the process identifies it.
    ///
    /// A login in a store comes before a name: another process may have signed in somebody else there.
    mutating func account(in slot: TokenSlot) -> String? {
        guard !machine.isSignedOut else { return nil }
        guard let store = slot.environment.store, store.isDurable else { return account.name }
        guard let login = machine.stored?.login, login != 0 else { return nil }
        if let known = account.stored, known.login == login { return known.text }
        let text = Self.account(slot.key, login: login)
        account.stored = (login, text)
        return text
    }

    /// The first half of the key's digest, which tells nobody whose it is, and the login's random number.
    private static func account(_ key: TokenKey, login: UInt64) -> String {
        let number = String(login, radix: 16)
        return key.digest.prefix(32) + "-" + String(repeating: "0", count: 16 - number.utf8.count) + number
    }
}
