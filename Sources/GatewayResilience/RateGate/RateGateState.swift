import GatewayCore

/// The gates of a ``RateGate`` and the waiting calls: changed under its lock. Effects are collected, and run
/// outside the lock.
struct RateGateState {
    typealias Instant = ContinuousClock.Instant

    /// The result of entering a call.
    enum Entrance {
        case passed
        case waits(RateWaiter, turn: Instant)
        case refused(turn: Instant, isFull: Bool)
    }

    /// The steps to run outside the lock.
    struct Effects {
        var told: [(RateWaiter, RateWaiter.Outcome)] = []
        var events: [StateEvent] = []
    }

    /// The time of an event, and random numbers from 0 to 1.
    struct Moment {
        let now: Instant
        let jitter: Double
    }

    /// The state of a call's gates before it enters.
    struct Outlook: Hashable {
        /// When the last gate opens.
        let opening: Instant
        let turn: Instant
        /// Whether a gate refuses calls because too many wait.
        let isFull: Bool
    }

    private struct Waiting {
        let waiter: RateWaiter
        /// The priority when it was last read.
        var rank: Int
    }

    private static let mostIgnoredFields = 1_024

    private let policy: RateGatePolicy
    private(set) var table: RateGateTable
    private var waiters: [UInt64: Waiting] = [:]
    private var lastID: UInt64 = 0
    /// The number of times that a gate closed.
    private(set) var closings: UInt64 = 0
    private var ignoredFields: Set<String> = []

    init(_ policy: RateGatePolicy, capacity: Int) {
        self.policy = policy
        table = RateGateTable(capacity: capacity)
    }

    // MARK: Calls

    /// Enters the gates that apply to a call, one after the other.
    ///
    /// - Parameters:
    ///   - passed: the serial number of the last gate that the call has passed.
    ///   - start: when the call began to wait.
    ///   - limit: the latest acceptable turn.
    mutating func enter(
        _ key: RateGateKey, _ context: RequestContext, after passed: UInt64, since start: Instant,
        limit: Instant, at moment: Moment, _ effects: inout Effects
    ) -> Entrance {
        let rank = Int(min(context.priority.rank, 3))
        for serial in table.limiting(key, context.operation?.id) where serial > passed {
            lastID += 1
            let id = lastID
            let entry = change(key, serial, at: moment, &effects) {
                $0.machine.enter(
                    id, rank: rank, limit: limit, isReplay: context.attempt.isReplay, at: moment.now)
            }
            switch entry {
            case .passed, nil: continue
            case .refused(let turn): return .refused(turn: turn, isFull: false)
            case .full(let turn): return .refused(turn: turn, isFull: true)
            case .waits(let turn):
                let waiter = RateWaiter(
                    id: id, key: key, serial: serial, context: context, start: start)
                waiters[id] = Waiting(waiter: waiter, rank: rank)
                return .waits(waiter, turn: turn)
            }
        }
        return .passed
    }

    /// Removes a cancelled call. Returns whether it was waiting.
    mutating func withdraw(_ waiter: RateWaiter) -> Bool {
        guard waiters.removeValue(forKey: waiter.id) != nil else { return false }
        _ = table.update(waiter.key, waiter.serial) { $0.machine.withdraw(waiter.id) }
        return true
    }

    /// The outlook of a call that would enter now; `nil` if it would pass.
    func outlook(_ key: RateGateKey, _ context: RequestContext, at now: Instant) -> Outlook? {
        var outlook: Outlook?
        for entry in table.all[key] ?? []
        where entry.machine.state != .open && entry.concerns(context.operation?.id) {
            let turn = entry.machine.turn(rank: Int(min(context.priority.rank, 3)), at: now)
            let opening = entry.machine.state == .closed ? entry.machine.nextSlot : now
            outlook = Outlook(
                opening: max(outlook?.opening ?? opening, opening), turn: max(outlook?.turn ?? turn, turn),
                isFull: outlook?.isFull ?? false || entry.machine.isFull)
        }
        return outlook
    }

    // MARK: Responses

    /// Records the response to a call.
    ///
    /// - Parameter sent: the number of closings when the call was sent.
    mutating func note(
        _ report: RateLimitReport, status: Int, _ key: RateGateKey, _ context: RequestContext, sent: UInt64,
        at moment: Moment, _ effects: inout Effects
    ) {
        for field in report.ignored { ignored(field, key.origin, at: moment, &effects) }
        let operation = context.operation?.id
        for limit in report.limits {
            guard let serial = gate(key, limit.name, at: moment) else { continue }
            change(key, serial, at: moment, &effects) { gate in
                gate.note(operation)
                gate.note(limit)
            }
        }
        let signal = RateLimitSignal(report, status: status, policy: policy)
        for closing in signal.closings {
            guard let serial = gate(key, closing.name, at: moment) else { continue }
            close(key, serial, closing, signal.isRejection, sent, at: moment, &effects)
        }
        guard !signal.isRejection else { return }
        for serial in table.limiting(key, operation) {
            change(key, serial, at: moment, &effects) {
                $0.machine.succeed(isCurrent: sent >= $0.closing, at: moment.now)
            }
        }
    }

