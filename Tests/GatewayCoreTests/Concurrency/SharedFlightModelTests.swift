import GatewayTesting
import Testing

@testable import GatewayCore

/// Random events in random order, compared with a reference that keeps plain lists: 150,000 steps.
@Suite struct SharedFlightModelTests {
    private typealias Machine = SharedFlightStateMachine<String, Int>

    /// What is known of a waiter, by the number of its continuation.
    private struct Waiter {
        let id: UInt64
        let deadline: ContinuousClock.Instant?
        let priority: CallPriority
        var hasSuspended = false
        var hasLeft = false
        /// What it is to be told, by the reference.
        var due: String?
        /// What it was told.
        var told: [String] = []

        var isWaiting: Bool { due == nil && !hasLeft }
    }

    /// The reference, and the machine that is compared with it.
    private struct World {
        let start = ContinuousClock.now
        var machine: Machine
        var limit: ContinuousClock.Instant?
        var waiters: [Waiter] = []
        var landing: String?
        var priority = CallPriority.low
        var flaws: [String] = []

        init(limit: ContinuousClock.Instant?) {
            self.limit = limit
            machine = Machine(limit: limit)
        }

        mutating func note(_ isRight: Bool, _ flaw: String) { if !isRight { flaws.append(flaw) } }

        static func text(_ outcome: FlightOutcome<String>) -> String {
            switch outcome {
            case .value(let value): value
            case .cancelled: "cancelled"
            case .expired: "expired"
            }
        }

        // The reference: who is meant gets the text, unless it was told before.
        mutating func owe(_ text: String, where isMeant: (Waiter) -> Bool) {
            for index in waiters.indices where waiters[index].isWaiting && isMeant(waiters[index]) {
                waiters[index].due = text
            }
        }

        // The machine: each continuation is resumed.
        mutating func resume(_ continuations: [Int], _ text: String) {
            for index in continuations {
                note(waiters[index].hasSuspended, "only a suspended waiter is resumed")
                waiters[index].told.append(text)
            }
        }

        mutating func join(_ deadline: ContinuousClock.Instant?, _ priority: CallPriority) {
            var waiter = Waiter(
                id: machine.join(until: deadline, priority: priority), deadline: deadline, priority: priority)
            waiter.due = landing
            if landing == nil { self.priority = max(self.priority, priority) }
            waiters.append(waiter)
        }

        mutating func suspend(_ index: Int) {
            if let outcome = machine.suspend(waiters[index].id, index) {
                waiters[index].told.append(Self.text(outcome))
            }
            waiters[index].hasSuspended = true
        }

        mutating func appoint(_ value: String) {
            let best = waiters.indices.filter { waiters[$0].isWaiting }.max { a, b in
                let (x, y) = (waiters[a].deadline, waiters[b].deadline)
                if x == y { return a > b }
                guard let x else { return false }
                return y.map { x < $0 } ?? true
            }
            let appointed = machine.appoint(value)
            note((appointed == nil) == (best == nil), "one is appointed if one waits")
            guard let best else { return }
            priority = waiters.filter(\.isWaiting).map(\.priority).max() ?? .low
            limit = waiters[best].deadline
            waiters[best].due = value
            resume(appointed.flatMap { $0 }.map { [$0] } ?? [], value)
        }

        mutating func check() {
            for waiter in waiters where waiter.hasSuspended && !waiter.hasLeft {
                note(waiter.told == (waiter.due.map { [$0] } ?? []), "each is told its outcome once")
            }
            let waiting = waiters.filter(\.isWaiting)
            note(machine.waiterCount == waiting.count, "who waits is known to wait")
            note(machine.priority == priority, "the priority is the highest")
            if waiting.isEmpty { note(machine.alarm == nil, "no alarm for nobody") }
            let earliest = waiting.compactMap(\.deadline).min()
            let isCovered = [limit, machine.alarm].contains { end in
                end.map { end in earliest.map { end <= $0 } ?? false } ?? false
            }
            note(
                machine.nextAlarm == (isCovered ? nil : earliest), "the alarm comes at the earliest deadline")
        }
    }

    @Test(arguments: 0..<500 as Range<UInt64>)
    func everyOrderEndsAsTheReferenceSays(seed: UInt64) {
        let random = SeededRandomSource(seed: seed)
        let origin = ContinuousClock.now
        func instant() -> ContinuousClock.Instant { origin + .seconds(random.int(in: 1..<60)) }
        var world = World(limit: random.int(in: 0..<2) == 0 ? nil : instant())
        let landsAt = random.int(in: 100..<300)
        for step in 0..<300 {
            let waiter = world.waiters.isEmpty ? nil : random.int(in: 0..<world.waiters.count)
            let value = "value \(step)"
            switch (random.int(in: 0..<20), waiter) {
            case (0..<6, _), (_, nil):
                world.join(
                    random.int(in: 0..<3) == 0 ? nil : instant(), CallPriority.all[random.int(in: 0..<4)])
            case (6..<11, let index?):
                if !world.waiters[index].hasSuspended, !world.waiters[index].hasLeft { world.suspend(index) }
            case (11..<14, let index?):
                let id = world.waiters[index].id
                let continuation = world.machine.tell(.cancelled, to: id)
                world.owe("cancelled") { $0.id == id }
                world.resume(continuation.map { [$0] } ?? [], "cancelled")
            case (14, let index?):
                if !world.waiters[index].hasSuspended {
                    world.machine.leave(world.waiters[index].id)
                    world.waiters[index].hasLeft = true
                }
            case (15, let index?):
                let id = world.waiters[index].id
                let continuation = world.machine.tell(.value(value), to: id)
                world.owe(value) { $0.id == id }
                world.resume(continuation.map { [$0] } ?? [], value)
            case (16, _):
                let due = instant()
                world.resume(world.machine.tell(value, dueBy: due), value)
                world.owe(value) { $0.deadline.map { $0 <= due } ?? false }
            case (17, _):
                let now = instant()
                if let alarm = world.machine.alarm, alarm <= now { world.machine.alarmFired(alarm) }
                world.resume(world.machine.expire(now: now), "expired")
                world.owe("expired") { $0.deadline.map { $0 <= now } ?? false }
            case (18, _):
                let alarm = instant()
                let isNeeded =
                    world.waiters.contains(where: \.isWaiting)
                    && world.machine.alarm.map { alarm < $0 } ?? true
                world.note(world.machine.setAlarm(at: alarm) == isNeeded, "an alarm is set if it is needed")
            default: world.appoint(value)
            }
            if step == landsAt {
                let continuations = world.machine.land(value)
                world.note(continuations != nil, "the first landing counts")
                world.owe(value) { _ in true }
                world.resume(continuations ?? [], value)
                world.landing = value
                world.note(world.machine.land("again") == nil, "only the first landing counts")
            }
            world.check()
        }
        for index in world.waiters.indices
        where !world.waiters[index].hasSuspended && !world.waiters[index].hasLeft {
            world.suspend(index)
        }
        world.check()
        #expect(world.flaws.isEmpty)
        #expect(world.waiters.allSatisfy { $0.hasLeft || $0.told.count == 1 })
    }
}
