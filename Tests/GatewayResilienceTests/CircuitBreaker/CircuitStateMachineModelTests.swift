import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Random events in random order, compared with ``ReferenceCircuit``: 100,000 interleavings of 24 events, ten times as many
/// in the long tests.
@Suite struct CircuitStateMachineModelTests {
    private struct World {
        let start: ContinuousClock.Instant
        let random: SeededRandomSource
        var machine: CircuitStateMachine
        var reference: ReferenceCircuit
        var now = 0
        var tickets: [CircuitStateMachine.Ticket] = []
        var outstanding: [Int] = []
        var log: [String] = []
        var flaws: [String] = []

        init(seed: UInt64, start: ContinuousClock.Instant) {
            self.start = start
            random = SeededRandomSource(seed: seed)
            let policy = Self.policy(random)
            let jitter = Double(random.int(in: 0..<5)) / 4
            machine = CircuitStateMachine(policy: policy, start: start, jitter: jitter)
            reference = ReferenceCircuit(policy: policy, jitter: jitter)
        }

        private static func policy(_ random: SeededRandomSource) -> CircuitBreakerPolicy {
            func rate() -> CircuitBreakerPolicy.Rate? {
                guard random.int(in: 0..<3) > 0 else { return nil }
                return .init(
                    share: [0.25, 0.5, 0.6, 1][random.int(in: 0..<4)], minimumCalls: random.int(in: 1..<6),
                    window: .milliseconds(random.int(in: 1..<20) * 100))
            }
            return CircuitBreakerPolicy(
                consecutiveFailures: random.int(in: 0..<4) == 0 ? nil : random.int(in: 1..<4),
                failureRate: rate(), slowAfter: .milliseconds(100), slowRate: rate(),
                openFor: .milliseconds(random.int(in: 1..<4) * 1_000), longestOpen: .seconds(8),
                probes: random.int(in: 1..<4), successesToClose: random.int(in: 1..<4),
                probeLimit: .milliseconds(random.int(in: 1..<6) * 500))
        }

        private var instant: ContinuousClock.Instant { start + .milliseconds(now) }

        private mutating func note(_ holds: Bool, _ flaw: String) { if !holds { flaws.append(flaw) } }

        private func text(_ rejection: CircuitStateMachine.Rejection) -> String {
            let until = rejection.until.map { "\(ReferenceCircuit.milliseconds(start.duration(to: $0)))" }
            return "\(rejection.state) until \(until ?? "nil")"
        }

        mutating func step() {
            switch random.int(in: 0..<32) {
            case 0..<10: admit()
            case 10..<20 where !outstanding.isEmpty: settle()
            case 20:
                machine.isolate(at: instant)
                reference.isolate(at: now)
            case 21:
                machine.reset(at: instant)
                reference.reset(at: now)
            case 22:
                machine.halfOpenNow(at: instant)
                reference.halfOpenNow(at: now)
            case 23:
                machine.advance(to: instant)
                reference.advance(to: now)
            case 24: now += random.int(in: 1..<6) * 1_000
            case 25:
                // Exactly when something is due.
                let due =
                    [reference.periods[reference.periods.count - 1].until].compactMap { $0 }
                    + reference.probesInProgress(at: now).map {
                        $0.begin + ReferenceCircuit.milliseconds(reference.policy.probeLimit)
                    }
                if let next = due.filter({ $0 > now }).min() { now = next }
            default: now += random.int(in: 0..<8) * 25
            }
            check()
        }

        private mutating func admit() {
            let peeked = machine.peek(at: instant).map(text)
            let expected = reference.admit(at: now)
            note(peeked == expected, "peek says \(peeked ?? "nil"), not \(expected ?? "nil")")
            switch machine.admit(at: instant) {
            case .admitted(let ticket):
                note(expected == nil, "admitted, not rejected: \(expected ?? "")")
                tickets.append(ticket)
                outstanding.append(tickets.count - 1)
                if expected == nil {
                    note((ticket.probe > 0) == (machine.state == .halfOpen), "a probe is half-open's")
                }
            case .rejected(let rejection):
                note(text(rejection) == expected, "\(text(rejection)), not \(expected ?? "admitted")")
            }
        }

        private mutating func settle() {
            let call = outstanding.remove(at: random.int(in: 0..<outstanding.count))
            let verdict = [
                CircuitBreakerPolicy.Verdict.success, .success, .failure, .failure, .ignored,
            ][random.int(in: 0..<5)]
            let took = random.int(in: 0..<4) == 0 ? 100 : 99
            machine.settle(tickets[call], verdict, after: .milliseconds(took), at: instant)
            reference.settle(call, verdict, took: took, at: now)
        }

        /// All tickets come back; after that the circuit admits as many calls as the reference.
        mutating func finish() {
            for call in outstanding {
                machine.settle(tickets[call], .ignored, after: nil, at: instant)
                reference.settle(call, .ignored, took: 0, at: now)
            }
            outstanding = []
            for _ in 0..<4 { admit() }
            note(reference.probesInProgress(at: now).count <= reference.policy.probes, "too many probes")
            check()
        }

        private mutating func check() {
            let changes = machine.takeChanges()
            for change in changes {
                let at = ReferenceCircuit.milliseconds(start.duration(to: change.instant))
                let time = change.openFor.map { "+\(ReferenceCircuit.milliseconds($0))" } ?? ""
                log.append("\(change.from)>\(change.to)@\(at)\(time)")
            }
            if !changes.isEmpty {
                let jitter = Double(random.int(in: 0..<5)) / 4
                machine.jitter = jitter
                reference.jitter = jitter
            }
            note(log == reference.log, "changes \(log), not \(reference.log)")
            note(machine.state == reference.state, "\(machine.state), not \(reference.state)")
            note(reference.calls.count == tickets.count, "each call has one ticket")
            note(
                reference.probesInProgress(at: now).count <= reference.policy.probes,
                "more probes than the policy allows")
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func everyOrderEndsAsTheReferenceSays(part: UInt64) {
        let start = ContinuousClock.now
        let count = UInt64(SoakScale.rounds(5_000))
        for seed in part * count..<(part + 1) * count {
            var world = World(seed: seed, start: start)
            for _ in 0..<24 where world.flaws.isEmpty { world.step() }
            world.finish()
            if let flaw = world.flaws.first {
                Issue.record("seed \(seed): \(flaw)")
                return
            }
        }
    }
}
