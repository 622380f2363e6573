import GatewayCore

/// Asking the acquirer, and what outlives those who wait for it.
extension TokenSlot {
    /// How long a single-use request has after its deadline to end by itself: an answer that was received while the
    /// process was stopped is read before timers are looked at.
    static let settlingTime: Duration = .seconds(2)

    /// Asks for a grant. An answer without a refresh token leaves the old one in force (RFC 6749 §6).
    func acquire(
        _ flight: Machine.Flight, after previous: TokenGrant?, isRejected: Bool
    ) async -> Arrival {
        let isSingleUse = environment.acquirer.isSingleUse(after: previous)
        let request = TokenRequest(
            key: key, previous: previous, previousWasRejected: isRejected,
            deadline: Deadline(isSingleUse ? flight.exchangeDeadline : flight.deadline))
        let permission = state.withLock {
            $0.machine.beginExchange(flight, after: previous, isSingleUse: isSingleUse)
        }
        switch permission {
        case .granted: break
        case .withdrawn: return .failed(NetworkError(.cancelled, "The refresh was cancelled."))
        case .refused(let error): return .failed(error)
        }
        let sent = environment.clock.now
        // The process may have been stopped since: another one may have the lock by now.
        guard !request.deadline.hasPassed(at: sent) else {
            return .failed(
                NetworkError(
                    .tokenUnavailable, "The time limit of the refresh passed before the request was sent."))
        }
        var mayRepeat = true
        while true {
            do {
                var grant = try await environment.acquirer.acquire(request)
                grant.refreshToken = grant.refreshToken ?? previous?.refreshToken
                state.withLock { $0.machine.noteGrant(flight) }
                return .granted(grant)
            } catch {
                let failure = NetworkError(acquiring: error)
                let isInTime = sent.duration(to: environment.clock.now) < environment.policy.lostAnswerWindow
                guard failure.code == .tokenOutcomeUnknown, mayRepeat, isInTime, !Task.isCancelled else {
                    return .failed(failure)
                }
                mayRepeat = false
            }
        }
    }

    /// A flight's work has ended.
    func endExchange(_ flight: Machine.Flight) {
        state.withLock { $0.machine.endExchange(flight) }
        noteStored()
    }

    // MARK: Waiting until all is stored

    /// Returns when nothing is unsaved and no single-use request is under way, or an attempt to store has failed.
    func waitUntilStored(deadline: Deadline?) async throws(NetworkError) {
        while environment.store != nil {
            let place = state.withLock { state -> (Storing, Storing.WaiterID)? in
                if state.isSettled { return nil }
                let storing = state.storing ?? Storing(clock: environment.clock)
                state.storing = storing
                return (storing, storing.join(until: deadline))
            }
            guard let (storing, waiter) = place else { return }
            // After a success something may have been added: it checks again.
            switch await storing.outcome(of: waiter) {
            case .value(let result): try result.get()
            case .cancelled:
                throw NetworkError(.cancelled, "The task was cancelled while it waited for the token store.")
            case .expired:
                throw NetworkError(
                    .timeout, "The deadline passed before the token was stored. It is still being stored.",
                    phase: .call)
            }
        }
    }

    /// Tells those who wait, where all is stored.
    func noteStored() {
        let storing = state.withLock { $0.isSettled ? $0.takeStoring() : nil }
        storing?.land(.success(()))
    }

    /// Tells those who wait that an attempt to store has failed.
    func noteStoreFailure(_ error: NetworkError) {
        let storing = state.withLock { $0.takeStoring() }
        storing?.land(.failure(error))
    }
}

extension TokenSlot.State {
    /// Whether nothing is to be stored, now or with the answer to a request that is under way.
    var isSettled: Bool { unsaved == nil && machine.flight.flatMap(machine.exchange(of:)) == nil }

    /// Those who wait until everything is stored; others wait anew.
    fileprivate mutating func takeStoring() -> TokenSlot.Storing? {
        defer { storing = nil }
        return storing
    }
}
