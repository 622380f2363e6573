import GatewayCore
import Testing

@testable import GatewayDashboard

@Suite struct HistoryTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func callsAreCountedInTheirColumns() throws {
        var history = History()
        history.begin(at: 0)
        history.begin(at: 1 * Self.second)
        history.end(.status(200), nanoseconds: 20_000_000, at: 1 * Self.second)
        history.end(.status(503), nanoseconds: 40_000_000, at: 2 * Self.second)
        history.end(.error(FailureCause(.timeout)), nanoseconds: 400_000_000, at: 3 * Self.second)
        history.end(.cancelled, nanoseconds: 1, at: 3 * Self.second)
        history.retry(at: 3 * Self.second)
        let columns = history.columns(from: 0, at: 3 * Self.second)
        #expect(columns.map(\.number) == [0, 1])
        #expect(columns[0].started == 2 && columns[0].succeeded == 1 && columns[0].errorResponses == 0)
        #expect(columns[1].errorResponses == 1 && columns[1].errors == 1 && columns[1].cancelled == 1)
        #expect(columns[1].retries == 1 && columns[1].started == 0)
        // Within 1.1 %.
        let p50 = try #require(columns[0].p50)
        #expect((19_780_000...20_220_000).contains(p50))
        #expect(columns[0].p50 == columns[0].p99)
    }

    @Test(arguments: [
        (UInt64(0), 0), (500_000, 0), (500_001, 1), (1_000_000, 1), (20_000_000, 5), (20_000_001, 6),
        (50_000_000_000, 15), (50_000_000_001, 16), (.max, 16),
    ])
    func aBoundBelongsToTheRowBelowIt(nanoseconds: UInt64, row: Int) {
        var history = History()
        history.end(.status(200), nanoseconds: nanoseconds, at: 0)
        let heat = history.columns(from: 0, at: 0)[0].heat
        #expect(heat.indices.filter { heat[$0] > 0 } == [row])
    }

    @Test func tenMinutesAreKept() {
        var history = History()
        for second in 0..<3_600 { history.begin(at: UInt64(second) * Self.second) }
        let end = 3_599 * Self.second
        #expect(history.columns(from: 0, at: end).map(\.number) == Array(1_500...1_799))
        #expect(history.columns(from: 1_790, at: end).map(\.number) == Array(1_790...1_799))
        #expect(history.columns(from: 1_800, at: end).isEmpty)
        // Time passes without events.
        #expect(history.columns(from: 0, at: end + 598 * Self.second).map(\.number) == [1_799])
        #expect(history.columns(from: 0, at: end + 600 * Self.second).isEmpty)
        history.begin(at: end + 10_000 * Self.second)
        #expect(history.columns(from: 0, at: end + 10_000 * Self.second).count == 1)
    }

    @Test func anEarlierTimeCountsInTheNewestColumn() {
        var history = History()
        history.begin(at: 10 * Self.second)
        history.begin(at: 3 * Self.second)
        #expect(history.columns(from: 0, at: 10 * Self.second).map(\.started) == [2])
    }
}
