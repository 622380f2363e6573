import GatewayCore

/// Which calls are under way and who follows them: a pure state machine, driven by ``CoalescingEngine``.
///
/// A flight has a leader, whose call it is, and followers, who wait for its answer. It is *open* from its departure
/// until it ends or a call that may not join it takes its place; only an open flight is joined. A follower is in one
/// flight from ``follow`` until it is handed out by ``end``, ``leave`` or ``expire``: each is resumed once.
struct FlightBoard<Waiter> {
    typealias FlightID = UInt64
    typealias FollowerID = UInt64

    /// Where a follower sits.
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
        /// When the leader's time is over; followers whose time is over before need an alarm.
        var deadline: Deadline?
        var followers: [Follower] = []
        /// For when the driver was last told to call ``expire``.
        var alarm: ContinuousClock.Instant?
    }

    private var open: [RequestIdentity: Flight] = [:]
    /// Flights that others have taken the place of, as long as somebody follows them.
    private var replaced: [FlightID: Flight] = [:]
    private var lastID: UInt64 = 0

    /// When a flight's followers are looked after next; `nil` where no alarm stands for it.
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
    /// A call that wants generation m joins only a flight that was asked for at least m: a replay after a 401
    /// never shares the answer to the rejected token.
    ///
    /// - Returns: the flight that the caller leads now; `nil` where it is to ``follow``.
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

    /// What comes of ``follow``.
    enum FollowAction {
        /// Wait; call ``expire`` at the instant, where there is one.
        case wait(Seat, alarm: ContinuousClock.Instant?)
        /// The flight has ended meanwhile, and the caller leads one of its own.
        case lead(FlightID)
    }

    /// Joins the open flight, or begins one where it has ended.
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

    /// A follower goes away.
    mutating func leave(_ seat: Seat) -> Waiter? {
        withFlight(seat.identity, seat.flight) { flight in
            guard let index = flight.followers.firstIndex(where: { $0.id == seat.follower }) else {
                return nil
            }
            return flight.followers.remove(at: index).waiter
        } ?? nil
    }

    /// Everyone whose time is over leaves.
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

    /// The leader has an answer; everyone who follows is handed out.
    mutating func end(_ identity: RequestIdentity, flight id: FlightID) -> [Waiter] {
        guard let flight = remove(identity, id) else { return [] }
        return flight.followers.isEmpty ? [] : flight.followers.map { $0.waiter }
    }

    /// Who takes a flight over.
    struct Succession {
        let waiter: Waiter
        /// What the flight was asked for with; others may have joined it for that.
        let minimumGeneration: UInt64
        /// When to call ``expire``.
        let alarm: ContinuousClock.Instant?
    }

    /// The followers whose deadline is no later than an instant leave. An alarm that was set for them does no harm.
    mutating func leave(
        _ identity: RequestIdentity, flight id: FlightID, dueBy instant: ContinuousClock.Instant
    ) -> [Waiter] {
        withFlight(identity, id) { flight in
            let due = flight.followers.filter { $0.deadline?.hasPassed(at: instant) == true }
            flight.followers.removeAll { $0.deadline?.hasPassed(at: instant) == true }
            return due.map { $0.waiter }
        } ?? []
    }

    /// The leader ends without an answer that counts for all: a follower takes over.
    ///
    /// - Returns: the follower that leads the flight from now on, the one with the latest deadline; `nil` where there is
    ///   none, and the flight is over.
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

    /// The earliest end of a follower's time that comes before the leader's, where no alarm stands for it yet.
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
