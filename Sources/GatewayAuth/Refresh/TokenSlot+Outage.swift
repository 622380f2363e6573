import GatewayCore

/// Waiting while the token service is unavailable.
extension TokenSlot {
    /// Returns a token, and waits for flights if necessary: for one flight, and after transient failures for further
    /// flights within the patience of the policy. The slot determines the pauses between flights, so waiting callers
    /// cause no additional requests.
    ///
    /// If the next flight cannot start before the caller's deadline or the end of its patience, the error is thrown
    /// immediately, with the time until the next flight.
    @inline(never)
    func token(
        atLeast floor: UInt64, epoch: UInt64?, deadline: Deadline?
    ) async throws(NetworkError) -> TokenLease? {
        let came = environment.clock.now
        let patience = environment.policy.outagePatience
        while true {
            do {
                return try await tokenOfOneFlight(
                    atLeast: floor, epoch: epoch, deadline: deadline,
                    patience: patience > .zero ? came.adding(patience) : nil)
            } catch {
                try await pause(after: error, came: came, deadline: deadline)
            }
        }
    }

    /// Waits until the next flight may start, or throws the error if that takes too long.
    private func pause(
        after error: NetworkError, came: ContinuousClock.Instant, deadline: Deadline?
    ) async throws(NetworkError) {
        let clock = environment.clock
        let patience = environment.policy.outagePatience
        // A lost response is not a transient failure: its refresh token is not sent again for a waiting caller.
        guard patience > .zero, error.code == .tokenUnavailable || error.code == .tokenStoreFailed else {
            throw error
        }
        let now = clock.now
        let end = came.adding(patience)
        let next = state.withLock { state -> ContinuousClock.Instant in
            if case .failed(let failure, _) = state.machine.state { return failure.until }
            return now
        }
        let wait = max(now.duration(to: next), .zero)
        guard max(next, now) < end else { throw error.waiting(wait) }
        if let deadline, deadline.instant <= max(next, now) {
            // A caller with a later deadline that shares the call may continue from here.
            throw error.waiting(wait).with(unmetDelay: wait)
        }
        if next > now {
            do { try await clock.sleep(until: next) } catch { throw Self.cancelled }
        }
    }
}
