import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Random events in random order, compared with ``ReferenceCircuit``.
@Suite struct CircuitStateMachineModelTests {
    private final class World {
        let start: ContinuousClock.Instant
        let random: SeededRandomSource
        var machine: CircuitStateMachine
        var reference: ReferenceCircuit
        var now = 0
        var tickets: [CircuitStateMachine.Ticket] = []
        var outstanding: [Int] = []
        var flaw: String?

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

        private func note(_ holds: Bool, _ text: @autoclosure () -> String) {
            if !holds, flaw == nil { flaw = text() }
        }

        private func time(_ instant: ContinuousClock.Instant) -> Int {
            ReferenceCircuit.milliseconds(start.duration(to: instant))
        }

        private func translate(_ rejection: CircuitStateMachine.Rejection) -> ReferenceCircuit.Rejection {
            .init(state: rejection.state, until: rejection.until.map(time))
        }

        func step() {
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
                let due = [reference.openUntil ?? 0, reference.probesInProgress(at: now).min() ?? 0]
                if let next = due.filter({ $0 > now }).min() { now = next }
            default: now += random.int(in: 0..<8) * 25
            }
            check()
        }

        private func admit() {
            let peeked = machine.peek(at: instant).map(translate)
            let expected = reference.admit(at: now)
            note(peeked == expected, "peek says \(peeked, default: "nil"), not \(expected, default: "nil")")
            switch machine.admit(at: instant) {
            case .admitted(let ticket):
                note(expected == nil, "admitted, not rejected: \(expected, default: "nil")")
                tickets.append(ticket)
                outstanding.append(tickets.count - 1)
                if expected == nil {
                    note((ticket.probe > 0) == (machine.state == .halfOpen), "a probe is half-open's")
                }
            case .rejected(let rejection):
                let rejection = translate(rejection)
                note(rejection == expected, "\(rejection), not \(expected, default: "admitted")")
            }
        }

        private func settle() {
            let call = outstanding.remove(at: random.int(in: 0..<outstanding.count))
            let verdict = [
                CircuitBreakerPolicy.Verdict.success, .success, .failure, .failure, .ignored,
            ][random.int(in: 0..<5)]
            let took = random.int(in: 0..<4) == 0 ? 100 : 99
            machine.settle(tickets[call], verdict, after: .milliseconds(took), at: instant)
            reference.settle(call, verdict, took: took, at: now)
        }

        /// All tickets come back; after that the circuit admits as many calls as the reference.
        func finish() {
            for call in outstanding {
                machine.settle(tickets[call], .ignored, after: nil, at: instant)
                reference.settle(call, .ignored, took: 0, at: now)
            }
            outstanding = []
            for _ in 0..<4 { admit() }
            note(reference.probesInProgress(at: now).count <= reference.policy.probes, "too many probes")
            check()
        }

        private func check() {
            let changes = machine.takeChanges().map { change in
                ReferenceCircuit.Change(
                    from: change.from, to: change.to, at: time(change.instant),
                    openFor: change.openFor.map(ReferenceCircuit.milliseconds))
            }
            if !changes.isEmpty {
                let jitter = Double(random.int(in: 0..<5)) / 4
                machine.jitter = jitter
                reference.jitter = jitter
            }
            note(changes == reference.changes, "changes \(changes), not \(reference.changes)")
            reference.changes = []
            note(machine.state == reference.state, "\(machine.state), not \(reference.state)")
            note(reference.calls.count == tickets.count, "each call has one ticket")
            note(
                reference.probesInProgress(at: now).count <= reference.policy.probes,
                "more probes than the policy allows")
        }
    }

    /// 4,000 interleavings of 60 events: a probe may end in a period after the one that followed its own.
    @Test func everyOrderEndsAsTheReferenceSays() {
        let (start, seed) = (ContinuousClock.now, TestSeed.value(0))
        for round in 0..<UInt64(SoakScale.rounds(4_000)) {
            let world = World(seed: seed &+ round, start: start)
            for _ in 0..<60 where world.flaw == nil { world.step() }
            if world.flaw == nil { world.finish() }
            if let flaw = world.flaw {
                Issue.record("round \(round): \(flaw)")
                return
            }
        }
    }
}
