import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Random events in random order, compared with ``ReferenceGate``.
@Suite struct RateGateStateMachineModelTests {
    private typealias Closing = RateGateStateMachine.Closing

    private final class World {
        let start: ContinuousClock.Instant
        let random: SeededRandomSource
        var machine: RateGateStateMachine
        var reference: ReferenceGate
        var now = 0
        var lastID: UInt64 = 0
        /// The calls that wait, and the time from which their turn is too late.
        var waiting: [UInt64: Int] = [:]
        /// The latest time that a server named, and that before the last event, which may release calls first.
        var named = 0
        var namedBefore = 0
        var flaw: String?

        init(seed: UInt64, start: ContinuousClock.Instant) {
            self.start = start
            random = SeededRandomSource(seed: seed)
            let policy = RateGatePolicy(
                pause: .milliseconds(random.int(in: 1..<4) * 500),
                firstPace: [0.5, 10, 200][random.int(in: 0..<3)], slowestPace: 0.25,
                maximumWaiting: random.int(in: 2..<8))
            machine = RateGateStateMachine(policy: policy, start: start)
            reference = ReferenceGate(policy: policy)
        }

        private var instant: ContinuousClock.Instant { at(now) }

        private func at(_ microseconds: Int) -> ContinuousClock.Instant {
            start + .microseconds(microseconds)
        }

        private func time(_ instant: ContinuousClock.Instant) -> Int {
            ReferenceGate.microseconds(start.duration(to: instant))
        }

        private func note(_ holds: Bool, _ text: @autoclosure () -> String) {
            if !holds, flaw == nil { flaw = text() }
        }

        private func setJitter() {
            let jitter = Double(random.int(in: 0..<5)) / 4
            machine.jitter = jitter
            reference.jitter = jitter
        }

        func step() {
            setJitter()
            namedBefore = named
            switch random.int(in: 0..<32) {
            case 0..<10: enter()
            case 10..<15: close()
            case 15..<19:
                let isCurrent = random.int(in: 0..<4) > 0
                machine.succeed(isCurrent: isCurrent, at: instant)
                reference.succeed(isCurrent: isCurrent)
            case 19: withdraw()
            case 20: raise()
            case 21..<24:
                machine.advance(to: instant)
                reference.advance(to: now)
            case 24..<28:
                // Exactly when something is due, and a moment before.
                let due = [reference.slot, reference.pacedUntil].filter { $0 > now }
                if let next = due.randomElement(random) { now = max(now, next - random.int(in: 0..<2)) }
            case 28: now += random.int(in: 1..<5) * 1_000_000
            default: now += random.int(in: 0..<40) * 2_500
            }
            check()
        }

        private func enter() {
            lastID += 1
            let rank = random.int(in: 0..<4)
            let limit = now + [1, 500_000, 2_000_000, 60_000_000][random.int(in: 0..<4)]
            let isReplay = random.int(in: 0..<4) == 0
            let entry = machine.enter(
                lastID, rank: rank, limit: at(limit), isReplay: isReplay, at: instant)
            let outcome: ReferenceGate.Outcome =
                switch entry {
                case .passed: .passed
                case .waits(let turn): .waits(turn: time(turn))
                case .refused(let turn): .refused(turn: time(turn))
                case .full(let turn): .full(turn: time(turn))
                }
            if case .waits = entry { waiting[lastID] = limit }
            if case .passed = entry {
                note(now >= named, "passed before the time that the server named")
            }
            let expected = reference.enter(lastID, rank: rank, limit: limit, isReplay: isReplay, at: now)
            note(outcome == expected, "\(outcome), not \(expected)")
        }

