import GatewayCore

@testable import GatewayAuth

/// A slot's state machine with three callers whose token was rejected, and with the flights that have not reported yet.
struct SlotWorld {
    typealias Machine = TokenSlotStateMachine

    enum Event: Hashable {
        /// A caller is answered 401 and asks for a newer token.
        case rejection(Int)
        case cancellation(Int)
        /// A flight asks its acquirer.
        case asked(Int)
        /// A flight brings a new token, or the very one that it began with.
        case granted(Int, isNew: Bool)
        case failed(Int)
        case failedForGood(Int)
        /// The callers' limit of a flight has passed. Its acquirer may answer all the same.
        case timedOut(Int)
        /// The limit of a single-use request has passed. Its acquirer may answer all the same.
        case givenUp(Int)
        case signOut, signIn
        /// Somebody needs a token of the new login.
        case newcomer
        /// The pause after a failure is over.
        case cooled
    }

    enum Caller: Hashable, Comparable {
        case sending, waiting, served(UInt64), failed(String), cancelled
    }

    /// How a world begins.
    enum Beginning: CaseIterable {
        /// A token is there, and each caller was rejected with it.
        case holding
        /// Besides, a refresh that knows nothing of a rejection is under way.
        case renewing
    }

    /// What was seen on the way, by name.
    static let sights: Set<String> = [
        "rejection", "cancellation", "granted", "granted the same", "failed", "failed for good", "timed out",
        "sign-out", "sign-in", "cooled", "late grant", "late grant of another login", "late failure",
        "served",
        "joined", "began a flight", "refused", "published to many", "again", "failed many", "discarded",
        "nobody waited", "asked", "withdrawn", "kept from sending a refresh token again", "overdue",
        "overdue, of another login", "late grant in time", "given up", "waited patiently",
    ]

    /// Which of the worlds it is.
    enum Kind: CaseIterable {
        /// Requests are single-use.
        case singleUse
        /// Besides, the third caller has the patience to wait for a flight that is overdue.
        case patient
        /// Requests can be repeated.
        case repeatable
    }

    static let patient = 2

    var machine: Machine
    var now: ContinuousClock.Instant
    var callers = [Caller](repeating: .sending, count: 3)
    let epoch: UInt64 = 1
    var nextEpoch: UInt64 = 100
    var flights: [Machine.Flight] = []
    /// Flights that were given up, but whose acquirer may still answer.
    var stragglers: Set<UInt64> = []
    let kind: Kind
    var isSingleUse: Bool { kind != .repeatable }
    /// The flights that have asked, with the refresh token that they sent.
    var requests: [UInt64: String] = [:]
    /// Flights whose callers' limit has passed while a single-use request goes on.
    var overdue: Set<UInt64> = []
    var launched = 0
    var lastGeneration: UInt64 = 1
    /// How many of those who were served may be rejected once more.
    var furtherRejections: Int
    var hasNewcomer = false
    var hasSignedOut = false
    var hasSignedIn = false
    /// The first rule that was broken.
    var flaw: String?
    var seen: Set<String> = []

    init(_ beginning: Beginning = .holding, _ kind: Kind = .singleUse) {
        self.kind = kind
        furtherRejections =
            switch kind {
            case .singleUse: 1
            case .patient: 0
            case .repeatable: 2
            }
        now = .now
        machine = Machine(policy: TokenRefreshPolicy(), epoch: 1)
        guard case .wait(let first?) = machine.demand(nil, atLeast: 0, deadline: nil, now: now) else {
            flaw = "an empty slot begins a flight"
            return
        }
        let grant = TokenGrant(accessToken: Secret("t0"), expiresIn: .seconds(3600))
        _ = machine.granted(first, grant, now: now, chance: 0)
        if beginning == .renewing {
            now += .seconds(3400)
            guard case .serve(_, let start?) = machine.demand(nil, atLeast: 0, deadline: nil, now: now) else {
                flaw = "a token that nears its end is served while it is renewed"
                return
            }
            launch(start)
        }
    }

