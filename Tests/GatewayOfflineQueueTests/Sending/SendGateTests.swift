import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayOfflineQueue

/// How many entries are sent at the same time.
@Suite struct SendGateTests {
    private let random = SeededRandomSource(seed: 4)
    private let start = ContinuousClock.now

    private func origin(_ host: String = "a") throws -> Origin { try Origin("https://\(host).example.com") }

    private func begin(_ gate: inout SendGate, _ origin: Origin, _ now: ContinuousClock.Instant) {
        let hasBegun = gate.begin(origin, at: now)
        #expect(hasBegun)
    }

    /// queue.ramp
    @Test func theWindowDoublesWithEachRoundTrip() throws {
        var gate = SendGate(concurrency: 16)
        let origin = try origin()
        var rounds: [Int] = []
        for _ in 0..<6 {
            var begun = 0
            while gate.begin(origin, at: start) { begun += 1 }
            rounds.append(begun)
            for _ in 0..<begun { gate.end(origin, .reached, at: start, random: random) }
        }
        #expect(rounds == [1, 2, 4, 8, 16, 16])
        gate.restart()
        begin(&gate, origin, start)
        #expect(!gate.isOpen(origin, at: start))
    }

    /// queue.ramp
    @Test func anOriginThatPushesBackGetsLess() throws {
        var gate = SendGate(concurrency: 8)
        let (origin, other) = (try origin(), try self.origin("b"))
        for _ in 0..<10 {
            begin(&gate, origin, start)
            gate.end(origin, .reached, at: start, random: random)
        }
        begin(&gate, origin, start)
        gate.end(origin, .pushedBack(after: .seconds(10)), at: start, random: random)
        #expect(!gate.isOpen(origin, at: start.adding(.milliseconds(9_999))))
        #expect(gate.closedOrigins(ready: [], at: start) == [origin])
        #expect(gate.isOpen(other, at: start))
        // Not all clients at once.
        let end = try #require(gate.nextEnd(after: start))
        #expect(end >= start.adding(.seconds(10)) && end <= start.adding(.milliseconds(10_500)))
        var begun = 0
        while gate.begin(origin, at: end) { begun += 1 }
        #expect(begun == 4)
    }

    /// queue.ramp: what began before a pause says nothing about it.
    @Test func anOlderSuccessDoesNotEndAPause() throws {
        for effect in [SendGate.Effect.pushedBack(after: .seconds(20)), .unreachable(after: .seconds(20))] {
            var gate = SendGate(concurrency: 4)
            let origin = try origin()
            begin(&gate, origin, start)
            gate.end(origin, .reached, at: start, random: random)
            begin(&gate, origin, start)
            begin(&gate, origin, start)
            gate.end(origin, effect, at: start.adding(.seconds(1)), random: random)
            let window = gate.window(of: origin)
            gate.end(origin, .reached, at: start.adding(.seconds(2)), random: random)
            #expect(!gate.isOpen(origin, at: start.adding(.milliseconds(20_999))))
            #expect(gate.window(of: origin) == window && gate.inFlight == 0)
            #expect(gate.isOpen(origin, at: start.adding(.milliseconds(21_500))))
        }
    }

    /// queue.ramp: a server that fails for some requests only is not left alone for long.
    @Test func aPauseWithoutATimeBeginsShortAndDoubles() throws {
        var gate = SendGate(concurrency: 4)
        let origin = try origin()
        var now = start
        func pushBack() throws -> Duration {
            begin(&gate, origin, now)
            gate.end(origin, .pushedBack(after: nil), at: now, random: random)
            let end = try #require(gate.nextEnd(after: now))
            defer { now = end }
            return now.duration(to: end)
        }
        for index in 0..<12 {
            let most = min(Duration.milliseconds(100) * (1 << index), .seconds(60))
            let pause = try pushBack()
            #expect(pause <= most && pause >= most / 2)
        }
        begin(&gate, origin, now)
        gate.end(origin, .reached, at: now, random: random)
        #expect(try pushBack() <= .milliseconds(100))
    }

    /// queue.bad-entry-gives-way: a response without a time may be that of an entry, and the pause does not grow with it.
    @Test(arguments: [Duration.milliseconds(50), .milliseconds(300), .seconds(1)])
    func anOriginThatIsBusyHasAShortPause(most: Duration) throws {
        var gate = SendGate(concurrency: 4, longestBusyPause: most)
        let origin = try origin()
        var now = start
        for index in 0..<12 {
            begin(&gate, origin, now)
            gate.end(origin, .busy, at: now, random: random)
            let end = try #require(gate.nextEnd(after: now))
            let pause = now.duration(to: end)
            let longest = min(Duration.milliseconds(100) * (1 << index), most)
            #expect(pause <= longest && pause >= longest / 2)
            now = end
        }
    }

