import GatewayCore

/// Which calls are under way and who waits for them: a pure state machine, driven by ``CoalescingEngine``.
///
/// A flight is *open* from its departure until it ends, its last waiter leaves, or a call that may not join it
/// takes its place; only an open flight is joined. A waiter is in exactly one flight from ``join`` until it is
/// handed out by ``end``, ``leave`` or ``expire``, so each is resumed once.
struct FlightBoard<Waiter> {
    typealias FlightID = UInt64
    typealias WaiterID = UInt64

    private struct Seat {
        let waiter: Waiter
        let deadline: Deadline?
    }

    private struct Flight {
        let identity: RequestIdentity
        let minimumGeneration: UInt64
        let deadline: SharedDeadline
        var seats: [WaiterID: Seat]
        /// For when the driver was last told to call ``expire``.
        var alarm: ContinuousClock.Instant?
    }

    /// What the driver does after ``join``.
    enum JoinAction {
        /// Start the flight.
        case depart(FlightID, deadline: SharedDeadline)
        /// Nothing but to wait; and to call ``expire`` at the instant, where there is one.
        case board(FlightID, alarm: ContinuousClock.Instant?)
        /// The waiter had left before it came: hand it out.
        case turnAway(Waiter)
    }

    private var flights: [FlightID: Flight] = [:]
    private var open: [RequestIdentity: FlightID] = [:]
    private var seatedIn: [WaiterID: FlightID] = [:]
    private var leftEarly: Set<WaiterID> = []
    private var lastFlight: FlightID = 0

    var flightCount: Int { flights.count }
    var waiterCount: Int { seatedIn.count }

    func contains(_ flight: FlightID) -> Bool { flights[flight] != nil }

    /// Joins the open flight of the same identity, or departs with a new one.
    ///
    /// A call that wants generation m joins only a flight that was asked for at least m: a replay after a 401
    /// never shares the answer to the rejected token.
    mutating func join(
        _ identity: RequestIdentity, minimumGeneration: UInt64, deadline: Deadline?, id: WaiterID,
        waiter: Waiter
    ) -> JoinAction {
        if leftEarly.remove(id) != nil { return .turnAway(waiter) }
        let seat = Seat(waiter: waiter, deadline: deadline)
        if let flight = open[identity], let known = flights[flight]?.minimumGeneration,
            known >= minimumGeneration
        {
            seatedIn[id] = flight
            flights[flight]?.seats[id] = seat
            flights[flight]?.deadline.extend(to: deadline)
            return .board(flight, alarm: setAlarm(for: flight))
        }
        lastFlight += 1
        let shared = SharedDeadline(deadline)
        flights[lastFlight] = Flight(
            identity: identity, minimumGeneration: minimumGeneration, deadline: shared, seats: [id: seat])
        open[identity] = lastFlight
        seatedIn[id] = lastFlight
        return .depart(lastFlight, deadline: shared)
    }

    /// A waiter goes away, perhaps before it came. A flight that nobody is left in is over.
    mutating func leave(_ id: WaiterID) -> (waiter: Waiter?, abandoned: FlightID?) {
        guard let flight = seatedIn.removeValue(forKey: id) else {
            leftEarly.insert(id)
            return (nil, nil)
        }
        let seat = flights[flight]?.seats.removeValue(forKey: id)
        return (seat?.waiter, removeIfEmpty(flight))
    }

    /// A waiter that was handed out will not be named again.
    mutating func forget(_ id: WaiterID) { leftEarly.remove(id) }

    /// Everyone whose time is over leaves.
    mutating func expire(
        _ flight: FlightID, now: ContinuousClock.Instant
    ) -> (waiters: [Waiter], abandoned: FlightID?, alarm: ContinuousClock.Instant?) {
        guard let seats = flights[flight]?.seats else { return ([], nil, nil) }
        let due = seats.filter { $0.value.deadline?.hasPassed(at: now) == true }
        for id in due.keys {
            flights[flight]?.seats[id] = nil
            seatedIn[id] = nil
        }
        flights[flight]?.alarm = nil
        return (due.values.map(\.waiter), removeIfEmpty(flight), setAlarm(for: flight))
    }

    /// The flight ends; everyone who waits is handed out.
    mutating func end(_ flight: FlightID) -> [Waiter] {
        guard let ended = remove(flight) else { return [] }
        for id in ended.seats.keys { seatedIn[id] = nil }
        return ended.seats.values.map(\.waiter)
    }

    private mutating func removeIfEmpty(_ flight: FlightID) -> FlightID? {
        guard flights[flight]?.seats.isEmpty == true else { return nil }
        _ = remove(flight)
        return flight
    }

    private mutating func remove(_ flight: FlightID) -> Flight? {
        guard let removed = flights.removeValue(forKey: flight) else { return nil }
        if open[removed.identity] == flight { open[removed.identity] = nil }
        return removed
    }

    /// The earliest end of a waiter's time that comes before the flight's own, where no alarm stands for it yet.
    private mutating func setAlarm(for id: FlightID) -> ContinuousClock.Instant? {
        guard let flight = flights[id],
            let earliest = flight.seats.values.compactMap({ $0.deadline?.instant }).min()
        else { return nil }
        if let end = flight.deadline.current, end.instant <= earliest { return nil }
        if let alarm = flight.alarm, alarm <= earliest { return nil }
        flights[id]?.alarm = earliest
        return earliest
    }
}