    /// What can happen next.
    var events: [Event] {
        var events: [Event] = []
        for (index, caller) in callers.enumerated() {
            switch caller {
            case .sending: events.append(.rejection(index))
            case .waiting: events.append(.cancellation(index))
            case .served where furtherRejections > 0: events.append(.rejection(index))
            default: break
            }
        }
        for (index, flight) in flights.enumerated() {
            if requests[flight.id] == nil {
                events.append(.asked(index))
                if !stragglers.contains(flight.id) { events.append(.failed(index)) }
            } else {
                events += [.failed(index), .granted(index, isNew: true), .failedForGood(index)]
                if flight.generation == 1 { events.append(.granted(index, isNew: false)) }
            }
            if overdue.contains(flight.id) {
                events.append(.givenUp(index))
            } else if !stragglers.contains(flight.id) {
                events.append(.timedOut(index))
            }
        }
        if !hasSignedOut { events.append(.signOut) }
        if hasSignedOut, !hasSignedIn { events.append(.signIn) }
        if hasSignedIn, !hasNewcomer, kind == .singleUse { events.append(.newcomer) }
        if case .failed(let failure, _) = machine.state, now < failure.until { events.append(.cooled) }
        return events
    }

    // MARK: Events

    mutating func apply(_ event: Event) {
        seen = []
        switch event {
        case .rejection(let caller): reject(caller)
        case .cancellation(let caller):
            seen.insert("cancellation")
            let flight = machine.flight
            machine.leave(UInt64(caller))
            callers[caller] = .cancelled
            if machine.flight != flight { note("who leaves takes no flight along") }
        case .asked(let index): ask(index)
        case .granted(let index, let isNew): grant(index, isNew: isNew)
        case .failed(let index): fail(index, .tokenUnavailable)
        case .failedForGood(let index): fail(index, .reauthenticationRequired)
        case .timedOut(let index): timeOut(flights[index])
        case .givenUp(let index):
            seen.insert("given up")
            let flight = flights[index]
            overdue.remove(flight.id)
            stragglers.insert(flight.id)
            land(
                machine.failed(flight, NetworkError(.tokenOutcomeUnknown, ""), now: now, chance: 0),
                of: flight, "token_outcome_unknown")
            if machine.flight?.id == flight.id { note("a flight that is given up frees the slot") }
        case .signOut:
            seen.insert("sign-out")
            hasSignedOut = true
            enter { machine, epoch, _ in machine.signOut(epoch: epoch) }
            if machine.token != nil || machine.lastGrant != nil { note("signed out means empty") }
        case .signIn:
            seen.insert("sign-in")
            hasSignedIn = true
            enter { machine, epoch, now in machine.signIn(nil, epoch: epoch, now: now, chance: 0) }
        case .newcomer:
            hasNewcomer = true
            if case .wait(let start) = machine.demand(nil, atLeast: 0, deadline: nil, now: now) {
                launch(start)
            }
        case .cooled:
            seen.insert("cooled")
            now += .seconds(60)
        }
        check()
    }

    private mutating func reject(_ caller: Int) {
        seen.insert("rejection")
        let rejected: UInt64
        if case .served(let generation) = callers[caller] {
            rejected = generation
            furtherRejections -= 1
        } else {
            rejected = 1
        }
        guard machine.epoch == epoch else {
            callers[caller] = .failed("signed_out")
            return
        }
        let (newest, launchedBefore) = (machine.generation, launched)
        let mayBegin =
            switch machine.state {
            case .dead, .signedOut, .overdue: false
            case .failed(let failure, _): now >= failure.until
            default: true
            }
        let isThere = machine.peek(atLeast: rejected + 1, now: now) != nil
        _ = machine.reject(rejected, epoch: epoch)
        let patience = kind == .patient && caller == Self.patient ? now + .seconds(86_400) : nil
        let demand = machine.demand(
            UInt64(caller), atLeast: rejected + 1, deadline: nil, patience: patience, now: now)
        if case .overdue = machine.state, case .wait = demand { seen.insert("waited patiently") }
        switch demand {
        case .serve(let token, let start):
            seen.insert("served")
            callers[caller] = .served(token.generation)
            if token.generation <= rejected { note("nobody gets the rejected token again") }
            launch(start)
        case .wait(let start):
            callers[caller] = .waiting
            seen.insert(start == nil ? "joined" : "began a flight")
            launch(start)
        case .fail:
            seen.insert("refused")
            callers[caller] = .failed("refused")
        }
        if isThere, launched > launchedBefore { note("what is there already is not asked for") }
        if !mayBegin, launched > launchedBefore {
            note("nobody asks in a pause, or after a failure that lasts")
        }
        if isThere, callers[caller] == .waiting { note("an older generation is answered at once") }
        if machine.generation != newest { note("asking publishes nothing") }
    }

