import Testing

@testable import GatewayTelemetry

@Suite struct SeriesTableTests {
    @Test(arguments: [2, 3, 2_000])
    func eachUpdateCountsOnce(limit: Int) {
        var table = SeriesTable<Int, Int>(limit: limit)
        for round in 0..<3 {
            for key in 0..<3_000 { table.update(key, from: 0) { $0 += 1 } }
            #expect(table.count == limit)
            #expect(table.entries.map(\.value) == Array(repeating: round + 1, count: limit - 1))
            #expect(table.overflow == (round + 1) * (3_000 - limit + 1))
        }
        #expect(table.entries.map(\.key) == Array(0..<limit - 1))
    }

    @Test func withinTheLimitNothingOverflows() {
        var table = SeriesTable<Int, Int>(limit: 10)
        for key in 0..<9 { table.update(key, from: 0) { $0 += 1 } }
        #expect(table.count == 9)
        #expect(table.overflow == nil)
        var least = SeriesTable<Int, Int>(limit: -1)
        for key in 0..<3 { least.update(key, from: 0) { $0 += 1 } }
        #expect(least.count == 2 && least.overflow == 2)
    }
}
