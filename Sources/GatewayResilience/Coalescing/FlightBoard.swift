import GatewayCore

/// The calls in progress and their followers: a pure state machine, driven by ``CoalescingEngine``.
///
/// A flight has a leader, which makes the call, and followers, which wait for its response. It is *open* from its start
/// until it ends or is replaced by a call that may not join it; only an open flight can be joined. A follower belongs to
/// one flight from ``follow`` until ``end``, ``leave``, ``expire`` or ``resign`` returns it: each is resumed once.
struct FlightBoard<Waiter> {
    typealias FlightID = UInt64
    typealias FollowerID = UInt64

    /// The place of a follower in a flight.
    struct Seat: Hashable {
        let identity: RequestIdentity
        let flight: FlightID
        let follower: FollowerID
    }

    private struct Follower {
        let id: FollowerID
        let waiter: Waiter
        let deadline: Deadline?
    }

    private struct Flight {
        let id: FlightID
        let minimumGeneration: UInt64
        /// The leader's deadline; followers with an earlier one need an alarm.
        var deadline: Deadline?
        var followers: [Follower] = []
        /// The instant for which the driver was last told to call ``expire``.
        var alarm: ContinuousClock.Instant?
    }

    private var open: [RequestIdentity: Flight] = [:]
    /// Flights that were replaced by others and have not ended.
    private var replaced: [FlightID: Flight] = [:]
    private var lastID: UInt64 = 0

    /// The alarm of a flight; `nil` if none is set.
    func alarm(of identity: RequestIdentity, flight: FlightID) -> ContinuousClock.Instant? {
        if let current = open[identity], current.id == flight { return current.alarm }
        return replaced[flight]?.alarm
    }

    var flightCount: Int { open.count + replaced.count }
    var followerCount: Int {
        open.values.reduce(0) { $0 + $1.followers.count }
            + replaced.values.reduce(0) { $0 + $1.followers.count }
    }

    /// Begins a flight, unless there is one to join.
    ///
    /// A call with the minimum generation m joins only a flight with a minimum generation of at least m: a replay after a
    /// 401 never shares the response to the rejected token.
    ///
    /// - Returns: the flight that the caller leads; `nil` if it must ``follow``.
    mutating func depart(
        _ identity: RequestIdentity, minimumGeneration: UInt64, deadline: Deadline?
    ) -> FlightID? {
        lastID += 1
        let flight = Flight(id: lastID, minimumGeneration: minimumGeneration, deadline: deadline)
        guard let known = open.updateValue(flight, forKey: identity) else { return flight.id }
        guard known.minimumGeneration < minimumGeneration else {
            open[identity] = known
            return nil
        }
        replaced[known.id] = known
        return flight.id
    }

    /// The result of ``follow``.
    enum FollowAction {
        /// Wait; call ``expire`` at the instant, if there is one.
        case wait(Seat, alarm: ContinuousClock.Instant?)
        /// The flight has already ended; the caller leads a new one.
        case lead(FlightID)
    }

    /// Joins the open flight, or begins one if it has ended.
    mutating func follow(
        _ identity: RequestIdentity, minimumGeneration: UInt64, deadline: Deadline?, waiter: Waiter
    ) -> FollowAction {
        if let flight = depart(identity, minimumGeneration: minimumGeneration, deadline: deadline) {
            return .lead(flight)
        }
        lastID += 1
        let follower = Follower(id: lastID, waiter: waiter, deadline: deadline)
        open[identity]?.followers.append(follower)
        let seat = Seat(identity: identity, flight: open[identity]?.id ?? 0, follower: follower.id)
        return .wait(seat, alarm: setAlarm(for: identity, flight: seat.flight))
    }

    /// Removes a follower.
    mutating func leave(_ seat: Seat) -> Waiter? {
        withFlight(seat.identity, seat.flight) { flight in
            guard let index = flight.followers.firstIndex(where: { $0.id == seat.follower }) else {
                return nil
            }
            return flight.followers.remove(at: index).waiter
        } ?? nil
    }

