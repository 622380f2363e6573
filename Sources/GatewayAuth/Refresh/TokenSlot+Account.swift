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
        /// Whether what ended logins have left was looked for.
        var isFinishing = false

        /// - Returns: whether that was not done before.
        mutating func beginFinishing() -> Bool {
            defer { isFinishing = true }
            return !isFinishing
        }
    }

    /// Learns the account of the login in a durable store, unless it was read before; of a sign-in when it is stored, unless that has
    /// failed. A store that fails is read again by the next
    /// flight.
    func readAccount() async {
        if state.withLock({ $0.isStoringLogin && !$0.machine.isSignedOut }) {
            try? await waitUntilStored(deadline: nil)
        }
        guard let store = environment.store, store.isDurable,
            state.withLock({ $0.machine.stored?.login == nil && !$0.machine.isSignedOut }),
            let record = try? await store.load(key), record.content != .lost, record.account(of: key) != nil
        else { return }
        state.withLock { state in
            // Somebody may have signed in or out here meanwhile.
            guard state.machine.stored?.login == nil, !state.machine.isSignedOut else { return }
            state.machine.stored?.login = record.login
        }
    }

    /// Tells of the login that a sign-out or sign-in of this process has ended in the store, unless that was told when it ended:
    /// before the first token of a process only the store knows the account.
    ///
    /// - Parameters:
    ///   - found: what the store held.
    ///   - record: what has replaced it.
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
    /// It is the first half of the key's digest, which tells nobody whose it is, and the login's random number.
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

    /// The account of the current login; `nil` if nobody is signed in, or nothing that outlives the process identifies it.
    ///
    /// A login in a store comes before a name: another process may have signed in somebody else there.
    mutating func account(in slot: TokenSlot) -> String? {
        guard !machine.isSignedOut else { return nil }
        guard let store = slot.environment.store, store.isDurable else { return account.name }
        // After the process nobody would know a login that is not stored, nor what it has left.
        guard unsaved?.login == nil, let login = machine.stored?.login, login != 0 else { return nil }
        if let known = account.stored, known.login == login { return known.text }
        let text = StoredToken.account(slot.key, login: login)
        account.stored = (login, text)
        return text
    }
}
