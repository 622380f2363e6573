import GatewayCore

/// Waiting while no token can be had just now.
extension TokenSlot {
    /// Gets a token, or waits for one: for one flight, and where the policy has patience for further ones after failures
    /// that may pass. The pauses between them are those that everybody keeps, so that whoever waits here causes no request
    /// that a later caller would not have caused.
    ///
    /// Nobody waits for a flight that cannot begin before his deadline, or before the patience is at its end: he gets the
    /// failure at once, with how long there is to wait.
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

    /// Waits until the next flight may begin; throws the failure where that is not to be waited for.
    private func pause(
        after error: NetworkError, came: ContinuousClock.Instant, deadline: Deadline?
    ) async throws(NetworkError) {
        let clock = environment.clock
        let patience = environment.policy.outagePatience
        // An answer that was lost is none of these: its refresh token is not sent again for somebody who waits.
        guard patience > .zero, error.code == .tokenUnavailable || error.code == .tokenStoreFailed else {
            throw error
        }
        let now = clock.now
        let end = min(came.adding(patience), deadline?.instant ?? came.adding(patience))
        let next = state.withLock { state -> ContinuousClock.Instant in
            if case .failed(let failure, _) = state.machine.state { return failure.until }
            return now
        }
        guard max(next, now) < end else { throw error.waiting(max(now.duration(to: next), .zero)) }
        if next > now {
            do { try await clock.sleep(until: next) } catch { throw Self.cancelled }
        }
    }
}
