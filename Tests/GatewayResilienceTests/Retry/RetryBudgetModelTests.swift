import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Random requests and retries in random order, compared with a reference that keeps the whole history.
@Suite struct RetryBudgetModelTests {
    /// The history of an origin.
    private struct Reference {
        let budget: RetryBudget
        /// What each event adds, in millionths of a retry, and its time in milliseconds.
        var history: [(now: Int, change: Int)] = []
        var isExhausted = false

        private var full: Int { budget.reserve * 1_000_000 }

        /// Computed anew from the whole history.
        func balance(at now: Int) -> Int {
            var (balance, last) = (full, 0)
            for event in history {
                balance = min(full, balance + (event.now - last) * Int(budget.perSecond) * 1000)
                balance = min(full, balance + event.change)
                last = event.now
            }
            return min(full, balance + (now - last) * Int(budget.perSecond) * 1000)
        }

        mutating func add(_ amount: Int, now: Int) -> Bool {
            history.append((now, amount))
            guard balance(at: now) == full else { return false }
            defer { isExhausted = false }
            return isExhausted
        }

        mutating func take(now: Int) -> RetryBudgetStateMachine.Decision {
            guard balance(at: now) >= 1_000_000 else {
                defer { isExhausted = true }
                return .refused(isFirst: !isExhausted)
            }
            history.append((now, -1_000_000))
            return .granted
        }
    }

    private static let budgets = [
        RetryBudget(share: 0.2, perSecond: 10, reserve: 3), RetryBudget(share: 0.5, perSecond: 0, reserve: 2),
        RetryBudget(share: 0, perSecond: 1, reserve: 1), RetryBudget(share: 1, perSecond: 0, reserve: 5),
        RetryBudget(share: 0.001, perSecond: 3, reserve: 2),
    ]

    /// 10,000 orders of up to 13 events.
    @Test func everyOrderEndsAsTheReferenceSays() throws {
        let origins = try (0..<3).map { try Origin("https://\($0).example") }
        let start = ContinuousClock.now
        let random = SeededRandomSource(seed: TestSeed.value(16))
        for round in 0..<SoakScale.rounds(10_000) {
            let budget = Self.budgets[round % Self.budgets.count]
            var machine = RetryBudgetStateMachine(budget)
            var references = origins.map { _ in Reference(budget: budget) }
            var granted = origins.map { _ in 0 }
            var requests = origins.map { _ in 0 }
            var now = 0
            for _ in 0..<random.int(in: 4..<14) {
                now += [0, 0, 1, 7, 150, 1000][random.int(in: 0..<6)]
                let index = random.int(in: 0..<origins.count)
                let (origin, instant) = (origins[index], start + .milliseconds(now))
                switch random.int(in: 0..<5) {
                case 0, 1:
                    requests[index] += 1
                    let hasRecovered = machine.recordRequest(to: origin, now: instant)
                    let expected = references[index].add(Int((budget.share * 1_000_000).rounded()), now: now)
                    guard hasRecovered == expected else {
                        Issue.record("round \(round): recovered \(hasRecovered)")
                        return
                    }
                case 2 where granted[index] > 0:
                    granted[index] -= 1
                    let hasRecovered = machine.returnRetry(to: origin, now: instant)
                    guard hasRecovered == references[index].add(1_000_000, now: now) else {
                        Issue.record("round \(round): recovered \(hasRecovered)")
                        return
                    }
                default:
                    let decision = machine.takeRetry(to: origin, now: instant)
                    if decision == .granted { granted[index] += 1 }
                    guard decision == references[index].take(now: now) else {
                        Issue.record("round \(round): \(decision)")
                        return
                    }
                }
                let limit =
                    Double(budget.reserve) + budget.share * Double(requests[index])
                    + budget.perSecond * Double(now) / 1000
                guard Double(granted[index]) <= limit + 1e-9, machine.count <= origins.count else {
                    Issue.record("round \(round): \(granted[index]) retries of \(limit)")
                    return
                }
            }
            let later = start + .milliseconds(now) + .seconds(budget.reserve)
            for origin in origins where budget.perSecond > 0 {
                _ = machine.recordRequest(to: origin, now: later)
            }
            guard budget.perSecond == 0 || machine.isIdle else {
                Issue.record("round \(round): full buckets are kept")
                return
            }
        }
    }