        private func close() {
            let quota: RatePace.Quota? =
                random.int(in: 0..<2) == 0
                ? nil
                : RatePace.Quota(
                    perSecond: [0.1, 1, 12.5, 400][random.int(in: 0..<4)], isExact: random.int(in: 0..<2) == 0
                )
            let isRejection = random.int(in: 0..<3) > 0
            let wait: Duration? =
                switch random.int(in: 0..<8) {
                case 0 where isRejection: nil
                case 1: .zero
                case 2: .seconds(random.int(in: 1..<200_000))
                case 3: .seconds(-random.int(in: 1..<100))
                default: .milliseconds(random.int(in: 1..<8) * 250)
                }
            let closing = Closing(
                wait: wait, quota: quota,
                window: quota.map { _ in .milliseconds(random.int(in: 1..<9) * 500) },
                isRejection: isRejection, isCurrent: random.int(in: 0..<3) > 0)
            let time = machine.close(closing, at: instant).map(ReferenceGate.microseconds)
            let expected = reference.close(closing, at: now)
            note(time == expected, "closed for \(time ?? -1), not \(expected ?? -1)")
            note((time ?? 0) <= ReferenceGate.day, "closed for more than a day")
            let asked = min(max(wait ?? .zero, .zero), .seconds(86_400))
            named = max(named, now + ReferenceGate.microseconds(asked))
            note(machine.state != .open || asked == .zero, "not closed")
        }

        private func withdraw() {
            let id = waiting.keys.sorted().randomElement(random) ?? 0
            let withdrawn = machine.withdraw(id)
            note(withdrawn == (waiting.removeValue(forKey: id) != nil), "withdrawn: \(withdrawn)")
            note(reference.withdraw(id) == withdrawn, "withdrawn: \(withdrawn)")
        }

        private func raise() {
            guard let id = waiting.keys.sorted().randomElement(random) else { return }
            let rank = random.int(in: 0..<4)
            machine.raise(id, to: rank, at: instant)
            reference.raise(id, to: rank, at: now)
        }

        func check() {
            var actions: [ReferenceGate.Action] = []
            for action in machine.takeActions() {
                switch action {
                case .release(let id):
                    actions.append(.release(id))
                    note(now >= namedBefore, "released before the time that the server named")
                    note(waiting.removeValue(forKey: id) != nil, "\(id) was told twice")
                case .refuse(let id, let turn):
                    actions.append(.refuse(id, turn: time(turn)))
                    let limit = waiting.removeValue(forKey: id)
                    note(limit.map { $0 <= time(turn) } ?? false, "\(id) was refused without a reason")
                }
            }
            note(actions == reference.actions, "\(actions), not \(reference.actions)")
            reference.actions = []
            note(machine.state == reference.mode, "\(machine.state), not \(reference.mode)")
            note(machine.waiting == reference.calls.count, "\(machine.waiting) wait")
            note(machine.waiting == waiting.count, "a call is lost")
            note(
                machine.alarm.map(time) == (reference.calls.isEmpty ? nil : reference.slot),
                "the alarm is wrong")
            note(
                (machine.pace.perSecond ?? reference.policy.firstPace) == reference.pace,
                "pace \(machine.pace.perSecond ?? -1), not \(reference.pace)")
            note(
                reference.calls.count(where: { !$0.isReplay }) <= reference.policy.maximumWaiting,
                "too many wait")
        }

        /// Time passes until nobody waits and the gate is open.
        func finish() {
            for _ in 0..<16 where flaw == nil {
                setJitter()
                now = max(now, reference.slot, reference.calls.isEmpty ? reference.pacedUntil : 0)
                machine.advance(to: instant)
                reference.advance(to: now)
                check()
            }
            note(waiting.isEmpty && machine.state == .open, "it does not open")
        }
    }

    /// 10,000 interleavings of 24 events.
    @Test func everyOrderEndsAsTheReferenceSays() {
        let (start, seed) = (ContinuousClock.now, TestSeed.value(0))
        for round in 0..<UInt64(SoakScale.rounds(10_000)) {
            let world = World(seed: seed &+ round, start: start)
            for _ in 0..<24 where world.flaw == nil { world.step() }
            world.finish()
            if let flaw = world.flaw {
                Issue.record("round \(round): \(flaw)")
                return
            }
        }
    }
}

extension Array {
    /// A random element; `nil` of an empty array.
    fileprivate func randomElement(_ random: SeededRandomSource) -> Element? {
        isEmpty ? nil : self[random.int(in: 0..<count)]
    }
}
