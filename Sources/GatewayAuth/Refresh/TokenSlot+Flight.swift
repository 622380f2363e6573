import GatewayCore

extension TokenSlot {
    /// Begins a flight. It belongs to nobody: it runs in a task of its own, without the task-local values or the
    /// deadline of whoever caused it, and ends when it has a result or its own time is up.
    func launch(_ flight: Machine.Flight) {
        tell(.refreshStarted(flight.reason), epoch: flight.epoch, generation: flight.generation)
        let held = HeldLock()
        let work = Task.detached { [self] in
            guard let store = environment.store else {
                let previous = state.withLock {
                    $0.machine.epoch == flight.epoch ? $0.machine.lastGrant : nil
                }
                land(flight, await acquire(flight, after: previous, isRejected: flight.knowsOfRejection))
                return
            }
            await fly(flight, over: store, holding: held)
        }
        let limit = Task.detached { [self] in
            do { try await environment.clock.sleep(until: flight.deadline) } catch { return }
            // First the slot is free, then the acquirer hears of it: it may not listen.
            land(
                flight,
                .failed(NetworkError(.tokenUnavailable, "The token provider did not answer in time.")))
            work.cancel()
            // What the flight may still bring is fenced off by the generation of the record.
            await giveBack(held)
        }
        Task.detached {
            await work.value
            limit.cancel()
        }
    }

    /// What a flight comes back with.
    enum Arrival {
        case granted(TokenGrant)
        /// From the store.
        case adopted(TokenGrant)
        case failed(NetworkError)
    }

    /// Asks for a grant. An answer without a refresh token leaves the old one in force (RFC 6749 §6).
    func acquire(
        _ flight: Machine.Flight, after previous: TokenGrant?, isRejected: Bool
    ) async -> Arrival {
        let request = TokenRequest(
            key: key, previous: previous, previousWasRejected: isRejected, deadline: Deadline(flight.deadline)
        )
        do {
            var grant = try await environment.acquirer.acquire(request)
            grant.refreshToken = grant.refreshToken ?? previous?.refreshToken
            return .granted(grant)
        } catch {
            return .failed(NetworkError(acquiring: error))
        }
    }

    func land(_ flight: Machine.Flight, _ arrival: Arrival) {
        let now = environment.clock.now
        let chance = environment.random.unit()
        var resumptions: [(Waiter, Answer)] = []
        let (landing, alarm, generation) = state.withLock { state in
            let landing =
                switch arrival {
                case .granted(let grant):
                    state.machine.granted(flight, grant, now: now, chance: chance)
                case .adopted(let grant):
                    state.machine.granted(flight, grant, sent: now, now: now, chance: chance)
                case .failed(let error):
                    state.machine.failed(flight, error, now: now, chance: chance)
                }
            switch landing {
            case .publish(let token, let waiters):
                let answer = Answer.success(lease(token, epoch: flight.epoch))
                resumptions = state.take(waiters).map { ($0, answer) }
            case .fail(let failure, _, let waiters, let served, let token):
                let answer = Answer.success(token.map { lease($0, epoch: flight.epoch) })
                resumptions =
                    state.take(waiters).map { ($0, .failure(failure.error)) }
                    + state.take(served).map { ($0, answer) }
            case .again, .discard: break
            }
            return (landing, state.takeIdleAlarm(), state.machine.generation)
        }
        alarm?.task.cancel()
        switch landing {
        case .publish(let token, _):
            let lifetime = now.duration(to: token.expiry)
            if case .adopted = arrival {
                tell(.adopted(lifetime: lifetime), epoch: flight.epoch, generation: generation)
            } else {
                tell(.refreshed(lifetime: lifetime), epoch: flight.epoch, generation: generation)
            }
        case .again(let next): launch(next)
        case .fail(let failure, let isPermanent, _, _, _):
            tell(
                .refreshFailed(
                    failure.error.code, isPermanent: isPermanent, retryAfter: failure.error.retryAfter),
                epoch: flight.epoch, generation: generation)
        case .discard:
            if case .granted = arrival {
                tell(.grantDiscarded, epoch: flight.epoch, generation: flight.generation)
            }
        }
        for (waiter, answer) in resumptions { waiter.resume(returning: answer) }
    }

    // MARK: Epochs

    /// Ends the epoch and all that belongs to it.
    func signOut(epoch: UInt64) {
        end(nil, epoch, .signedOut, storing: .signedOut) { $0.signOut(epoch: epoch) }
    }

    /// Begins an epoch.
    func signIn(_ grant: TokenGrant?, epoch: UInt64) {
        let now = environment.clock.now
        let chance = environment.random.unit()
        let content = grant.map {
            StoredToken.Content.granted(StoredToken.Grant($0, sent: environment.clock.unixTime))
        }
        end(nil, epoch, .signedIn, storing: content ?? .signedIn) {
            $0.signIn(grant, epoch: epoch, now: now, chance: chance)
        }
    }

    /// Begins an epoch for what another process has stored, unless the flight's is over.
    func follow(_ record: StoredToken, _ flight: Machine.Flight) {
        let (epoch, now) = (environment.epochs.next(), environment.clock.now)
        let (unixTime, chance) = (environment.clock.unixTime, environment.random.unit())
        let kind: TokenEvent.Kind = record.content == .signedOut ? .signedOut : .signedIn
        end(flight.epoch, epoch, kind, storing: nil) {
            $0.follow(record, epoch: epoch, now: now, unixTime: unixTime, chance: chance)
        }
    }

    /// - Parameters:
    ///   - ended: the epoch that ends; `nil` for whichever there is.
    ///   - content: what the store is to hold from now on; `nil` where it does.
    private func end(
        _ ended: UInt64?, _ epoch: UInt64, _ kind: TokenEvent.Kind, storing content: StoredToken.Content?,
        _ event: (inout Machine) -> [Machine.WaiterID]
    ) {
        let login = environment.random.next()
        var unneeded: (lock: Lock?, watchers: [StoreWatcher]) = (nil, [])
        var wider: [TokenKey: TokenSlot] = [:]
        let change = state.withLock { state -> ([Waiter], Alarm?, UInt64)? in
            if let ended, ended != state.machine.epoch { return nil }
            let waiters = state.take(event(&state.machine))
            (wider, state.wider) = (state.wider, [:])
            unneeded = state.enter(content, login: login)
            return (waiters, state.takeIdleAlarm(), state.machine.generation)
        }
        guard let (waiters, alarm, generation) = change else { return }
        for slot in wider.values { slot.signOut(epoch: environment.epochs.next()) }
        alarm?.task.cancel()
        tell(kind, epoch: epoch, generation: generation)
        for waiter in waiters { waiter.resume(returning: .failure(Machine.signedOut)) }
        letGo(unneeded.lock)
        for watcher in unneeded.watchers { watcher.resume(returning: nil) }
        if environment.store != nil, content != nil { startSaving() }
    }

    // MARK: Eviction

    /// How much would be lost with the slot: 0 little, 1 a refresh token, 2 the memory of a sign-out; `nil` while a
    /// flight is under way or something is not stored yet.
    var weight: Int? {
        state.withLock { state in
            guard state.unsaved == nil else { return nil }
            return switch state.machine.state {
            case .refreshing: nil
            case .signedOut: 2
            default: state.machine.lastGrant?.refreshToken == nil ? 0 : 1
            }
        }
    }

    /// Takes the slot out of use, unless a flight is under way.
    func retire() -> Bool {
        state.withLock { state in
            guard state.machine.flight == nil, state.waiters.isEmpty, state.unsaved == nil else {
                return false
            }
            state.isRetired = true
            return true
        }
    }
}