    private mutating func close(
        _ key: RateGateKey, _ serial: UInt64, _ closing: RateLimitSignal.Closing, _ isRejection: Bool,
        _ sent: UInt64, at moment: Moment, _ effects: inout Effects
    ) {
        // If the time of the last closing has passed, the gate opens first.
        change(key, serial, at: moment, &effects) { $0.machine.advance(to: moment.now) }
        let next = closings + 1
        let time = change(key, serial, at: moment, &effects) { gate -> Duration? in
            let time = gate.machine.close(
                RateGateStateMachine.Closing(
                    wait: closing.wait, quota: gate.knownQuota, window: gate.knownWindow,
                    isRejection: isRejection, isCurrent: sent >= gate.closing),
                at: moment.now)
            if time != nil { gate.closing = next }
            return time
        }
        guard let time = time ?? nil else { return }
        closings = next
        effects.events.append(
            StateEvent(
                instant: moment.now, origin: key.origin,
                kind: .rateGateClosed(closing.name.shown, for: time, closing.reason)))
    }

    private mutating func gate(
        _ key: RateGateKey, _ name: RateLimitReport.Name, at moment: Moment
    ) -> UInt64? {
        table.gate(key, name, at: moment.now) {
            RateGateStateMachine(policy: policy, start: moment.now)
        }
    }

    private mutating func ignored(
        _ field: String, _ origin: Origin, at moment: Moment, _ effects: inout Effects
    ) {
        guard ignoredFields.count < Self.mostIgnoredFields,
            ignoredFields.insert("\(origin) \(field)").inserted
        else { return }
        effects.events.append(
            StateEvent(instant: moment.now, origin: origin, kind: .rateLimitFieldIgnored(field)))
    }

    // MARK: Time

    /// Releases the calls whose turn has come. Calls with a raised priority are moved first.
    mutating func advance(at moment: Moment, _ effects: inout Effects) {
        for (waiter, known) in waiters.values.map({ ($0.waiter, $0.rank) }) {
            let rank = Int(min(waiter.context.priority.rank, 3))
            guard rank > known else { continue }
            waiters[waiter.id]?.rank = rank
            change(waiter.key, waiter.serial, at: moment, &effects) {
                $0.machine.raise(waiter.id, to: rank, at: moment.now)
            }
        }
        for (key, serial) in table.gates(where: { $0.machine.waiting > 0 }) {
            change(key, serial, at: moment, &effects) { $0.machine.advance(to: moment.now) }
        }
    }

    /// Applies the changes that time causes, to gates without waiting calls too.
    mutating func advanceAll(at moment: Moment, _ effects: inout Effects) {
        for (key, serial) in table.gates(where: { $0.machine.state != .open }) {
            change(key, serial, at: moment, &effects) { $0.machine.advance(to: moment.now) }
        }
    }

    // MARK: Changes

    /// Changes a gate, and collects the effects.
    @discardableResult
    private mutating func change<Result>(
        _ key: RateGateKey, _ serial: UInt64, at moment: Moment, _ effects: inout Effects,
        _ body: (inout RateGateEntry) -> Result
    ) -> Result? {
        var actions: [RateGateStateMachine.Action] = []
        var opened: String?
        let result = table.update(key, serial) { gate -> Result in
            let wasClosed = gate.machine.state == .closed
            gate.machine.jitter = moment.jitter
            let result = body(&gate)
            actions = gate.machine.takeActions()
            if wasClosed, gate.machine.state != .closed { opened = gate.name.shown }
            return result
        }
        if let opened {
            effects.events.append(
                StateEvent(instant: moment.now, origin: key.origin, kind: .rateGateOpened(opened)))
        }
        for action in actions {
            switch action {
            case .release(let id):
                if let waiting = waiters.removeValue(forKey: id) {
                    effects.told.append((waiting.waiter, .released))
                }
            case .refuse(let id, let turn):
                if let waiting = waiters.removeValue(forKey: id) {
                    effects.told.append((waiting.waiter, .refused(turn: turn)))
                }
            }
        }
        return result
    }
}

extension RateLimitReport.Name {
    /// The name of the policy, if it is a token; other names are not shown.
    var shown: String {
        policy.utf8.allSatisfy { byte in
            (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "-_.".utf8.contains(byte)
        } ? policy : ""
    }
}
