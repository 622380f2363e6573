import GatewayTesting
import Testing

@testable import GatewayCore

/// Random events in random order, compared with a reference that keeps plain lists.
@Suite struct SharedFlightModelTests {
    private typealias Machine = SharedFlightStateMachine<Int, Int>

    // The outcomes of a waiter: the number of the step whose value it was told, or one of these.
    private static let cancelled = -1
    private static let expired = -2

    /// What is known of a waiter, by the number of its continuation.
    private struct Waiter {
        let id: UInt64
        let deadline: ContinuousClock.Instant?
        let priority: CallPriority
        var hasSuspended = false
        var hasLeft = false
        /// What it is to be told, by the reference.
        var due: Int?
        /// What it was told, and how often.
        var told: Int?
        var timesTold = 0

        /// Whether it was told its outcome once, as soon as there is one.
        var isRight: Bool {
            !hasSuspended || hasLeft || (told == due && timesTold == (due == nil ? 0 : 1))
        }
    }

    /// The reference, and the machine that is compared with it.
    private final class World {
        var machine: Machine
        var limit: ContinuousClock.Instant?
        var waiters: [Waiter] = []
        /// The numbers of those that have no outcome and have not left.
        var waiting: [Int] = []
        /// The numbers of those that something happened to in this step.
        var changed: [Int] = []
        var landing: Int?
        var priority = CallPriority.low
        var flaw: String?

        init(limit: ContinuousClock.Instant?) {
            self.limit = limit
            machine = Machine(limit: limit)
        }

        func note(_ isRight: Bool, _ text: @autoclosure () -> String) {
            if !isRight, flaw == nil { flaw = text() }
        }

        static func number(_ outcome: FlightOutcome<Int>) -> Int {
            switch outcome {
            case .value(let value): value
            case .cancelled: cancelled
            case .expired: expired
            }
        }

        // The reference: who is meant gets the outcome, unless it was told before.
        func owe(_ outcome: Int, where isMeant: (Waiter) -> Bool) {
            var left: [Int] = []
            for index in waiting {
                if isMeant(waiters[index]) {
                    waiters[index].due = outcome
                    changed.append(index)
                } else {
                    left.append(index)
                }
            }
            waiting = left
        }

        func owe(_ outcome: Int, to index: Int) {
            guard let place = waiting.firstIndex(of: index) else { return }
            waiting.remove(at: place)
            waiters[index].due = outcome
            changed.append(index)
        }

        // The machine: each continuation is resumed.
        func resume(_ continuations: [Int], _ outcome: Int) {
            for index in continuations {
                note(waiters[index].hasSuspended, "only a suspended waiter is resumed")
                waiters[index].told = outcome
                waiters[index].timesTold += 1
                changed.append(index)
            }
        }

        func join(_ deadline: ContinuousClock.Instant?, _ priority: CallPriority) {
            var waiter = Waiter(
                id: machine.join(until: deadline, priority: priority), deadline: deadline, priority: priority)
            waiter.due = landing
            if landing == nil {
                self.priority = max(self.priority, priority)
                waiting.append(waiters.count)
            }
            waiters.append(waiter)
        }

        func suspend(_ index: Int) {
            guard !waiters[index].hasSuspended, !waiters[index].hasLeft else { return }
            if let outcome = machine.suspend(waiters[index].id, index) {
                waiters[index].told = Self.number(outcome)
                waiters[index].timesTold += 1
            }
            waiters[index].hasSuspended = true
            changed.append(index)
        }

        func tell(_ outcome: FlightOutcome<Int>, to index: Int) {
            let continuation = machine.tell(outcome, to: waiters[index].id)
            owe(Self.number(outcome), to: index)
            if let continuation { resume([continuation], Self.number(outcome)) }
        }

        func leave(_ index: Int) {
            guard !waiters[index].hasSuspended else { return }
            machine.leave(waiters[index].id)
            waiters[index].hasLeft = true
            if let place = waiting.firstIndex(of: index) { waiting.remove(at: place) }
        }

