import GatewayCore

extension TokenSlot {
    /// Begins a flight. It belongs to nobody: it runs in a task of its own, without the task-local values or the
    /// deadline of whoever caused it, and ends when it has a result or its own time is up.
    func launch(_ flight: Machine.Flight) {
        tell(.refreshStarted(flight.reason), epoch: flight.epoch, generation: flight.generation)
        let previous = state.withLock { $0.machine.epoch == flight.epoch ? $0.machine.lastGrant : nil }
        let request = TokenRequest(
            key: key, previous: previous, previousWasRejected: flight.knowsOfRejection,
            deadline: Deadline(flight.deadline))
        let environment = environment
        let work = Task.detached { [self] in
            do {
                land(flight, .success(try await environment.acquirer.acquire(request)))
            } catch {
                land(flight, .failure(NetworkError(acquiring: error)))
            }
        }
        let limit = Task.detached { [self] in
            do { try await environment.clock.sleep(until: flight.deadline) } catch { return }
            // First the slot is free, then the acquirer hears of it: it may not listen.
            land(
                flight,
                .failure(
                    NetworkError(.tokenUnavailable, "The token provider did not answer in time.")))
            work.cancel()
        }
        Task.detached {
            await work.value
            limit.cancel()
        }
    }

    private func land(_ flight: Machine.Flight, _ result: Result<TokenGrant, NetworkError>) {
        let now = environment.clock.now
        let chance = environment.random.unit()
        var resumptions: [(Waiter, Answer)] = []
        let (landing, alarm, generation) = state.withLock { state in
            let landing =
                switch result {
                case .success(let grant):
                    state.machine.granted(flight, grant, now: now, chance: chance)
                case .failure(let error):
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
            tell(
                .refreshed(lifetime: now.duration(to: token.expiry)), epoch: flight.epoch,
                generation: generation)
        case .again(let next): launch(next)
        case .fail(let failure, let isPermanent, _, _, _):
            tell(
                .refreshFailed(
                    failure.error.code, isPermanent: isPermanent, retryAfter: failure.error.retryAfter),
                epoch: flight.epoch, generation: generation)
        case .discard:
            if case .success = result {
                tell(.grantDiscarded, epoch: flight.epoch, generation: flight.generation)
            }
        }
        for (waiter, answer) in resumptions { waiter.resume(returning: answer) }
    }

    // MARK: Epochs

    /// Ends the epoch and all that belongs to it.
    func signOut(epoch: UInt64) {
        end(epoch, .signedOut) { $0.signOut(epoch: epoch) }
    }

    /// Begins an epoch.
    func signIn(_ grant: TokenGrant?, epoch: UInt64) {
        let now = environment.clock.now
        let chance = environment.random.unit()
        end(epoch, .signedIn) { $0.signIn(grant, epoch: epoch, now: now, chance: chance) }
    }

    private func end(
        _ epoch: UInt64, _ kind: TokenEvent.Kind, _ event: (inout Machine) -> [Machine.WaiterID]
    ) {
        let (waiters, alarm, generation) = state.withLock { state in
            let waiters = state.take(event(&state.machine))
            return (waiters, state.takeIdleAlarm(), state.machine.generation)
        }
        alarm?.task.cancel()
        tell(kind, epoch: epoch, generation: generation)
        for waiter in waiters { waiter.resume(returning: .failure(Machine.signedOut)) }
    }

    // MARK: Eviction

    /// How much would be lost with the slot: 0 little, 1 a refresh token, 2 the memory of a sign-out; `nil` while a
    /// flight is under way.
    var weight: Int? {
        state.withLock { state in
            switch state.machine.state {
            case .refreshing: nil
            case .signedOut: 2
            default: state.machine.lastGrant?.refreshToken == nil ? 0 : 1
            }
        }
    }

    /// Takes the slot out of use, unless a flight is under way.
    func retire() -> Bool {
        state.withLock { state in
            guard state.machine.flight == nil, state.waiters.isEmpty else { return false }
            state.isRetired = true
            return true
        }
    }
}
