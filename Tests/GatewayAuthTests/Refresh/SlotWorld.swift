import GatewayCore

@testable import GatewayAuth

/// A slot's state machine with three callers whose token was rejected, and with the flights that have not reported yet.
struct SlotWorld {
    typealias Machine = TokenSlotStateMachine

    enum Event {
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

    enum Caller: Equatable {
        case sending, waiting, served(UInt64)
        /// Failed or cancelled.
        case ended
    }

    /// A flight that has not reported yet.
    struct Pending {
        let flight: Machine.Flight
        /// The refresh token that its request sends; `nil` before it has asked.
        var request: String?
        /// The callers' limit has passed while its single-use request goes on.
        var isOverdue = false
        /// It was given up, but its acquirer may still answer.
        var isStraggler = false
    }

    /// How a world begins.
    enum Beginning: CaseIterable {
        /// A token is there, and each caller was rejected with it.
        case holding
        /// Besides, a refresh that knows nothing of a rejection is under way.
        case renewing
    }

    /// What can be seen on the way.
    enum Sight: UInt64, CaseIterable {
        case rejection, cancellation, granted, grantedTheSame, failed, failedForGood, timedOut, signOut,
            signIn
        case cooled, lateGrant, lateGrantOfAnotherLogin, lateFailure, served, joined, beganAFlight, refused
        case publishedToMany, again, failedMany, discarded, nobodyWaited, asked, withdrawn
        case keptFromSendingARefreshTokenAgain, overdue, overdueOfAnotherLogin, lateGrantInTime, givenUp
        case waitedPatiently
    }

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
    var flights: [Pending] = []
    let kind: Kind
    var isSingleUse: Bool { kind != .repeatable }
    var launched = 0
    var lastGeneration: UInt64 = 1
    /// How many of those who were served may be rejected once more.
    var furtherRejections: Int
    var hasNewcomer = false
    var hasSignedOut = false
    var hasSignedIn = false
    /// The first rule that was broken.
    var flaw: String?
    /// What the newest event showed: a bit for each ``Sight``.
    private(set) var seen: UInt64 = 0

    mutating func see(_ sight: Sight) { seen |= 1 << sight.rawValue }

    // Made once: there are thousands of steps.
    private static let newGrants = (0..<64).map { grant("t\($0)", "r\($0)") }
    private static let sameGrants = (0..<64).map { grant("t0", "r\($0)") }
    private static let unavailable = NetworkError(.tokenUnavailable, "")
    private static let refused = NetworkError(.reauthenticationRequired, "")
    private static let unknown = NetworkError(.tokenOutcomeUnknown, "")

    private static func grant(_ accessToken: String, _ refreshToken: String) -> TokenGrant {
        TokenGrant(
            accessToken: Secret(accessToken), expiresIn: .seconds(3600), refreshToken: Secret(refreshToken))
    }

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

    /// Whether an earlier caller is in the same state: what happens to either leads to worlds that are alike.
    private func isLikeAnEarlier(_ index: Int) -> Bool {
        (kind != .patient || index != Self.patient) && callers[..<index].contains(callers[index])
    }

    /// How many events are like this one, which stands for them.
    func weight(of event: Event) -> Double {
        guard case .rejection(let index) = event else {
            guard case .cancellation(let index) = event else { return 1 }
            return weight(of: index)
        }
        return weight(of: index)
    }

    private func weight(of index: Int) -> Double {
        if kind == .patient, index == Self.patient { return 1 }
        let others = kind == .patient ? callers[..<Self.patient] : callers[...]
        return Double(others.count { $0 == callers[index] })
    }

