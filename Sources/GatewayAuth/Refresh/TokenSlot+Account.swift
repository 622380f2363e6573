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
        /// The login that was ended by a sign-out or sign-in which the store does not hold yet.
        var ended: CredentialIdentity?
        /// Whether the responses of ended logins have been looked for.
        var isFinishing = false

        /// - Returns: `false` if it was called before.
        mutating func beginFinishing() -> Bool {
            defer { isFinishing = true }
            return !isFinishing
        }
    }

    /// Reads the account of the login from a durable store, unless it was read before. For a new sign-in it waits until
    /// the login is stored, unless storing has failed. If reading fails, the next flight reads again.
    func readAccount() async {
        try? await waitUntilStored(deadline: nil) { $0.isStoringLogin && !$0.machine.isSignedOut }
        guard let store = environment.store, store.isDurable,
            state.withLock({ $0.machine.stored?.login == nil && !$0.machine.isSignedOut }),
            let record = try? await store.load(key), record.content != .lost, record.account(of: key) != nil
        else { return }
        state.withLock { state in
            // A sign-in or sign-out may have happened in this process during the read.
            guard state.machine.stored?.login == nil, !state.machine.isSignedOut else { return }
            state.machine.stored?.login = record.login
        }
    }

    /// Reports the login that a sign-out or sign-in of this process has ended in the store, unless it was reported
    /// before. Why: before the first token of a process only the store knows the account.
    ///
    /// - Parameters:
    ///   - found: the replaced record.
    ///   - record: the new record.
    func tellOfEnd(of found: StoredToken?, by record: StoredToken) {
        guard found?.login != record.login else { return }
        let (ended, generation) = state.withLock { state in
            let ended = state.account.ended
            state.account.ended = nil
            return (ended, state.machine.generation)
        }
        guard let ended, environment.store?.isDurable == true, let found,
            let account = found.account(of: key), account != ended.account
        else { return }
        let login = CredentialIdentity(key: ended.key, epoch: ended.epoch, account: account)
        tell(.signedOut, of: login, generation: generation)
    }
}

extension StoredToken {
    /// The account of the record's login in a durable store; `nil` after a sign-out, or if the login is not known.
    ///
    /// It consists of the first half of the key's digest, which does not reveal the key, and the login's random number.
    func account(of key: TokenKey) -> String? {
        content == .signedOut || login == 0 ? nil : Self.account(key, login: login)
    }

    /// The accounts of logins that have ended and may have left responses.
    func endedAccounts(of key: TokenKey) -> EndedAccounts {
        EndedAccounts(
            endedLogins.filter { $0 != 0 }.map { Self.account(key, login: $0) },
            hasOthers: endedLogins.contains(0))
    }

    fileprivate static func account(_ key: TokenKey, login: UInt64) -> String {
        CredentialIdentity.account(ofLogin: login, key: key.digest.prefix(32))
    }
}

extension TokenSlot.State {
    /// Whether a login is being stored for the first time. One that could not be stored is not waited for.
    fileprivate var isStoringLogin: Bool { unsaved.map { $0.login != nil && !$0.hasFailed } ?? false }

    /// The account of the current login; `nil` if there is no login, or no identifier that outlives the process.
    ///
    /// A login in a store takes precedence over a name: another process may have signed in another user.
    mutating func account(in slot: TokenSlot) -> String? {
        guard !machine.isSignedOut else { return nil }
        guard let store = slot.environment.store, store.isDurable else { return account.name }
        // A login that is not stored, and its cached responses, would be unknown to later processes.
        guard unsaved?.login == nil, let login = machine.stored?.login, login != 0 else { return nil }
        if let known = account.stored, known.login == login { return known.text }
        let text = StoredToken.account(slot.key, login: login)
        account.stored = (login, text)
        return text
    }
}