    /// queue.ramp: a server that allows eight requests at a time, and rejects more, rejects few.
    @Test func aLimitOfConcurrencyIsFoundWithFewRejections() throws {
        var gate = SendGate(concurrency: 32)
        let origin = try origin()
        var (now, sent, rejected) = (start, 0, 0)
        while sent < 5_000 {
            var begun = 0
            while gate.begin(origin, at: now) { begun += 1 }
            sent += begun
            for number in 0..<begun {
                let isRejected = number >= 8
                if isRejected { rejected += 1 }
                gate.end(origin, isRejected ? .busy : .reached, at: now, random: random)
            }
            now = max(now.adding(.milliseconds(10)), gate.nextEnd(after: now) ?? now)
        }
        #expect(rejected * 100 <= sent, "\(rejected) of \(sent)")
    }

    @Test func anOriginThatCannotBeReachedIsTriedWithOneRequestAndLongerPauses() throws {
        var gate = SendGate(concurrency: 8)
        let origin = try origin()
        var now = start
        var pauses: [Duration] = []
        for _ in 0..<12 {
            begin(&gate, origin, now)
            #expect(!gate.isOpen(origin, at: now))
            gate.end(origin, .unreachable(after: nil), at: now, random: random)
            let end = try #require(gate.nextEnd(after: now))
            pauses.append(now.duration(to: end))
            now = end
        }
        for (index, pause) in pauses.enumerated() {
            let most = min(Duration.milliseconds(500) * (1 << index), .seconds(60))
            #expect(pause <= most && pause >= most / 2)
        }
        gate.restart()
        #expect(gate.isOpen(origin, at: now))
    }

    /// queue.bad-entry-gives-way: an entry that fails says nothing about its origin.
    @Test func aFailureIsNoPauseOfItsOrigin() throws {
        var gate = SendGate(concurrency: 4)
        let origin = try origin()
        for _ in 0..<20 {
            begin(&gate, origin, start)
            gate.end(origin, .failed, at: start, random: random)
        }
        #expect(gate.isOpen(origin, at: start) && gate.nextEnd(after: start) == nil)
        #expect(gate.window(of: origin) == 1 && gate.inFlight == 0)
    }

    /// queue.bad-entry-gives-way: up to half of the concurrency.
    @Test func attemptsThatTakeLongLeaveTheirRoomToOthers() throws {
        var gate = SendGate(concurrency: 4, longAttempt: .seconds(10))
        let origin = try origin()
        func at(_ seconds: Int) -> ContinuousClock.Instant { start.adding(.seconds(seconds)) }
        for turn in 0..<3 {
            begin(&gate, origin, at(turn * 10))
            #expect(!gate.isOpen(origin, at: start.adding(.milliseconds(turn * 10_000 + 9_999))))
            #expect(gate.nextLongAttempt(after: at(turn * 10)) == at(turn * 10 + 10))
        }
        #expect(!gate.isOpen(origin, at: at(100)) && gate.inFlight == 3)
        #expect(gate.nextLongAttempt(after: at(30)) == nil)
        gate.end(origin, .failed, began: at(10), at: at(40), random: random)
        begin(&gate, origin, at(40))
        gate.end(origin, .failed, began: at(40), at: at(41), random: random)
        // The others still take long.
        #expect(gate.isOpen(origin, at: at(41)) && gate.inFlight == 2)
    }

    @Test func attemptsThatBeganTogetherCountOnce() throws {
        var gate = SendGate(concurrency: 8)
        let origin = try origin()
        for _ in 0..<4 {
            var begun = 0
            while gate.begin(origin, at: start) { begun += 1 }
            for _ in 0..<begun { gate.end(origin, .reached, at: start, random: random) }
        }
        for _ in 0..<8 { begin(&gate, origin, start) }
        for _ in 0..<8 { gate.end(origin, .unreachable(after: nil), at: start, random: random) }
        let end = try #require(gate.nextEnd(after: start))
        #expect(start.duration(to: end) <= .milliseconds(500))
        #expect(gate.inFlight == 0)
    }

    @Test func anAbsurdPauseIsBounded() throws {
        var gate = SendGate(concurrency: 1)
        let origin = try origin()
        begin(&gate, origin, start)
        gate.end(origin, .pushedBack(after: .seconds(Int64.max)), at: start, random: random)
        #expect(gate.isOpen(origin, at: start.adding(.seconds(3_601))))
    }
}
