import GatewayCore
import Testing

@testable import GatewayDashboard

@Suite struct SparklinesTests {
    private static let step = Sparklines.stepNanoseconds

    @Test func stepsAreCounted() {
        var lines = Sparklines(limit: 10)
        for step in 0..<40 {
            for _ in 0...step { lines.count("list", at: UInt64(step) * Self.step) }
        }
        #expect(lines.counts(of: "list", at: 39 * Self.step) == Array(11...40))
        #expect(lines.counts(of: "list", at: 41 * Self.step) == Array(13...40) + [0, 0])
        #expect(lines.counts(of: "list", at: 90 * Self.step) == Array(repeating: 0, count: 30))
        #expect(lines.counts(of: "other", at: 0).isEmpty)
    }

    @Test func furtherOperationsAreCountedTogether() {
        var lines = Sparklines(limit: 3)
        for name in ["a", "b", "c", "d"] { lines.count(Operation(name), at: 0) }
        #expect(lines.counts(of: "a", at: 0).last == 1 && lines.counts(of: "b", at: 0).last == 1)
        #expect(lines.counts(of: "c", at: 0).isEmpty && lines.counts(of: .other, at: 0).last == 2)
    }

    @Test func digitsAreShares() {
        #expect(Snapshot.digits([]) == String(repeating: "0", count: 30))
        let counts = [UInt32](repeating: 0, count: 26) + [1, 35, 350, 349]
        #expect(Snapshot.digits(counts) == String(repeating: "0", count: 26) + "14zz")
        #expect(Snapshot.digits([.max]).last == "z")
    }
}