        /// The waiter that stays for the longest is appointed; of several the first.
        func appoint(_ value: Int) {
            var best: Int?
            for index in waiting {
                guard let current = best else {
                    best = index
                    continue
                }
                guard let end = waiters[current].deadline else { break }
                if waiters[index].deadline.map({ $0 > end }) ?? true { best = index }
            }
            let appointed = machine.appoint(value)
            note((appointed == nil) == (best == nil), "one is appointed if one waits")
            guard let best else { return }
            priority = .low
            for index in waiting { priority = max(priority, waiters[index].priority) }
            limit = waiters[best].deadline
            owe(value, to: best)
            if let continuation = appointed.flatMap({ $0 }) { resume([continuation], value) }
        }

        func check() {
            for index in changed { note(waiters[index].isRight, "\(index) is told its outcome once") }
            changed = []
            note(machine.waiterCount == waiting.count, "\(machine.waiterCount) wait, not \(waiting.count)")
            note(machine.priority == priority, "the priority is the highest")
            if waiting.isEmpty { note(machine.alarm == nil, "an alarm, although nobody waits") }
            var earliest: ContinuousClock.Instant?
            for index in waiting {
                guard let deadline = waiters[index].deadline else { continue }
                earliest = min(earliest ?? deadline, deadline)
            }
            var isCovered = false
            if let earliest {
                for end in [limit, machine.alarm] { if let end, end <= earliest { isCovered = true } }
            }
            note(
                machine.nextAlarm == (isCovered ? nil : earliest), "the alarm comes at the earliest deadline")
        }
    }

    private func run(_ seed: UInt64, _ origin: ContinuousClock.Instant) -> String? {
        let random = SeededRandomSource(seed: seed)
        func instant() -> ContinuousClock.Instant { origin + .seconds(random.int(in: 1..<60)) }
        let world = World(limit: random.int(in: 0..<2) == 0 ? nil : instant())
        let landsAt = random.int(in: 100..<300)
        for step in 0..<300 where world.flaw == nil {
            let waiter = world.waiters.isEmpty ? nil : random.int(in: 0..<world.waiters.count)
            switch (random.int(in: 0..<20), waiter) {
            case (0..<6, _), (_, nil):
                world.join(
                    random.int(in: 0..<3) == 0 ? nil : instant(), CallPriority.all[random.int(in: 0..<4)])
            case (6..<11, let index?): world.suspend(index)
            case (11..<14, let index?): world.tell(.cancelled, to: index)
            case (14, let index?): world.leave(index)
            case (15, let index?): world.tell(.value(step), to: index)
            case (16, _):
                let due = instant()
                world.resume(world.machine.tell(step, dueBy: due), step)
                world.owe(step) { $0.deadline.map { $0 <= due } ?? false }
            case (17, _):
                let now = instant()
                if let alarm = world.machine.alarm, alarm <= now { world.machine.alarmFired(alarm) }
                world.resume(world.machine.expire(now: now), Self.expired)
                world.owe(Self.expired) { $0.deadline.map { $0 <= now } ?? false }
            case (18, _):
                let alarm = instant()
                let isNeeded = !world.waiting.isEmpty && world.machine.alarm.map { alarm < $0 } ?? true
                world.note(world.machine.setAlarm(at: alarm) == isNeeded, "an alarm is set if it is needed")
            default: world.appoint(step)
            }
            if step == landsAt {
                let continuations = world.machine.land(step)
                world.note(continuations != nil, "the first landing counts")
                world.owe(step) { _ in true }
                world.resume(continuations ?? [], step)
                world.landing = step
                world.note(world.machine.land(-3) == nil, "only the first landing counts")
            }
            world.check()
        }
        for index in world.waiters.indices { world.suspend(index) }
        world.check()
        for waiter in world.waiters { world.note(waiter.isRight, "each is told its outcome once") }
        return world.flaw
    }

    /// 50 orders of 300 events.
    @Test func everyOrderEndsAsTheReferenceSays() {
        let (origin, seed) = (ContinuousClock.now, TestSeed.value(0))
        for round in 0..<UInt64(SoakScale.rounds(50)) {
            if let flaw = run(seed &+ round, origin) {
                Issue.record("round \(round): \(flaw)")
                return
            }
        }
    }
}
