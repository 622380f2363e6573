import GatewayCore

/// Waiting while the token service is unavailable.
extension TokenSlot {
    /// Gets a token, or waits for one: for one flight, and for further ones after failures that may pass, as long as the
    /// policy's patience lasts. The pauses between flights are the slot's, so that waiting callers cause no request that a
    /// later caller would not have caused.
    ///
    /// A flight that cannot begin before the caller's deadline, or before its patience ends, is not waited for: the caller
    /// gets the failure at once, with the time until the next flight.
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

    /// Waits until the next flight may begin; throws the failure where that takes too long.
    private func pause(
        after error: NetworkError, came: ContinuousClock.Instant, deadline: Deadline?
    ) async throws(NetworkError) {
        let clock = environment.clock
        let patience = environment.policy.outagePatience
        // A lost response is not one of these: its refresh token is not sent again for a caller that waits.
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
            // A caller with more time that shares the call may go on from here.
            throw error.waiting(wait).with(unmetDelay: wait)
        }
        if next > now {
            do { try await clock.sleep(until: next) } catch { throw Self.cancelled }
        }
    }
}