    /// Any number of origins, of which few have a bucket of their own: the others share one, and none gets more than its
    /// budget.
    @Test func theNumberOfBucketsIsBounded() throws {
        let budget = RetryBudget(share: 0.5, perSecond: 1, reserve: 2)
        let origins = try (0..<12).map { try Origin("https://\($0).example") }
        let start = ContinuousClock.now
        let random = SeededRandomSource(seed: TestSeed.value(7))
        var mostKept = 0
        var hasShared = false
        for round in 0..<SoakScale.rounds(200) {
            var machine = RetryBudgetStateMachine(budget, capacity: 4)
            var granted = origins.map { _ in 0 }
            var requests = 0
            var now = 0
            for _ in 0..<60 {
                now += [0, 0, 0, 300, 2000][random.int(in: 0..<5)]
                let index = random.int(in: 0..<origins.count)
                let instant = start + .milliseconds(now)
                if random.int(in: 0..<3) == 0 {
                    requests += 1
                    _ = machine.recordRequest(to: origins[index], now: instant)
                } else if machine.takeRetry(to: origins[index], now: instant) == .granted {
                    granted[index] += 1
                }
                mostKept = max(mostKept, machine.count)
                hasShared = hasShared || machine.count == 5
                let limit = 2 + 0.5 * Double(requests) + Double(now) / 1000
                guard Double(granted[index]) <= limit, machine.count <= 5 else {
                    Issue.record(
                        "round \(round): \(granted[index]) retries of \(limit), \(machine.count) kept")
                    return
                }
            }
        }
        #expect(mostKept == 5 && hasShared)
    }

    @Test func anOriginWithoutRetriesHasNoBucket() throws {
        var machine = RetryBudgetStateMachine(.standard)
        for index in 0..<2_000 {
            _ = machine.recordRequest(to: try Origin("https://\(index).example"), now: .now)
        }
        #expect(machine.isIdle && machine.count == 0)
    }

    /// A full bucket is removed to make room, and one that is not full never is.
    @Test func onlyFullBucketsMakeRoom() throws {
        var machine = RetryBudgetStateMachine(
            RetryBudget(share: 0, perSecond: 1, reserve: 1), capacity: 2)
        let origins = try (0..<4).map { try Origin("https://\($0).example") }
        let start = ContinuousClock.now
        #expect(machine.takeRetry(to: origins[0], now: start) == .granted)
        #expect(machine.takeRetry(to: origins[1], now: start + .milliseconds(500)) == .granted)
        // No room: the third shares a bucket with the fourth.
        #expect(machine.takeRetry(to: origins[2], now: start + .milliseconds(500)) == .granted)
        #expect(machine.takeRetry(to: origins[3], now: start + .milliseconds(500)) == .refused(isFirst: true))
        // The first is full again. The fourth gets its place, and begins with what was shared.
        #expect(
            machine.takeRetry(to: origins[3], now: start + .milliseconds(1000)) == .refused(isFirst: false))
        #expect(
            machine.takeRetry(to: origins[1], now: start + .milliseconds(1000)) == .refused(isFirst: true))
        #expect(machine.takeRetry(to: origins[3], now: start + .milliseconds(1500)) == .granted)
    }

    @Test(arguments: ExtremeValues.doubles, ExtremeValues.integers)
    func anyNumbersAreSafe(number: Double, reserve: Int) throws {
        let origin = try Origin("https://a.example")
        var machine = RetryBudgetStateMachine(
            RetryBudget(share: number, perSecond: number, reserve: reserve))
        let start = ContinuousClock.now
        for duration in ExtremeValues.durations {
            _ = machine.takeRetry(to: origin, now: start.advanced(by: duration.bounded))
            _ = machine.recordRequest(to: origin, now: start.advanced(by: duration.bounded))
            _ = machine.returnRetry(to: origin, now: start)
        }
    }
}
