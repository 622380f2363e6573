import GatewayCore

/// A refresh with a store: read, lock, read again, call the acquirer, store, publish.
extension TokenSlot {
    /// The wait for the lock ends shortly before the flight's limit, so that the error names the lock.
    private static let waitingPart = 0.9

    /// Performs the flight, and releases the lock at its end.
    func fly(_ flight: Machine.Flight, over store: any TokenStore, holding held: HeldLock) async {
        do throws(NetworkError) {
            try await look(flight, store, held)
        } catch {
            await giveBack(held)
            land(flight, .failed(error))
        }
        await giveBack(held)
    }

    private func look(
        _ flight: Machine.Flight, _ store: any TokenStore, _ held: HeldLock
    ) async throws(NetworkError) {
        let seen = try await load(store)
        switch act(on: seen, flight) {
        case .ask, .lost: break
        case .adopt, .follow, .fail, .discard: return
        }
        try await lock(flight, store, held)
        // A sign-in that is not stored yet is stored first; if that fails, the store's record is outdated.
        await saveOnce()
        var mayLookAgain = true
        while true {
            let record = try await load(store)
            let reading = act(on: record, flight)
            if case .lost(let error) = reading {
                await noteLoss(over: record, flight, store)
                throw error
            }
            guard case .ask(let previous, let isRejected) = reading else { return }
            try await prepare(flight, after: record, previous, held)
            // A previous holder that lost the lock may have stored its grant since.
            guard try await load(store)?.generation == record?.generation else { continue }
            let sent = environment.clock.unixTime
            switch await acquire(flight, after: previous, isRejected: isRejected) {
            case .granted(let grant):
                await keep(
                    grant, spending: previous?.refreshToken, sent: sent, replacing: record, flight, store,
                    held)
                return
            case .failed(let error):
                // Another process may have used the refresh token and stored the next one.
                guard mayLookAgain, error.code == .reauthenticationRequired,
                    let newer = try? await load(store), newer.generation > (record?.generation ?? 0)
                else { throw error }
                mayLookAgain = false
            case .adopted, .timedOut: return
            }
        }
    }

    /// Checks, before the request is sent, that its grant can be stored.
    private func prepare(
        _ flight: Machine.Flight, after record: StoredToken?, _ previous: TokenGrant?, _ held: HeldLock
    ) async throws(NetworkError) {
        let known = state.withLock { $0.machine.stored?.generation ?? 0 }
        guard StoredToken.generation(after: record?.generation ?? 0, known) <= StoredToken.lastGeneration
        else { throw .storeFailed("The generation of the token record is out of range.") }
        let end =
            environment.acquirer.isSingleUse(after: previous)
            ? Deadline(flight.exchangeDeadline + Self.settlingTime) : nil
        do { try await held.prepare(until: end) } catch { throw Self.failure(error) }
    }

    /// Stores a record in place of the lost one, so that later processes detect the loss. A login of another process is
    /// not replaced.
    private func noteLoss(
        over record: StoredToken?, _ flight: Machine.Flight, _ store: any TokenStore
    ) async {
        let note = state.withLock { state -> StoredToken? in
            guard state.machine.epoch == flight.epoch, let known = state.machine.stored,
                known.generation > 0, record?.content != .lost,
                record == nil || record?.login == known.login
            else { return nil }
            return StoredToken(
                key: key,
                generation: StoredToken.generation(after: record?.generation ?? 0, known.generation),
                login: known.login ?? 0, content: .lost, endedLogins: record?.endedLogins ?? [])
        }
        // If this fails, the loss is still known in this process.
        if let note { _ = try? await store.store(note, for: key, replacing: record?.generation ?? 0) }
    }

    private func load(_ store: any TokenStore) async throws(NetworkError) -> StoredToken? {
        do { return try await store.load(key) } catch { throw Self.failure(error) }
    }

    /// The error of the store, as callers receive it.
    static func failure(_ error: NetworkError) -> NetworkError {
        switch error.code {
        case .tokenStoreFailed, .cancelled: error
        // An incorrect configuration of the store may be corrected while the process runs, and requires no sign-in.
        default:
            NetworkError(
                .tokenStoreFailed, "The token store cannot be used: " + error.message, underlying: error)
        }
    }

