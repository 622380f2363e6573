import GatewayCore

/// How flights end.
extension TokenSlotStateMachine {
    enum Landing {
        /// The token is published; these get it.
        case publish(IssuedToken, to: [WaiterID])
        /// The flight brought the very token that was rejected meanwhile: this one follows, for the same waiters.
        case again(Flight)
        /// The flight failed. `served` get the token that is still good.
        case fail(Failure, isPermanent: Bool, waiters: [WaiterID], served: [WaiterID], token: IssuedToken?)
        /// The result belongs to nothing that is there any more.
        case discard
    }

    /// A flight brings a grant.
    ///
    /// - Parameter sent: from when its lifetime counts; `nil` for when the flight began.
    mutating func granted(
        _ flight: Flight, _ grant: TokenGrant, sent: ContinuousClock.Instant? = nil,
        now: ContinuousClock.Instant, chance: Double
    ) -> Landing {
        endExchange(flight)
        guard flight.epoch == epoch else { return .discard }
        if let current = self.flight {
            guard current.id == flight.id else { return .discard }
        } else {
            // A flight that was given up: good, unless another has brought a token since.
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

    /// A flight fails, or is given up.
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
            state = .dead(failure.error, token, recheck: recheck(now: now, chance: chance))
        } else {
            state = .failed(failure, token)
        }
        let served = takeServed(now: now)
        return .fail(
            failure, isPermanent: isPermanent, waiters: takeWaiters(), served: served, token: token)
    }

    /// Takes out those whom the token that is there still serves.
    mutating func takeServed(now: ContinuousClock.Instant) -> [WaiterID] {
        let served = waiters.filter { peek(atLeast: $0.value.floor, now: now) != nil }.map(\.key)
        for waiter in served { waiters[waiter] = nil }
        return served
    }
}