    /// What can happen next, one event for those that are alike.
    var events: [Event] {
        var events: [Event] = []
        for (index, caller) in callers.enumerated() where !isLikeAnEarlier(index) {
            switch caller {
            case .sending: events.append(.rejection(index))
            case .waiting: events.append(.cancellation(index))
            case .served where furtherRejections > 0: events.append(.rejection(index))
            default: break
            }
        }
        for (index, pending) in flights.enumerated() {
            if pending.request == nil {
                events.append(.asked(index))
                if !pending.isStraggler { events.append(.failed(index)) }
            } else {
                events.append(.failed(index))
                events.append(.granted(index, isNew: true))
                events.append(.failedForGood(index))
                if pending.flight.generation == 1 { events.append(.granted(index, isNew: false)) }
            }
            if pending.isOverdue {
                events.append(.givenUp(index))
            } else if !pending.isStraggler {
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
        seen = 0
        switch event {
        case .rejection(let caller): reject(caller)
        case .cancellation(let caller):
            see(.cancellation)
            let flight = machine.flight
            machine.leave(UInt64(caller))
            callers[caller] = .ended
            if machine.flight != flight { note("who leaves takes no flight along") }
        case .asked(let index): ask(index)
        case .granted(let index, let isNew): grant(index, isNew: isNew)
        case .failed(let index):
            see(.failed)
            end(index, Self.unavailable)
        case .failedForGood(let index):
            see(.failedForGood)
            end(index, Self.refused)
        case .timedOut(let index): timeOut(index)
        case .givenUp(let index):
            see(.givenUp)
            flights[index].isOverdue = false
            flights[index].isStraggler = true
            let flight = flights[index].flight
            land(machine.failed(flight, Self.unknown, now: now, chance: 0), of: flight, .tokenOutcomeUnknown)
            if machine.flight?.id == flight.id { note("a flight that is given up frees the slot") }
        case .signOut:
            see(.signOut)
            hasSignedOut = true
            enter { machine, epoch, _ in machine.signOut(epoch: epoch) }
            if machine.token != nil || machine.lastGrant != nil { note("signed out means empty") }
        case .signIn:
            see(.signIn)
            hasSignedIn = true
            enter { machine, epoch, now in machine.signIn(nil, epoch: epoch, now: now, chance: 0) }
        case .newcomer:
            hasNewcomer = true
            if case .wait(let start) = machine.demand(nil, atLeast: 0, deadline: nil, now: now) {
                launch(start)
            }
        case .cooled:
            see(.cooled)
            now += .seconds(60)
        }
        check()
    }

    private mutating func reject(_ caller: Int) {
        see(.rejection)
        let rejected: UInt64
        if case .served(let generation) = callers[caller] {
            rejected = generation
            furtherRejections -= 1
        } else {
            rejected = 1
        }
        guard machine.epoch == epoch else {
            callers[caller] = .ended
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
        if case .overdue = machine.state, case .wait = demand { see(.waitedPatiently) }
        switch demand {
        case .serve(let token, let start):
            see(.served)
            callers[caller] = .served(token.generation)
            if token.generation <= rejected { note("nobody gets the rejected token again") }
            launch(start)
        case .wait(let start):
            callers[caller] = .waiting
            see(start == nil ? .joined : .beganAFlight)
            launch(start)
        case .fail:
            see(.refused)
            callers[caller] = .ended
        }
        if isThere, launched > launchedBefore { note("what is there already is not asked for") }
        if !mayBegin, launched > launchedBefore {
            note("nobody asks in a pause, or after a failure that lasts")
        }
        if isThere, callers[caller] == .waiting { note("an older generation is answered at once") }
        if machine.generation != newest { note("asking publishes nothing") }
    }

    private mutating func grant(_ index: Int, isNew: Bool) {
        let pending = flights.remove(at: index)
        let flight = pending.flight
        see(isNew ? .granted : .grantedTheSame)
        let isOver = flight.epoch != machine.epoch
        if flight.id != machine.flight?.id { see(isOver ? .lateGrantOfAnotherLogin : .lateGrant) }
        let (generation, last) = (machine.generation, machine.lastGrant?.accessToken.exposed)
        let hasNewer = flight.generation != generation
        let grants = isNew ? Self.newGrants : Self.sameGrants
        let landing = machine.granted(flight, grants[Int(flight.id)], now: now, chance: 0)
        land(landing, of: flight, nil)
        if pending.isOverdue, !isOver {
            see(.lateGrantInTime)
            if case .discard = landing { note("the late answer to a single-use request is used") }
        }
        if isOver || hasNewer,
            machine.generation != generation || machine.lastGrant?.accessToken.exposed != last
        {
            note("what belongs to another login, or comes after something newer, changes nothing")
        }
        if !isNew, case .publish = landing, machine.rejectedGeneration == 1, flight.knowsOfRejection == false,
            generation == 1, flights.isEmpty, machine.token?.accessToken.exposed == "t0",
            callers.contains(.served(2))
        {
            note("the rejected token is not given out as a newer one")
        }
    }

    /// A flight's work ends with a failure.
    mutating func end(_ index: Int, _ error: NetworkError) {
        let flight = flights.remove(at: index).flight
        let isCurrent = flight.id == machine.flight?.id
        let before = isCurrent ? nil : fingerprint
        land(machine.failed(flight, error, now: now, chance: 0), of: flight, error.code)
        if let before {
            see(.lateFailure)
            if fingerprint != before { note("only the flight of the slot fails it") }
        } else if error.code == .reauthenticationRequired {
            guard case .dead = machine.state else { return note("a failure that lasts is kept") }
        }
    }

    private mutating func enter(
        _ event: (inout Machine, UInt64, ContinuousClock.Instant) -> [Machine.WaiterID]
    ) {
        nextEpoch += 1
        let waiting = callers.indices.filter { callers[$0] == .waiting }
        for waiter in event(&machine, nextEpoch, now) { settle(waiter, .ended) }
        if machine.epoch != nextEpoch { note("a login or logout begins an epoch") }
        if waiting.contains(where: { callers[$0] == .waiting }) { note("nobody waits across a logout") }
    }

    private mutating func launch(_ flight: Machine.Flight?) {
        guard let flight else { return }
        launched += 1
        flights.append(Pending(flight: flight))
        // What can come before the request is the same in all worlds.
        if kind != .singleUse { ask(flights.count - 1) }
    }

    mutating func land(_ landing: Machine.Landing, of flight: Machine.Flight, _ code: NetworkError.Code?) {
        let waiting = callers.count { $0 == .waiting }
        switch landing {
        case .publish(let token, let waiters):
            if token.generation <= lastGeneration { note("generations only grow") }
            if flight.epoch != machine.epoch { note("nothing of another login is published") }
            lastGeneration = token.generation
            if waiters.isEmpty { see(.nobodyWaited) }
            if waiters.count > 1 { see(.publishedToMany) }
            for waiter in waiters { settle(waiter, .served(token.generation)) }
            if waiters.count != waiting { note("a token is for all who wait") }
        case .fail(let failure, _, let waiters, let served, let token):
            if waiters.count > 1 { see(.failedMany) }
            if failure.error.code != code { note("a failure is told as it is") }
            for waiter in waiters { settle(waiter, .ended) }
            for waiter in served { settle(waiter, .served(token?.generation ?? 0)) }
            let isPatient =
                kind == .patient && callers[Self.patient] == .waiting
                && flights.contains { $0.flight.id == flight.id && $0.isOverdue }
            if waiters.count + served.count != waiting - (isPatient ? 1 : 0) {
                note("a failure is for all who wait")
            }
        case .again(let next):
            see(.again)
            if !next.knowsOfRejection { note("the second flight knows of the rejection") }
            launch(next)
        case .discard: see(.discarded)
        }
    }

    private mutating func settle(_ waiter: UInt64, _ caller: Caller) {
        if callers[Int(waiter)] != .waiting { note("a caller is answered once, while it waits") }
        callers[Int(waiter)] = caller
    }
}