    private func lock(
        _ flight: Machine.Flight, _ store: any TokenStore, _ held: HeldLock
    ) async throws(NetworkError) {
        let kept = state.withLock { state -> Lock? in
            defer { state.unsaved?.lock = nil }
            return state.unsaved?.lock
        }
        let lock: any TokenStoreLock
        if let kept, kept.isHeld {
            lock = kept
        } else {
            await kept?.release()
            let wait = flight.began.duration(to: flight.deadline) * Self.waitingPart
            do {
                lock = try await store.lock(key, deadline: Deadline(flight.began + wait))
            } catch {
                throw Self.failure(error)
            }
        }
        if !held.put(lock) { await giveBack(lock) }
    }

    /// Releases a flight's lock, unless the key has an unsaved value.
    func giveBack(_ held: HeldLock) async {
        if let lock = held.take(closing: true) { await giveBack(lock) }
    }

    private func giveBack(_ lock: Lock) async {
        let isKept = state.withLock { state -> Bool in
            guard let unsaved = state.unsaved, unsaved.lock == nil, unsaved.replaces != nil else {
                return false
            }
            state.unsaved?.lock = lock
            return true
        }
        if !isKept { await lock.release() }
    }

    /// Acts on a record that was read, unless the acquirer must be called.
    private func act(on record: StoredToken?, _ flight: Machine.Flight) -> Machine.Reading {
        let unixTime = environment.clock.unixTime
        let reading = state.withLock { state in
            state.machine.read(
                record, for: flight, isOutdated: state.unsaved?.login != nil, unixTime: unixTime)
        }
        switch reading {
        case .adopt(let grant): land(flight, .adopted(grant))
        case .follow(let record): follow(record, flight)
        case .fail(let error): land(flight, .failed(error))
        case .ask, .lost, .discard: break
        }
        return reading
    }

    // MARK: Storing what was granted

    /// Stores a grant, then publishes it. It is published even if storing fails, because the previous refresh token is
    /// used up.
    private func keep(
        _ grant: TokenGrant, spending spent: Secret?, sent: Duration, replacing record: StoredToken?,
        _ flight: Machine.Flight, _ store: any TokenStore, _ held: HeldLock
    ) async {
        var record = record
        while true {
            guard let next = next(after: record, .granted(StoredToken.Grant(grant, sent: sent)), flight)
            else {
                // A sign-in or sign-out has happened.
                return land(flight, .granted(grant))
            }
            do throws(NetworkError) {
                let isStored = try await store.store(
                    next, for: key, replacing: record?.generation ?? 0)
                let found = isStored ? next : try await store.load(key)
                if found == next {
                    tellOfEnd(of: record, by: next)
                    saved(next)
                    // Before callers are resumed: if the process exits then, an extended lock would remain.
                    await giveBack(held)
                    finishEndedLogins(of: next)
                    return land(flight, .granted(grant))
                }
                guard found != record else { throw .storeRefuses }
                // This grant replaces a lost record. A record with the used refresh token was stored late, by this
                // process.
                let isSpent = spent != nil && found?.grant?.refreshToken == spent
                if found == nil || found?.content == .lost || isSpent {
                    record = found
                    continue
                }
                return overtaken(by: found, grant, flight)
            } catch {
                remember(next, replacing: record?.generation ?? 0, flight, held)
                land(flight, .granted(grant))
                startSaving(after: Self.failure(error))
                return
            }
        }
    }

    /// Another process has stored a record during the request: that record is used.
    private func overtaken(by record: StoredToken?, _ grant: TokenGrant, _ flight: Machine.Flight) {
        tell(.grantDiscarded, epoch: flight.epoch, generation: flight.generation)
        switch act(on: record, flight) {
        case .lost(let error): land(flight, .failed(error))
        case .ask:
            land(
                flight,
                .failed(.storeFailed("Another process renewed the token, and it has already expired.")))
        // The login has ended: the grant is not needed any more.
        case .follow, .discard: revoke(grant, epoch: flight.epoch)
        case .adopt, .fail: break
        }
    }

    /// The next record; `nil` if the flight's epoch has ended.
    private func next(
        after record: StoredToken?, _ content: StoredToken.Content, _ flight: Machine.Flight
    ) -> StoredToken? {
        let fresh = environment.random.next()
        // A lost record may not contain its login.
        let known = record.flatMap { $0.content == .lost && $0.login == 0 ? nil : $0.login }
        let keepsEnded = environment.keepsEndedLogins
        return state.withLock { state in
            guard state.machine.epoch == flight.epoch, let stored = state.machine.stored else { return nil }
            let login = state.unsaved?.login ?? known ?? stored.login ?? fresh
            return StoredToken(
                key: key,
                generation: StoredToken.generation(after: record?.generation ?? 0, stored.generation),
                login: login, content: content,
                endedLogins: state.endedLogins(replacing: record, by: login, isKept: keepsEnded))
        }
    }
}
