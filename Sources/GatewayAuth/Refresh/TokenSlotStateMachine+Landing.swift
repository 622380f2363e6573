import GatewayCore

/// How flights end.
extension TokenSlotStateMachine {
    enum Landing {
        /// The token is published and given to these waiters.
        case publish(IssuedToken, to: [WaiterID])
        /// The flight returned the token that was rejected in the meantime. This flight follows, for the same waiters.
        case again(Flight)
        /// The flight failed. The waiters in `served` get the existing token, which is still valid.
        case fail(Failure, isPermanent: Bool, waiters: [WaiterID], served: [WaiterID], token: IssuedToken?)
        /// The result is ignored, because its epoch has ended or a newer token exists.
        case discard
    }

    /// Handles the grant of a flight.
    ///
    /// - Parameter sent: the start of the token's lifetime; `nil` for the start of the flight.
    mutating func granted(
        _ flight: Flight, _ grant: TokenGrant, sent: ContinuousClock.Instant? = nil,
        now: ContinuousClock.Instant, chance: Double
    ) -> Landing {
        endExchange(flight)
        guard flight.epoch == epoch else { return .discard }
        if let current = self.flight {
            guard current.id == flight.id else { return .discard }
        } else {
            // The grant of an abandoned flight is used, unless another flight has brought a token since.
            guard generation == flight.generation else { return .discard }
        }
        lastGrant = grant
        stored?.lasting = nil
        if let token, token.generation == rejectedGeneration, !flight.knowsOfRejection,
            token.accessToken == grant.accessToken, self.flight != nil
        {
            return .again(enter(.rejected, failures: flight.failures, now: now))
        }
        let issued: IssuedToken
        do throws(NetworkError) {
            issued = try IssuedToken(
                grant, generation: generation + 1, sent: sent ?? flight.began, now: now, policy: policy,
                chance: chance)
        } catch {
            return self.flight == nil ? .discard : fail(flight, error, now: now, chance: chance)
        }
        generation += 1
        state = .holding(issued)
        return .publish(issued, to: takeWaiters())
    }

    /// Handles the failure of a flight, or its abandonment.
    mutating func failed(
        _ flight: Flight, _ error: NetworkError, now: ContinuousClock.Instant, chance: Double
    ) -> Landing {
        endExchange(flight)
        guard self.flight?.id == flight.id else { return .discard }
        return fail(flight, error, now: now, chance: chance)
    }

    private mutating func fail(
        _ flight: Flight, _ error: NetworkError, now: ContinuousClock.Instant, chance: Double
    ) -> Landing {
        let count = flight.failures + 1
        let wait = policy.backoff(failures: count, retryAfter: error.retryAfter, chance: chance)
        let isPermanent = error.endsTheEpoch
        let failure = Failure(
            error: isPermanent ? error : error.waiting(wait), until: now.adding(wait), count: count)
        let token = token
        if isPermanent {
            stored?.fail(error)
            let next = recheck(now: now, chance: chance)
            // The store has no newer record than that of the sign-out.
            state = error.code == .signedOut ? .signedOut(recheck: next) : .dead(error, token, recheck: next)
        } else {
            state = .failed(failure, token)
        }
        let served = takeServed(now: now)
        return .fail(
            failure, isPermanent: isPermanent, waiters: takeWaiters(), served: served, token: token)
    }

    /// Removes the waiters for which the existing token is sufficient.
    mutating func takeServed(now: ContinuousClock.Instant) -> [WaiterID] {
        let served = waiters.filter { peek(atLeast: $0.value.floor, now: now) != nil }.map(\.key)
        for waiter in served { waiters[waiter] = nil }
        return served
    }
}
