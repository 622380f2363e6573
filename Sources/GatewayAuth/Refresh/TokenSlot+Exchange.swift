import GatewayCore

/// Calling the acquirer, and waiting until results are stored.
extension TokenSlot {
    /// The additional time after the deadline of a single-use request. Why: if the process was suspended, a response
    /// that was received in the meantime is read first.
    static let settlingTime: Duration = .seconds(2)

    /// Requests a grant. If a response has no refresh token, the previous one remains valid (RFC 6749 §6).
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
        // If the process was stopped, another process may have the lock now.
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

    /// Ends the work of a flight.
    func endExchange(_ flight: Machine.Flight) {
        state.withLock { $0.machine.endExchange(flight) }
        noteStored()
    }

    // MARK: Waiting until all is stored

    /// Waits until nothing is unsaved and no single-use request is in progress, or an attempt to store has failed.
    ///
    /// - Parameter isPending: whether there is something to wait for. Asked where the wait begins, under the lock of the state: an attempt
    ///   that has failed before would not end it.
    func waitUntilStored(
        deadline: Deadline?, while isPending: (State) -> Bool = { !$0.isSettled }
    ) async throws(NetworkError) {
        while environment.store != nil {
            let place = state.withLock { state -> (Storing, Storing.WaiterID)? in
                guard isPending(state) else { return nil }
                let storing = state.storing ?? Storing(clock: environment.clock)
                state.storing = storing
                return (storing, storing.join(until: deadline))
            }
            guard let (storing, waiter) = place else { return }
            // Something may have been added since, so check again.
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

    /// Resumes the waiting callers if everything is stored.
    func noteStored() {
        let storing = state.withLock { $0.isSettled ? $0.takeStoring() : nil }
        storing?.land(.success(()))
    }

    /// Resumes the waiting callers after an attempt to store has failed.
    func noteStoreFailure(_ error: NetworkError) {
        let storing = state.withLock { state in
            state.unsaved?.hasFailed = true
            return state.takeStoring()
        }
        storing?.land(.failure(error))
    }
}

extension TokenSlot.State {
    /// Whether there is nothing to store, now or after a request in progress.
    var isSettled: Bool { unsaved == nil && machine.flight.flatMap(machine.exchange(of:)) == nil }

    /// Removes the callers that wait until everything is stored.
    fileprivate mutating func takeStoring() -> TokenSlot.Storing? {
        defer { storing = nil }
        return storing
    }
}
