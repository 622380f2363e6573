import GatewayCore

/// Single-use requests, on whose responses later refreshes depend.
extension TokenSlotStateMachine {
    /// A single-use request that may be in progress.
    struct Exchange {
        let flight: FlightID
        /// The refresh token that it sends; `nil` for a credential of the acquirer's own.
        let refreshToken: Secret?
        /// Whether its grant was received and is being stored.
        var hasGrant = false
    }

    /// Whether a flight may call its acquirer.
    enum Permission {
        case granted
        /// The flight was abandoned, or its epoch has ended.
        case withdrawn
        /// Another flight's request with the same refresh token may be in progress.
        case refused(NetworkError)
    }

    /// Registers a flight that is about to call its acquirer.
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

    /// Records that a flight's request has brought a grant, which is stored before the flight lands.
    mutating func noteGrant(_ flight: Flight) {
        for index in exchanges.indices where exchanges[index].flight == flight.id {
            exchanges[index].hasGrant = true
        }
    }

    /// Records that a flight's request has ended.
    mutating func endExchange(_ flight: Flight) { exchanges.removeAll { $0.flight == flight.id } }

    /// The single-use request of a flight, if one is in progress.
    func exchange(of flight: Flight) -> Exchange? { exchanges.first { $0.flight == flight.id } }

    // MARK: The callers' limit

    /// Handles the time limit of the callers. If a single-use request is in progress, the flight continues.
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

    /// The error for callers of an overdue flight. Its `retryAfter` grows with the time since the limit.
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

    /// Whether a waiter with this patience still waits for the overdue flight.
    func isWaitedFor(_ patience: ContinuousClock.Instant?, now: ContinuousClock.Instant) -> Bool {
        guard case .overdue = state, let patience else { return false }
        return now < patience
    }

    // MARK: Deadlines of waiters

    /// The waiters whose time has ended.
    struct Expiry {
        var late: [WaiterID] = []
        /// Their patience for an overdue flight has ended. They get ``error``.
        var impatient: [WaiterID] = []
        var error: NetworkError?
    }

    /// The earliest deadline of a waiter.
    var nextDeadline: ContinuousClock.Instant? { waiters.values.lazy.compactMap(end(of:)).min() }

    /// The deadline of one waiter.
    func deadline(of waiter: WaiterID) -> ContinuousClock.Instant? { waiters[waiter].flatMap(end(of:)) }

    private func end(of waiter: Waiter) -> ContinuousClock.Instant? {
        guard case .overdue = state, let patience = waiter.patience else { return waiter.deadline }
        return waiter.deadline.map { min($0, patience) } ?? patience
    }

    /// Removes the waiters whose time has ended.
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
