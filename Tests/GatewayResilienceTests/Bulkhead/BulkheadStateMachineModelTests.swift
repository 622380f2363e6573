import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Random events in random order, compared with ``ReferenceBulkhead``: 100,000 interleavings of 24 events, ten times as many
/// in the long tests.
@Suite struct BulkheadStateMachineModelTests {
    private struct World {
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
        var places: [Int: Int] = [:]
        var flaws: [String] = []

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
            reference = ReferenceBulkhead(policy: policy, perOrigin: perOrigin, ageing: ageing)
        }

        private var instant: ContinuousClock.Instant { start + .milliseconds(now) }

        private mutating func note(_ holds: Bool, _ flaw: String) {
            if !holds { flaws.append(flaw) }
        }

        mutating func step() {
            switch random.int(in: 0..<32) {
            case 0..<11: enter()
            case 11: enterNow()
            case 12..<19 where !permits.isEmpty: leave()
            case 19..<22 where !waiting.isEmpty: withdraw()
            case 22..<24 where !waiting.isEmpty: raise()
            case 24 where !places.isEmpty: setLimit()
            case 25: empty()
            case 26:
                machine.expire(at: instant)
                reference.expire(at: now)
            case 27: now += random.int(in: 1..<6) * 40
            default: now += random.int(in: 0..<4) * 5
            }
            check()
        }

        private mutating func admitted(_ place: Int, _ origin: Int) {
            note(places[origin, default: place] == place, "an origin has one place")
            places[origin] = place
            permits.append((place, origin))
        }

        private mutating func enterNow() {
            let origin = random.int(in: 0..<3)
            let place = machine.enterNow(Self.origins[origin])
            note((place != nil) == reference.enterNow(origin), "enterNow: \(String(describing: place))")
            if let place { admitted(place, origin) }
        }

        private mutating func enter() {
            let (origin, priority) = (random.int(in: 0..<3), random.int(in: 0..<4))
            let deadline = random.int(in: 0..<2) == 0 ? nil : now + random.int(in: 0..<20) * 5
            lastWaiter += 1
            let expected = reference.enter(lastWaiter, origin, priority, deadline: deadline, at: now)
            let entry = machine.enter(
                lastWaiter, to: Self.origins[origin], priority: Self.priorities[priority],
                until: deadline.map { start + .milliseconds($0) }, at: instant)
            let text: String
            switch entry {
            case .admitted(let place):
                text = "admitted"
                admitted(place, origin)
            case .waits(let id):
                text = "waits"
                waiting.append((id, lastWaiter, origin))
            case .rejected(let rejection): text = Self.text(rejection)
            }
            note(text == expected, "\(text), not \(expected)")
        }

        private mutating func leave() {
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
        private mutating func withdraw() {
            let (id, waiter, _) = waiting[random.int(in: 0..<waiting.count)]
            let isWithdrawn = machine.withdraw(id)
            note(isWithdrawn == reference.withdraw(waiter), "withdrawn \(waiter): \(isWithdrawn)")
        }

        private mutating func raise() {
            let (id, waiter, _) = waiting[random.int(in: 0..<waiting.count)]
            let priority = random.int(in: 0..<4)
            machine.raise(id, to: Self.priorities[priority], at: instant)
            reference.raise(waiter, to: priority, at: now)
        }

        private mutating func setLimit() {
            guard let (origin, place) = places.min(by: { $0.key < $1.key }) else { return }
            let limit = random.int(in: 0..<6)
            machine.setLimit(limit, of: place, at: instant)
            reference.setLimit(limit, origin, at: now)
        }

        private mutating func empty() {
            let (origin, rest) = (random.int(in: 0..<3), random.int(in: 0..<2))
            let isMeant = { @Sendable (waiter: Int) in rest == 0 || waiter % 2 == 0 }
            let gone = Set(machine.empty(Self.origins[origin], where: isMeant))
            let expected = reference.empty(origin, where: isMeant)
            note(gone == expected, "emptied \(gone), not \(expected)")
        }

        private static func text(_ rejection: BulkheadRejection) -> String {
            switch rejection.reason {
            case .full: "full"
            case .displaced: "displaced"
            case .hopeless: "hopeless"
            case .expired: "expired"
            }
        }

        private static func text(_ change: Machine.Change) -> String {
            func number(_ origin: Origin?) -> Int { origins.firstIndex { $0 == origin } ?? -1 }
            return switch change {
            case .overloaded(let origin, let limit, let waiting):
                "\(number(origin)): overloaded, \(limit), \(waiting)"
            case .recovered(let origin): "\(number(origin)): recovered"
            case .limit(let origin, let old, let new): "\(number(origin)): limit \(old) to \(new)"
            }
        }

        private mutating func check() {
            var log: [String] = []
            for action in machine.takeActions() {
                switch action {
                case .admit(let waiter, let place):
                    log.append("admit \(waiter)")
                    let origin = waiting.first { $0.waiter == waiter }?.origin
                    note(origin != nil, "it did not wait")
                    admitted(place, origin ?? -1)
                case .reject(let waiter, let rejection): log.append("\(Self.text(rejection)) \(waiter)")
                }
            }
            if log != reference.log { flaws.append("actions \(log), not \(reference.log)") }
            reference.log = []
            let reports = machine.takeChanges().map(Self.text)
            if reports != reference.reports {
                flaws.append("changes \(reports), not \(reference.reports)")
            }
            reference.reports = []
            // It looks at every waiter.
            guard random.int(in: 0..<4) == 0 else { return }
            let statistics = machine.statistics
            note(statistics.all.inUse == permits.count, "the permits in use")
            note(permits.count <= policy.inAll, "more permits than there are")
            note(statistics.all.waitingCount == reference.waiters.count, "those who wait")
            for (number, origin) in Self.origins.enumerated() {
                let counts = statistics.origins[origin]
                note((counts?.inUse ?? 0) == reference.origins[number]?.active ?? 0, "in use of an origin")
                let waiting = reference.waiters.filter { $0.origin == number }
                let expected = Dictionary(grouping: waiting) { Self.priorities[$0.priority] }
                note((counts?.waiting ?? [:]) == expected.mapValues(\.count), "waiting for an origin")
            }
            let next = machine.nextDeadline
            let expected = reference.waiters.compactMap(\.deadline).min().map { start + .milliseconds($0) }
            note(next == expected, "the next deadline")
        }

        /// All permits come back: then nobody waits, and none is lost.
        mutating func finish() {
            while !permits.isEmpty, flaws.isEmpty {
                leave()
                check()
            }
            note(machine.statistics.all.waitingCount == 0, "nobody waits for a permit that is free")
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func everyOrderEndsAsTheReferenceSays(part: UInt64) {
        let start = ContinuousClock.now
        let count = UInt64(SoakScale.rounds(5_000))
        for seed in part * count..<(part + 1) * count {
            var world = World(seed: seed, start: start)
            for _ in 0..<24 where world.flaws.isEmpty { world.step() }
            if world.flaws.isEmpty { world.finish() }
            if let flaw = world.flaws.first {
                Issue.record("seed \(seed): \(flaw)")
                return
            }
        }
    }
}
