import GatewayCore

/// Single-use requests, whose answer later refreshes depend on.
extension TokenSlotStateMachine {
    /// A single-use request that may be under way.
    struct Exchange {
        let flight: FlightID
        /// What it sends; `nil` for what the acquirer has by itself.
        let refreshToken: Secret?
        /// Whether its grant is there, and is being stored.
        var hasGrant = false
    }

    /// Whether a flight may ask its acquirer.
    enum Permission {
        case granted
        /// The flight was given up, or its epoch is over.
        case withdrawn
        /// Another flight's request with the same refresh token may be under way.
        case refused(NetworkError)
    }

    /// A flight is about to ask its acquirer.
    mutating func beginExchange(
        _ flight: Flight, after previous: TokenGrant?, isSingleUse: Bool
    ) -> Permission {
        guard self.flight?.id == flight.id else { return .withdrawn }
        guard isSingleUse else { return .granted }
        endExchange(flight)
        let refreshToken = previous?.refreshToken
        guard !exchanges.contains(where: { $0.refreshToken == refreshToken }) else {
            return .refused(
                NetworkError(
                    .tokenOutcomeUnknown,
                    "A request of an earlier sign-in with the same refresh token is under way. Try again later."
                ))
        }
        exchanges.append(Exchange(flight: flight.id, refreshToken: refreshToken))
        return .granted
    }

    /// A flight's request has brought a grant, which is stored before it lands.
    mutating func noteGrant(_ flight: Flight) {
        for index in exchanges.indices where exchanges[index].flight == flight.id {
            exchanges[index].hasGrant = true
        }
    }

    /// A flight's request is over.
    mutating func endExchange(_ flight: Flight) { exchanges.removeAll { $0.flight == flight.id } }

    /// The flight's single-use request, if there is one under way.
    func exchange(of flight: Flight) -> Exchange? { exchanges.first { $0.flight == flight.id } }

    // MARK: The callers' limit

    /// The callers' limit of a flight has passed. Where a single-use request is under way the flight goes on.
    mutating func timedOut(_ flight: Flight, now: ContinuousClock.Instant, chance: Double) -> Landing {
        guard case .refreshing(let current, let token) = state, current.id == flight.id else {
            return .discard
        }
        guard exchange(of: flight) != nil else {
            return failed(
                flight,
                NetworkError(
                    .tokenUnavailable, .unavailable,
                    "The token service is unavailable: no response came in time."),
                now: now, chance: chance)
        }
        state = .overdue(current, token)
        let error = overdue(flight, now: now)
        let served = takeServed(now: now)
        let waiters = waiters.filter { !isWaitedFor($0.value.patience, now: now) }.map(\.key)
        for waiter in waiters { self.waiters[waiter] = nil }
        return .fail(
            Failure(error: error, until: flight.exchangeDeadline, count: flight.failures + 1),
            isPermanent: false, waiters: waiters, served: served, token: token)
    }

    /// What callers get while a flight is overdue. The pause grows with the time that it is.
    func overdue(_ flight: Flight, now: ContinuousClock.Instant) -> NetworkError {
        let pause = min(
            max(flight.deadline.duration(to: now), policy.initialBackoff),
            max(now.duration(to: flight.exchangeDeadline), policy.initialBackoff))
        return NetworkError(
            .tokenOutcomeUnknown,
            "The token request was sent, and no response came in time. The response is still awaited, and no other "
                + "request is sent meanwhile.",
            retryAfter: pause)
    }

    /// Whether somebody with so much patience waits for the flight, which is overdue.
    func isWaitedFor(_ patience: ContinuousClock.Instant?, now: ContinuousClock.Instant) -> Bool {
        guard case .overdue = state, let patience else { return false }
        return now < patience
    }

    // MARK: Deadlines of those who wait

    /// Those whose time is up.
    struct Expiry {
        var late: [WaiterID] = []
        /// They have no patience left for an overdue flight, and get the error.
        var impatient: [WaiterID] = []
        var error: NetworkError?
    }

    /// When the time of the next waiter is up.
    var nextDeadline: ContinuousClock.Instant? { waiters.values.lazy.compactMap(end(of:)).min() }

    /// When the time of one waiter is up.
    func deadline(of waiter: WaiterID) -> ContinuousClock.Instant? { waiters[waiter].flatMap(end(of:)) }

    private func end(of waiter: Waiter) -> ContinuousClock.Instant? {
        guard case .overdue = state, let patience = waiter.patience else { return waiter.deadline }
        return waiter.deadline.map { min($0, patience) } ?? patience
    }

    /// Takes out those whose time is up.
    mutating func expire(now: ContinuousClock.Instant) -> Expiry {
        var expiry = Expiry()
        for (id, waiter) in waiters {
            if let deadline = waiter.deadline, deadline <= now {
                expiry.late.append(id)
            } else if case .overdue(let flight, _) = state, !isWaitedFor(waiter.patience, now: now) {
                expiry.impatient.append(id)
                expiry.error = overdue(flight, now: now)
            }
        }
        for id in expiry.late + expiry.impatient { waiters[id] = nil }
        return expiry
    }
}
