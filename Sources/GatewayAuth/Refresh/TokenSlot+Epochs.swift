import GatewayCore

/// Sign-ins and sign-outs.
extension TokenSlot {
    /// Ends the epoch.
    ///
    /// - Parameter isRevoking: whether its grants are revoked at their issuer, too.
    func signOut(epoch: UInt64, revoking isRevoking: Bool = false) {
        var last: (grant: TokenGrant, epoch: UInt64)?
        end(nil, epoch, .signedOut, storing: .signedOut, revoking: isRevoking) { machine in
            last = machine.lastGrant.map { ($0, machine.epoch) }
            return machine.signOut(epoch: epoch)
        }
        if isRevoking, let last { revoke(last.grant, epoch: last.epoch) }
    }

    /// Ends the epoch by a sign-out that this process has stored past the slot, unless somebody has signed in since.
    ///
    /// - Parameters:
    ///   - epoch: the epoch before the sign-out.
    ///   - record: the sign-out; `nil` if the store has no record, so that this one is stored.
    /// - Returns: the last grant of the login; `nil` if there was none here.
    func signOut(of epoch: UInt64, by record: StoredToken?) -> TokenGrant? {
        let current = state.withLock { state -> UInt64? in
            let now = state.machine.epoch
            if now != epoch, state.unsaved?.login != nil { return nil }
            guard let record else {
                return state.machine.lastGrant == nil && state.unsaved == nil ? nil : now
            }
            let isKnown = state.machine.stored.map { $0.generation >= record.generation } ?? false
            return isKnown && (now != epoch || state.machine.isSignedOut) ? nil : now
        }
        guard let current else { return nil }
        let (next, now) = (TokenEnvironment.nextEpoch(), environment.clock.now)
        let (unixTime, chance) = (environment.clock.unixTime, environment.random.unit())
        var last: TokenGrant?
        end(current, next, .signedOut, storing: record == nil ? .signedOut : nil, revoking: true) { machine in
            last = machine.lastGrant
            guard let record else { return machine.signOut(epoch: next) }
            return machine.follow(record, epoch: next, now: now, unixTime: unixTime, chance: chance)
        }
        return last
    }

    /// Revokes a grant at its issuer in the background, best effort. A token that is in use is not revoked,
    /// because some issuers return the same token again.
    func revoke(_ grant: TokenGrant, epoch: UInt64) {
        let current = state.withLock { $0.machine.lastGrant }
        guard grant.accessToken != current?.accessToken,
            grant.refreshToken.map({ $0 != current?.refreshToken }) ?? true
        else { return }
        let deadline = Deadline.after(environment.policy.timeout, clock: environment.clock)
        Task.detached { [self] in
            do {
                try await environment.acquirer.revoke(grant, deadline: deadline)
            } catch {
                tell(
                    .revocationFailed(FailureCause(credential: NetworkError(acquiring: error))), epoch: epoch,
                    generation: state.withLock { $0.machine.generation })
            }
        }
    }

    /// Begins an epoch.
    ///
    /// - Parameter account: the account name.
    func signIn(_ grant: TokenGrant?, epoch: UInt64, account: String? = nil) {
        let now = environment.clock.now
        let chance = environment.random.unit()
        let content = grant.map {
            StoredToken.Content.granted(StoredToken.Grant($0, sent: environment.clock.unixTime))
        }
        end(nil, epoch, .signedIn, storing: content ?? .signedIn, account: account) {
            $0.signIn(grant, epoch: epoch, now: now, chance: chance)
        }
    }

    /// Begins an epoch for a record that another process has stored, unless the flight's epoch has ended.
    func follow(_ record: StoredToken, _ flight: Machine.Flight) {
        let (epoch, now) = (TokenEnvironment.nextEpoch(), environment.clock.now)
        let (unixTime, chance) = (environment.clock.unixTime, environment.random.unit())
        let kind: TokenEvent.Kind = record.content == .signedOut ? .signedOut : .signedIn
        end(flight.epoch, epoch, kind, storing: nil) {
            $0.follow(record, epoch: epoch, now: now, unixTime: unixTime, chance: chance)
        }
    }

    /// - Parameters:
    ///   - ended: the epoch that ends; `nil` for the current one.
    ///   - content: the content to store; `nil` if it is already stored.
    ///   - account: the name of the account that begins.
    ///   - isRevoking: whether tokens with additional scopes are revoked at their issuer.
    private func end(
        _ ended: UInt64?, _ epoch: UInt64, _ kind: TokenEvent.Kind, storing content: StoredToken.Content?,
        account: String? = nil, revoking isRevoking: Bool = false,
        _ event: (inout Machine) -> [Machine.WaiterID]
    ) {
        let login = environment.random.next()
        var unneeded: Lock?
        var wider: [TokenKey: TokenSlot] = [:]
        let change = state.withLock { state -> ([Machine.WaiterID], UInt64, CredentialIdentity, Bool)? in
            if let ended, ended != state.machine.epoch { return nil }
            let last = CredentialIdentity(
                key: key.canonical, epoch: state.machine.epoch, account: state.account(in: self))
            let isLive = state.isLive(last)
            let lastLogin = state.machine.isSignedOut ? nil : state.machine.stored?.login
            let waiters = event(&state.machine)
            (wider, state.wider) = (state.wider, [:])
            unneeded = state.enter(content, login: login, ending: lastLogin)
            state.account.name = account
            if content != nil, state.account.ended == nil { state.account.ended = last }
            // A login whose account name stays the same does not end.
            let isEnded = isLive && (last.account == nil || last.account != state.account(in: self))
            return (waiters, state.machine.generation, last, isEnded)
        }
        guard let (waiters, generation, last, isEnded) = change else { return }
        for slot in wider.values { slot.signOut(epoch: TokenEnvironment.nextEpoch(), revoking: isRevoking) }
        if case .signedOut = kind {
            tell(kind, of: last, generation: generation)
        } else {
            if isEnded { tell(.signedOut, of: last, generation: generation) }
            tell(kind, epoch: epoch, generation: generation)
        }
        tell(.failure(Machine.signedOut), to: waiters)
        letGo(unneeded)
        noteStored()
        if environment.store != nil, content != nil { startSaving() }
    }
}

extension TokenSlot.State {
    /// Whether there is a login, as far as this process knows.
    fileprivate func isLive(_ login: CredentialIdentity) -> Bool {
        !machine.isSignedOut && (login.account != nil || machine.generation > 0)
    }
}
