import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// `debounce.last-wins`
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct DebouncerTests {
    private let clock = ManualClock()

    private func makeDebouncer() throws -> (Debouncer<Int>, AsyncStream<Int>.Iterator) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let debouncer = try Debouncer<Int>(delay: .milliseconds(300), clock: clock) { continuation.yield($0) }
        return (debouncer, stream.makeAsyncIterator())
    }

    @Test func theLastOfABurstIsDelivered() async throws {
        var (debouncer, values) = try makeDebouncer()
        debouncer.submit(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(299))
        debouncer.submit(2)
        // The timer wakes for the first value and sleeps for what is left of the second one's delay.
        clock.advance(by: .milliseconds(1))
        await clock.waitForSleepers(1)
        debouncer.submit(3)
        clock.advance(by: .milliseconds(299))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(1))
        #expect(await values.next() == 3)
        #expect(clock.requestedDelays == [.milliseconds(300), .milliseconds(299), .milliseconds(1)])
    }

    @Test func eachQuietValueIsDelivered() async throws {
        var (debouncer, values) = try makeDebouncer()
        for value in 1...3 {
            debouncer.submit(value)
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(300))
            #expect(await values.next() == value)
        }
    }

    @Test func aDroppedValueIsNotDelivered() async throws {
        var (debouncer, values) = try makeDebouncer()
        debouncer.submit(1)
        await clock.waitForSleepers(1)
        debouncer.cancel()
        clock.advance(by: .milliseconds(300))
        debouncer.submit(2)
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(300))
        #expect(await values.next() == 2)
    }

    @Test func aValueDuringADeliveryWaitsForItsEnd() async throws {
        let gate = Gate()
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let debouncer = try Debouncer<Int>(delay: .seconds(1), clock: clock) { value in
            continuation.yield("begin \(value)")
            await gate.pass()
            continuation.yield("end \(value)")
        }
        var log = stream.makeAsyncIterator()
        debouncer.submit(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await log.next() == "begin 1")
        debouncer.submit(2)
        clock.advance(by: .seconds(5))
        gate.open()
        #expect(await log.next() == "end 1")
        #expect(await log.next() == "begin 2")
        #expect(await log.next() == "end 2")
    }

    /// A delay without an end is slept once, and does not end.
    @Test(arguments: Extremes.durations.filter { $0 > .seconds(1) })
    func aLongDelayIsSleptOnce(delay: Duration) async throws {
        let debouncer = try Debouncer<Int>(delay: delay, clock: clock) { Issue.record("\($0) is delivered") }
        debouncer.submit(1)
        await clock.waitForSleepers(1)
        for _ in 0..<100 { clock.advance(by: .seconds(86_400 * 365)) }
        #expect(clock.requestedDelays == [delay.bounded] && clock.sleeperCount == 1)
        debouncer.cancel()
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func aDelayThatIsNotPositiveIsRefused(delay: Duration) {
        #expect {
            _ = try Debouncer<Int>(delay: delay) { _ in }
        } throws: { error in
            (error as? NetworkError)?.message == "Invalid setting 'delay': must be more than 0."
        }
    }
}