    private mutating func grant(_ index: Int, isNew: Bool) {
        let flight = remove(index)
        seen.insert(isNew ? "granted" : "granted the same")
        let isOver = flight.epoch != machine.epoch
        if flight.id != machine.flight?.id {
            seen.insert(isOver ? "late grant of another login" : "late grant")
        }
        let (generation, last) = (machine.generation, machine.lastGrant?.accessToken)
        let hasNewer = flight.generation != generation
        let token = TokenGrant(
            accessToken: Secret(isNew ? "t\(flight.id)" : "t0"), expiresIn: .seconds(3600),
            refreshToken: Secret("r\(flight.id)"))
        let isLateInTime = overdue.contains(flight.id) && !isOver
        overdue.remove(flight.id)
        let landing = machine.granted(flight, token, now: now, chance: 0)
        land(landing, of: flight, nil)
        if isLateInTime {
            seen.insert("late grant in time")
            if case .discard = landing { note("the late answer to a single-use request is used") }
        }
        if isOver || hasNewer, machine.generation != generation || machine.lastGrant?.accessToken != last {
            note("what belongs to another login, or comes after something newer, changes nothing")
        }
        if !isNew, case .publish = landing, machine.rejectedGeneration == 1, flight.knowsOfRejection == false,
            generation == 1, flights.isEmpty, stragglers.isEmpty, machine.token?.accessToken == Secret("t0"),
            callers.contains(where: { $0 == .served(2) })
        {
            note("the rejected token is not given out as a newer one")
        }
    }

    private mutating func fail(_ index: Int, _ code: NetworkError.Code) {
        seen.insert(code == .tokenUnavailable ? "failed" : "failed for good")
        end(index, code)
    }

    /// A flight's work ends with a failure.
    mutating func end(_ index: Int, _ code: NetworkError.Code) {
        let flight = remove(index)
        overdue.remove(flight.id)
        let isCurrent = flight.id == machine.flight?.id
        if !isCurrent { seen.insert("late failure") }
        let before = fingerprint
        land(machine.failed(flight, NetworkError(code, ""), now: now, chance: 0), of: flight, code.name)
        if !isCurrent, fingerprint != before { note("only the flight of the slot fails it") }
        if isCurrent, code == .reauthenticationRequired {
            guard case .dead = machine.state else { return note("a failure that lasts is kept") }
        }
    }

    private mutating func enter(
        _ event: (inout Machine, UInt64, ContinuousClock.Instant) -> [Machine.WaiterID]
    ) {
        nextEpoch += 1
        let waiting = callers.indices.filter { callers[$0] == .waiting }
        for waiter in event(&machine, nextEpoch, now) { settle(waiter, .failed("signed_out")) }
        if machine.epoch != nextEpoch { note("a login or logout begins an epoch") }
        if waiting.contains(where: { callers[$0] == .waiting }) { note("nobody waits across a logout") }
    }

    private mutating func launch(_ flight: Machine.Flight?) {
        guard let flight else { return }
        launched += 1
        flights.append(flight)
        // What can come before the request is the same in all worlds.
        if kind != .singleUse { ask(flights.count - 1) }
    }

    mutating func remove(_ index: Int) -> Machine.Flight {
        let flight = flights.remove(at: index)
        stragglers.remove(flight.id)
        requests[flight.id] = nil
        return flight
    }

    mutating func land(_ landing: Machine.Landing, of flight: Machine.Flight, _ code: String?) {
        let waiting = callers.count { $0 == .waiting }
        switch landing {
        case .publish(let token, let waiters):
            if token.generation <= lastGeneration { note("generations only grow") }
            if flight.epoch != machine.epoch { note("nothing of another login is published") }
            lastGeneration = token.generation
            seen.insert(waiters.isEmpty ? "nobody waited" : waiters.count > 1 ? "published to many" : "")
            for waiter in waiters { settle(waiter, .served(token.generation)) }
            if waiters.count != waiting { note("a token is for all who wait") }
        case .fail(let failure, _, let waiters, let served, let token):
            if waiters.count > 1 { seen.insert("failed many") }
            if failure.error.code.name != code { note("a failure is told as it is") }
            for waiter in waiters { settle(waiter, .failed(failure.error.code.name)) }
            for waiter in served { settle(waiter, .served(token?.generation ?? 0)) }
            let isPatient =
                kind == .patient && callers[Self.patient] == .waiting && overdue.contains(flight.id)
            if waiters.count + served.count != waiting - (isPatient ? 1 : 0) {
                note("a failure is for all who wait")
            }
        case .again(let next):
            seen.insert("again")
            if !next.knowsOfRejection { note("the second flight knows of the rejection") }
            launch(next)
        case .discard: seen.insert("discarded")
        }
    }

    private mutating func settle(_ waiter: UInt64, _ caller: Caller) {
        if callers[Int(waiter)] != .waiting { note("a caller is answered once, while it waits") }
        callers[Int(waiter)] = caller
    }
}
