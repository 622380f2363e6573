import GatewayCore

extension TokenSlot {
    /// Starts a flight. It runs in a detached task, without the task-local values and the deadline of the caller that
    /// caused it, and ends with a result or at its own time limit.
    func launch(_ flight: Machine.Flight) {
        tell(.refreshStarted(flight.reason), epoch: flight.epoch, generation: flight.generation)
        let (held, trace) = (HeldLock(), RefreshTrace())
        requests.withLock { $0 = Requests(trace: trace) }
        let work = Task.detached { [self] in
            await RefreshTrace.$current.withValue(trace) { await fly(flight, holding: held) }
        }
        let limit = Task.detached { [self] in
            do {
                try await RefreshTrace.$current.withValue(trace) { try await limitTime(of: flight) }
            } catch { return }
            // The slot is already free: the acquirer may ignore cancellation.
            work.cancel()
            // A late result cannot overwrite a newer record, because records have generations.
            await giveBack(held)
        }
        let ended = Task.detached { [self] in
            await work.value
            limit.cancel()
            endExchange(flight)
            requests.withLock { if $0?.trace === trace { $0 = nil } }
        }
        requests.withLock { if $0?.trace === trace { $0?.ended = ended } }
    }

    private func fly(_ flight: Machine.Flight, holding held: HeldLock) async {
        if let store = environment.store { return await fly(flight, over: store, holding: held) }
        let previous = state.withLock {
            $0.machine.epoch == flight.epoch ? $0.machine.lastGrant : nil
        }
        let arrival = await acquire(flight, after: previous, isRejected: flight.knowsOfRejection)
        land(flight, arrival)
    }

    /// Waits until a flight has to be abandoned. Its callers were released before.
    ///
    /// - Throws: `CancellationError` if it need not be abandoned, because it has ended or its grant is being stored.
    private func limitTime(of flight: Machine.Flight) async throws {
        let clock = environment.clock
        try await clock.sleep(until: flight.deadline)
        land(flight, .timedOut)
        guard state.withLock({ $0.machine.exchange(of: flight) }) != nil else { return }
        try await clock.sleep(until: flight.exchangeDeadline)
        try await clock.sleep(until: clock.now + Self.settlingTime)
        guard let exchange = state.withLock({ $0.machine.exchange(of: flight) }), !exchange.hasGrant else {
            throw CancellationError()
        }
        land(
            flight,
            .failed(
                NetworkError(
                    .tokenOutcomeUnknown,
                    "The token request was sent, and no response came in time.")))
    }

    /// The result of a flight.
    enum Arrival {
        case granted(TokenGrant)
        /// A grant from the store.
        case adopted(TokenGrant)
        case failed(NetworkError)
        /// The time limit of the callers has passed.
        case timedOut
    }

    func land(_ flight: Machine.Flight, _ arrival: Arrival) {
        let now = environment.clock.now
        let chance = environment.random.unit()
        let (landing, next, generation, isOver, account) = state.withLock { state in
            let landing =
                switch arrival {
                case .granted(let grant):
                    state.machine.granted(flight, grant, now: now, chance: chance)
                case .adopted(let grant):
                    state.machine.granted(flight, grant, sent: now, now: now, chance: chance)
                case .failed(let error):
                    state.machine.failed(flight, error, now: now, chance: chance)
                case .timedOut:
                    state.machine.timedOut(flight, now: now, chance: chance)
                }
            let isOver = state.machine.epoch != flight.epoch
            return (
                landing, state.machine.nextDeadline, state.machine.generation, isOver,
                state.account(in: self)
            )
        }
        // Deadlines after the end of the flight had no alarm. Waiters may now stay for an overdue flight or for the
        // next one.
        if let next { setAlarm(at: next) }
        switch landing {
        case .publish(let token, _):
            tellOfToken(token, arrival, epoch: flight.epoch, now: now)
            if case .granted = arrival, token.generation == 1 { noteFirstToken(at: now, epoch: flight.epoch) }
        case .again(let next): launch(next)
        case .fail(let failure, let isPermanent, _, _, _):
            tell(
                .refreshFailed(
                    FailureCause(credential: failure.error), isPermanent: isPermanent,
                    attempt: failure.count, retryAfter: failure.error.retryAfter),
                epoch: flight.epoch, generation: generation)
        case .discard:
            if case .granted(let grant) = arrival {
                tell(.grantDiscarded, epoch: flight.epoch, generation: flight.generation)
                // A late grant of the same login may share its refresh token with the published one, so it is not
                // revoked.
                if isOver { revoke(grant, epoch: flight.epoch) }
            }
        }
        tellWaiters(landing, epoch: flight.epoch, account: account)
        noteStored()
    }

    private func tellWaiters(_ landing: Machine.Landing, epoch: UInt64, account: String?) {
        switch landing {
        case .publish(let token, let waiters):
            tell(.success(lease(token, epoch: epoch, account: account)), to: waiters)
        case .fail(let failure, _, let waiters, let served, let token):
            tell(.failure(failure.error), to: waiters)
            tell(.success(token.map { lease($0, epoch: epoch, account: account) }), to: served)
        case .again, .discard: break
        }
    }

    /// Sends the events about a published token and its differences from the request.
    private func tellOfToken(
        _ token: IssuedToken, _ arrival: Arrival, epoch: UInt64, now: ContinuousClock.Instant
    ) {
        let lifetime = now.duration(to: token.expiry)
        let renewal = max(now.duration(to: token.advisory), .zero)
        let grant: TokenGrant
        switch arrival {
        case .granted(let granted):
            grant = granted
            tell(
                .refreshed(lifetime: lifetime, renewal: renewal), epoch: epoch, generation: token.generation)
        case .adopted(let adopted):
            grant = adopted
            tell(.adopted(lifetime: lifetime, renewal: renewal), epoch: epoch, generation: token.generation)
        case .failed, .timedOut: return
        }
        let longest = environment.policy.longestLifetime
        if let issued = grant.expiresIn, issued > longest {
            tell(.lifetimeLimited(issued: issued, used: longest), epoch: epoch, generation: token.generation)
        }
        // Only scope names from our configuration, none from the server.
        let missing = grant.scopes.map { granted in key.scopes.filter { !granted.contains($0) } } ?? []
        if !missing.isEmpty {
            tell(.scopesNarrowed(missing: missing), epoch: epoch, generation: token.generation)
        }
    }

    // MARK: Eviction

    /// The cost of removing the slot: 0 low, 1 a refresh token is lost, 2 a sign-out is forgotten. `nil` while a flight
    /// is in progress or something is not stored yet.
    var weight: Int? {
        state.withLock { state in
            guard state.unsaved == nil, state.machine.exchanges.isEmpty else { return nil }
            return switch state.machine.state {
            case .refreshing, .overdue: nil
            case .signedOut(recheck: nil): 2
            default: state.machine.lastGrant?.refreshToken == nil ? 0 : 1
            }
        }
    }

    /// Retires the slot, unless it is in use.
    func retire() -> Bool {
        state.withLock { state in
            guard state.machine.flight == nil, state.machine.exchanges.isEmpty,
                state.machine.waiterCount == 0,
                state.unsaved == nil
            else { return false }
            state.isRetired = true
            return true
        }
    }
}
