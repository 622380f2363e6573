import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Random events in random order, compared with ``ReferenceBulkhead``.
@Suite struct BulkheadStateMachineModelTests {
    private final class World {
        typealias Machine = BulkheadStateMachine<Int>

        static let priorities = CallPriority.all
        static let origins = (0..<3).compactMap { try? Origin("http://h\($0)") }

        let start: ContinuousClock.Instant
        let random: SeededRandomSource
        let policy: BulkheadPolicy
        var machine: Machine
        var reference: ReferenceBulkhead
        var now = 0
        var lastWaiter = 0
        /// The permits that are out, as the number of the origin in the machine, and here.
        var permits: [(place: Int, origin: Int)] = []
        var waiting: [(id: Machine.WaiterID, waiter: Int, origin: Int)] = []
        var places: [Int?] = [nil, nil, nil]
        var flaw: String?

        init(seed: UInt64, start: ContinuousClock.Instant) {
            self.start = start
            random = SeededRandomSource(seed: seed)
            let perOrigin = random.int(in: 1..<4)
            let room = random.int(in: 0..<5)
            let ageing = random.int(in: 1..<5) * 10
            policy = BulkheadPolicy(
                perOrigin: .fixed(perOrigin), inAll: perOrigin + random.int(in: 0..<3),
                waitingPerOrigin: room, waitingInAll: room + random.int(in: 0..<4),
                ageing: .milliseconds(ageing), shedsHopeless: random.int(in: 0..<3) > 0,
                newestFirst: random.int(in: 0..<3) == 0)
            machine = Machine(policy: policy)
            reference = ReferenceBulkhead(policy: policy, perOrigin: perOrigin, ageing: ageing, origins: 3)
        }

        private var instant: ContinuousClock.Instant { start + .milliseconds(now) }

        private func note(_ holds: Bool, _ text: @autoclosure () -> String) {
            if !holds, flaw == nil { flaw = text() }
        }

        func step() {
            switch random.int(in: 0..<32) {
            case 0..<11: enter()
            case 11: enterNow()
            case 12..<19 where !permits.isEmpty: leave()
            case 19..<22 where !waiting.isEmpty: withdraw()
            case 22..<24 where !waiting.isEmpty: raise()
            case 24: setLimit()
            case 25: empty()
            case 26:
                machine.expire(at: instant)
                reference.expire(at: now)
            case 27: now += random.int(in: 1..<6) * 40
            default: now += random.int(in: 0..<4) * 5
            }
            check()
        }

        private func admitted(_ place: Int, _ origin: Int) {
            note((places[origin] ?? place) == place, "an origin has one place")
            places[origin] = place
            permits.append((place, origin))
        }

        private func enterNow() {
            let origin = random.int(in: 0..<3)
            let place = machine.enterNow(Self.origins[origin])
            note((place != nil) == reference.enterNow(origin), "enterNow: \(String(describing: place))")
            if let place { admitted(place, origin) }
        }

        private func enter() {
            let (origin, priority) = (random.int(in: 0..<3), random.int(in: 0..<4))
            let deadline = random.int(in: 0..<2) == 0 ? nil : now + random.int(in: 0..<20) * 5
            let isReplay = random.int(in: 0..<6) == 0
            lastWaiter += 1
            let expected = reference.enter(
                lastWaiter, origin, priority, isReplay: isReplay, deadline: deadline, at: now)
            let entry = machine.enter(
                lastWaiter, to: Self.origins[origin], priority: Self.priorities[priority],
                isReplay: isReplay, until: deadline.map { start + .milliseconds($0) }, at: instant)
            let outcome: ReferenceBulkhead.Outcome
            switch entry {
            case .admitted(let place):
                outcome = .admitted
                admitted(place, origin)
            case .waits(let id):
                outcome = .waits
                waiting.append((id, lastWaiter, origin))
            case .rejected(let rejection): outcome = Self.outcome(rejection)
            }
            note(outcome == expected, "\(outcome), not \(expected)")
        }

        private func leave() {
            let (place, origin) = permits.remove(at: random.int(in: 0..<permits.count))
            // Often so that a wait ends exactly at a deadline.
            let held: Int? =
                switch random.int(in: 0..<5) {
                case 0: nil
                case 1, 2: random.int(in: 0..<60_000)
                default: random.int(in: 0..<12) * 30_000
                }
            machine.leave(place, after: held.map(Int64.init), at: instant)
            reference.leave(origin, held: held, at: now)
        }

        /// Also one that waits no longer.
        private func withdraw() {
            let (id, waiter, _) = waiting[random.int(in: 0..<waiting.count)]
            let isWithdrawn = machine.withdraw(id)
            note(isWithdrawn == reference.withdraw(waiter), "withdrawn \(waiter): \(isWithdrawn)")
        }

