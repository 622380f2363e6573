import GatewayCore

/// The joinable calls in progress: the pure state of ``CoalescingEngine``.
///
/// A flight has a leader, which makes the call, and followers, which wait for its response. It is *open*
/// from its start until it ends, is replaced by a call that may not join it, or is closed by a change. Only
/// an open flight can be joined.
struct FlightBoard<Value: Sendable> {
    typealias FlightID = UInt64
    typealias Followers = SharedFlight<Value>

    private struct Flight {
        let id: FlightID
        /// The identity of the leader's call, with its context.
        var leader: RequestIdentity
        let minimumGeneration: UInt64
        /// `nil` before the first follower: most flights have none.
        var followers: Followers?
    }

    /// The open flights by the digest of their identity, which is compared faster. If two requests had the
    /// same digest, which is extremely unlikely, the later one would replace the other.
    private var open: [Int: Flight] = [:]
    /// The flights that were replaced or closed, and have not ended.
    private var replaced: [FlightID: Flight] = [:]
    private var lastID: FlightID = 0

    var flightCount: Int { open.count + replaced.count }
    var followerCount: Int {
        func count(_ flights: some Sequence<Flight>) -> Int {
            flights.reduce(0) { $0 + ($1.followers?.waiterCount ?? 0) }
        }
        return count(open.values) + count(replaced.values)
    }

    /// Begins a flight, unless there is one to join.
    ///
    /// A call with the minimum generation m joins only a flight with a minimum generation of at least m: a replay after a
    /// 401 never shares the response to the rejected token.
    ///
    /// - Returns: the flight that the caller leads; `nil` if it must ``follow``.
    mutating func depart(_ identity: RequestIdentity, _ context: RequestContext) -> FlightID? {
        lastID += 1
        let minimumGeneration = context.minimumGeneration
        let flight = Flight(id: lastID, leader: identity, minimumGeneration: minimumGeneration)
        guard let known = open.updateValue(flight, forKey: identity.digest) else { return flight.id }
        if known.leader == identity, known.minimumGeneration >= minimumGeneration {
            open[identity.digest] = known
            return nil
        }
        replaced[known.id] = known
        return flight.id
    }

    /// The result of ``follow``.
    enum FollowAction {
        /// Wait for the outcome of the leader's call, whose priority may have risen.
        case wait(FlightID, Followers, Followers.WaiterID, leader: RequestContext, isRaised: Bool)
        /// The flight has already ended; the caller leads a new one.
        case lead(FlightID)
    }

    /// Joins the open flight, or begins one if it has ended. A follower of a higher priority raises that of the leader.
    mutating func follow(
        _ identity: RequestIdentity, _ context: RequestContext, clock: any GatewayClock
    ) -> FollowAction {
        let new = depart(identity, context)
        guard new == nil, var flight = open[identity.digest] else { return .lead(new ?? lastID) }
        let followers = flight.followers ?? Followers(clock: clock, limit: flight.leader.context.deadline)
        flight.followers = followers
        open[identity.digest] = flight
        let leader = flight.leader.context
        let isRaised = leader.raisePriority(to: context.priority)
        let follower = followers.join(until: context.deadline, priority: context.priority)
        return .wait(flight.id, followers, follower, leader: leader, isRaised: isRaised)
    }

    /// Closes the open flights to a URI. Their followers still get the responses.
    mutating func close(_ origin: Origin, _ target: String) {
        for (digest, flight) in open where flight.leader.isRequest(to: origin, target) {
            open[digest] = nil
            replaced[flight.id] = flight
        }
    }

    /// The appointed follower leads from now on.
    ///
    /// - Returns: the minimum generation of the flight, which calls that have joined it rely on.
    mutating func lead(_ flight: FlightID, _ identity: RequestIdentity, _ context: RequestContext) -> UInt64 {
        withFlight(flight, identity) { flight in
            flight.leader = identity
            if let priority = flight.followers?.priority { context.raisePriority(to: priority) }
            return flight.minimumGeneration
        } ?? 0
    }

    /// The followers that wait for a flight; `nil` if there are none, and the flight has ended.
    mutating func endUnlessFollowed(_ flight: FlightID, _ identity: RequestIdentity) -> Followers? {
        let followers = withFlight(flight, identity) { $0.followers } ?? nil
        if let followers, followers.waiterCount > 0 { return followers }
        _ = end(flight, identity)
        return nil
    }

    /// Ends a flight.
    ///
    /// - Returns: its followers, if it had any.
    mutating func end(_ id: FlightID, _ identity: RequestIdentity) -> Followers? {
        guard let flight = open.removeValue(forKey: identity.digest) else {
            return replaced.removeValue(forKey: id)?.followers
        }
        if flight.id == id { return flight.followers }
        open[identity.digest] = flight
        return replaced.removeValue(forKey: id)?.followers
    }

    private mutating func withFlight<Result>(
        _ id: FlightID, _ identity: RequestIdentity, _ body: (inout Flight) -> Result
    ) -> Result? {
        if var flight = open[identity.digest], flight.id == id {
            defer { open[identity.digest] = flight }
            return body(&flight)
        }
        guard var flight = replaced[id] else { return nil }
        defer { replaced[id] = flight }
        return body(&flight)
    }
}