    /// Removes the followers whose deadline has passed.
    mutating func expire(
        _ identity: RequestIdentity, flight id: FlightID, now: ContinuousClock.Instant
    ) -> (waiters: [Waiter], alarm: ContinuousClock.Instant?) {
        let due = withFlight(identity, id) { flight in
            let due = flight.followers.filter { $0.deadline?.hasPassed(at: now) == true }
            flight.followers.removeAll { $0.deadline?.hasPassed(at: now) == true }
            flight.alarm = nil
            return due.map { $0.waiter }
        }
        return (due ?? [], setAlarm(for: identity, flight: id))
    }

    /// Ends a flight and returns its followers.
    mutating func end(_ identity: RequestIdentity, flight id: FlightID) -> [Waiter] {
        guard let flight = remove(identity, id) else { return [] }
        return flight.followers.isEmpty ? [] : flight.followers.map { $0.waiter }
    }

    /// The follower that takes over a flight.
    struct Succession {
        let waiter: Waiter
        /// The minimum generation of the flight; others may have joined it because of that.
        let minimumGeneration: UInt64
        /// When to call ``expire``.
        let alarm: ContinuousClock.Instant?
    }

    /// Removes the followers whose deadline is no later than an instant. An alarm that was set for them has no effect.
    mutating func leave(
        _ identity: RequestIdentity, flight id: FlightID, dueBy instant: ContinuousClock.Instant
    ) -> [Waiter] {
        withFlight(identity, id) { flight in
            let due = flight.followers.filter { $0.deadline?.hasPassed(at: instant) == true }
            flight.followers.removeAll { $0.deadline?.hasPassed(at: instant) == true }
            return due.map { $0.waiter }
        } ?? []
    }

    /// Ends the leader's part without a response for all: a follower takes over.
    ///
    /// - Returns: the follower that leads the flight from now on, the one with the latest deadline; `nil` if there is none
    ///   and the flight has ended.
    mutating func resign(_ identity: RequestIdentity, flight id: FlightID) -> Succession? {
        var generation: UInt64 = 0
        let successor = withFlight(identity, id) { flight -> Follower? in
            guard
                let index = flight.followers.indices.max(by: { a, b in
                    Self.hasLess(flight.followers[a].deadline, flight.followers[b].deadline)
                })
            else { return nil }
            let successor = flight.followers.remove(at: index)
            flight.deadline = successor.deadline
            generation = flight.minimumGeneration
            return successor
        }
        guard let successor = successor.flatMap({ $0 }) else {
            _ = remove(identity, id)
            return nil
        }
        return Succession(
            waiter: successor.waiter, minimumGeneration: generation,
            alarm: setAlarm(for: identity, flight: id))
    }

    private static func hasLess(_ a: Deadline?, _ b: Deadline?) -> Bool {
        guard let a else { return false }
        return b.map { a < $0 } ?? true
    }

    private mutating func withFlight<Result>(
        _ identity: RequestIdentity, _ id: FlightID, _ body: (inout Flight) -> Result
    ) -> Result? {
        if open[identity]?.id == id, var flight = open[identity] {
            open[identity] = nil
            defer { open[identity] = flight }
            return body(&flight)
        }
        guard var flight = replaced.removeValue(forKey: id) else { return nil }
        defer { replaced[id] = flight }
        return body(&flight)
    }

    private mutating func remove(_ identity: RequestIdentity, _ id: FlightID) -> Flight? {
        guard let flight = open.removeValue(forKey: identity) else { return replaced.removeValue(forKey: id) }
        if flight.id == id { return flight }
        open[identity] = flight
        return replaced.removeValue(forKey: id)
    }

    /// Sets the alarm to the earliest deadline of a follower that is before the leader's; `nil` if it is already set.
    private mutating func setAlarm(
        for identity: RequestIdentity, flight id: FlightID
    ) -> ContinuousClock.Instant? {
        withFlight(identity, id) { flight in
            guard let earliest = flight.followers.compactMap({ $0.deadline?.instant }).min() else {
                return nil
            }
            if let end = flight.deadline, end.instant <= earliest { return nil }
            if let alarm = flight.alarm, alarm <= earliest { return nil }
            flight.alarm = earliest
            return earliest
        } ?? nil
    }
}