        private func raise() {
            let (id, waiter, _) = waiting[random.int(in: 0..<waiting.count)]
            let priority = random.int(in: 0..<4)
            machine.raise(id, to: Self.priorities[priority], at: instant)
            reference.raise(waiter, to: priority, at: now)
        }

        private func setLimit() {
            let origin = random.int(in: 0..<3)
            guard let place = places[origin] else { return }
            let limit = random.int(in: 0..<6)
            machine.setLimit(limit, of: place, at: instant)
            reference.setLimit(limit, origin, at: now)
        }

        private func empty() {
            let (origin, rest) = (random.int(in: 0..<3), random.int(in: 0..<2))
            let isMeant = { @Sendable (waiter: Int) in rest == 0 || waiter % 2 == 0 }
            let gone = Set(machine.empty(Self.origins[origin], where: isMeant))
            let expected = reference.empty(origin, where: isMeant)
            note(gone == expected, "emptied \(gone), not \(expected)")
        }

        private static func outcome(_ rejection: BulkheadRejection) -> ReferenceBulkhead.Outcome {
            switch rejection.reason {
            case .full: .full
            case .displaced: .displaced
            case .hopeless: .hopeless
            case .expired: .expired
            }
        }

        private static func report(_ change: Machine.Change) -> ReferenceBulkhead.Report {
            func number(_ origin: Origin?) -> Int { origins.firstIndex { $0 == origin } ?? -1 }
            return switch change {
            case .overloaded(let origin, let limit, let waiting):
                .overloaded(number(origin), limit: limit, waiting: waiting)
            case .recovered(let origin): .recovered(number(origin))
            case .limit(let origin, let old, let new): .limit(number(origin), from: old, to: new)
            }
        }

        private func check() {
            var actions: [ReferenceBulkhead.Action] = []
            for action in machine.takeActions() {
                switch action {
                case .admit(let waiter, let place):
                    actions.append(.init(waiter: waiter, outcome: .admitted))
                    let origin = waiting.first { $0.waiter == waiter }?.origin
                    note(origin != nil, "it did not wait")
                    admitted(place, origin ?? 0)
                case .reject(let waiter, let rejection):
                    actions.append(.init(waiter: waiter, outcome: Self.outcome(rejection)))
                }
            }
            note(actions == reference.actions, "actions \(actions), not \(reference.actions)")
            reference.actions = []
            let changes = machine.takeChanges()
            if !changes.isEmpty || !reference.reports.isEmpty {
                let reports = changes.map(Self.report)
                note(reports == reference.reports, "changes \(reports), not \(reference.reports)")
                reference.reports = []
            }
            // It looks at every waiter.
            if random.int(in: 0..<16) == 0 { checkStatistics() }
        }

        private func checkStatistics() {
            let statistics = machine.statistics
            note(statistics.all.inUse == permits.count, "the permits in use")
            note(permits.count <= policy.inAll, "more permits than there are")
            note(statistics.all.waitingCount == reference.waiters.count, "the waiters")
            for (number, origin) in Self.origins.enumerated() {
                let counts = statistics.origins[origin]
                note((counts?.inUse ?? 0) == reference.origins[number].active, "in use of an origin")
                var expected: [CallPriority: Int] = [:]
                for waiter in reference.waiters where waiter.origin == number {
                    expected[Self.priorities[waiter.priority], default: 0] += 1
                }
                note((counts?.waiting ?? [:]) == expected, "waiting for an origin")
            }
            let expected = reference.waiters.compactMap(\.deadline).min().map { start + .milliseconds($0) }
            note(machine.nextDeadline == expected, "the next deadline")
        }

        /// All permits come back: then nobody waits, and none is lost.
        func finish() {
            while !permits.isEmpty, flaw == nil {
                leave()
                check()
            }
            note(reference.waiters.isEmpty, "a waiter is left while permits are free")
            if random.int(in: 0..<4) == 0 { checkStatistics() }
        }
    }

    /// 10,000 interleavings of 24 events.
    @Test func everyOrderEndsAsTheReferenceSays() {
        let (start, seed) = (ContinuousClock.now, TestSeed.value(0))
        for round in 0..<UInt64(SoakScale.rounds(10_000)) {
            let world = World(seed: seed &+ round, start: start)
            for _ in 0..<24 where world.flaw == nil { world.step() }
            if world.flaw == nil { world.finish() }
            if let flaw = world.flaw {
                Issue.record("round \(round): \(flaw)")
                return
            }
        }
    }
}
