import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite struct HedgeBudgetTests {
    /// A budget that sums up all that ever happened to an origin.
    private struct Reference {
        /// Thousandths of a hedge.
        var balance = 0
        var isExhausted = false
        let share: Int

        mutating func add(_ amount: Int) {
            balance = min(balance + amount, 20_000)
            if balance >= 10_000 { isExhausted = false }
        }

        mutating func take() -> HedgeBudget.Decision {
            guard balance < 1_000 else {
                balance -= 1_000
                return .granted
            }
            defer { isExhausted = true }
            return .refused(isFirst: !isExhausted)
        }
    }

    @Test(arguments: 0..<UInt64(SoakScale.rounds(5)))
    func everyOrderEndsAsTheReferenceSays(seed: UInt64) throws {
        let random = SeededRandomSource(seed: TestSeed.value(seed))
        let share = [1, 10, 50, 125, 500, 1_000][random.int(in: 0..<6)]
        var budget = HedgeBudget(share: Double(share) / 1_000)
        let origins = try ["http://a", "http://b"].map { try Origin($0) }
        var references = [Reference(share: share), Reference(share: share)]
        for step in 0..<6_000 {
            let index = random.int(in: 0..<2)
            // Times with many hedges and times with few.
            let isBusy = (step / 500).isMultiple(of: 2)
            switch random.int(in: 0..<(isBusy ? 3 : 300)) {
            case 0: #expect(budget.takeHedge(to: origins[index]) == references[index].take())
            case 1 where random.int(in: 0..<8) == 0:
                budget.returnHedge(to: origins[index])
                references[index].add(1_000)
            default:
                budget.recordRequest(to: origins[index])
                references[index].add(share)
            }
        }
    }

    /// Not for a client with few requests, either: there is no reserve in the beginning.
    @Test(arguments: [1, 10, 19, 20, 100, 1_000])
    func hedgesAreNeverMoreThanTheShare(requests: Int) throws {
        let origin = try Origin("http://h")
        var budget = HedgeBudget(share: 0.05)
        var hedges = 0
        for count in 1...requests {
            budget.recordRequest(to: origin)
            if budget.takeHedge(to: origin) == .granted { hedges += 1 }
            #expect(hedges * 20 <= count)
        }
        #expect(hedges == requests / 20)
    }

    @Test func savingIsBounded() throws {
        let origin = try Origin("http://h")
        var budget = HedgeBudget(share: 1)
        for _ in 0..<100_000 { budget.recordRequest(to: origin) }
        var hedges = 0
        while budget.takeHedge(to: origin) == .granted { hedges += 1 }
        #expect(hedges == 20)
    }

    @Test func theNumberOfBudgetsIsBounded() throws {
        var budget = HedgeBudget(share: 0.5, capacity: 2)
        for index in 0..<10 { budget.recordRequest(to: try Origin("http://h\(index)")) }
        #expect(budget.count == 2)
        // The others share one: eight halves.
        #expect(
            try (2..<9).map { budget.takeHedge(to: try Origin("http://h\($0)")) == .granted }
                == [true, true, true, true, false, false, false])
        #expect(budget.takeHedge(to: try Origin("http://h0")) == .refused(isFirst: true))
    }

    @Test(arguments: [Double.nan, -1, 0, .infinity, 1e300]) func anyShareIsSafe(share: Double) throws {
        let origin = try Origin("http://h")
        var budget = HedgeBudget(share: share)
        for _ in 0..<100 { budget.recordRequest(to: origin) }
        #expect((budget.takeHedge(to: origin) == .granted) == (share > 0))
    }
}
