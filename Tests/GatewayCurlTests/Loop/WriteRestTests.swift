import Testing

@testable import GatewayCurl

@Suite struct WriteRestTests {
    /// Each rest is twice as long as the one before, up to 16 ms; one after progress is short again.
    @Test func restsGrowUntilSomethingMoves() {
        var rest = WriteRest()
        #expect(rest.isEmpty)
        var now: Int64 = 0
        for milliseconds: Int64 in [1, 2, 4, 8, 16, 16] {
            rest.begin(7, now: now)
            #expect(rest.nanosecondsLeft(now: now) == milliseconds * 1_000_000)
            #expect(rest.end(at: now + milliseconds * 1_000_000 - 1).isEmpty)
            now += milliseconds * 1_000_000
            #expect(rest.end(at: now) == [7])
            #expect(rest.isEmpty)
        }
        rest.noteProgress()
        rest.begin(7, now: now)
        #expect(rest.nanosecondsLeft(now: now) == 1_000_000)
    }

    /// Sockets that rest at the same time go on together, with the first of them.
    @Test func severalSocketsRest() {
        var rest = WriteRest()
        rest.begin(7, now: 0)
        rest.begin(8, now: 500_000)
        #expect(rest.end(at: 1_000_000) == [7, 8])
        #expect(rest.end(at: 5_000_000).isEmpty)
    }
}
