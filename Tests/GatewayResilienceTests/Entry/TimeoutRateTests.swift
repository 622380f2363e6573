import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite struct TimeoutRateTests {
    private static let alert = TimeoutAlert(rate: 0.5, minimumCalls: 4, window: .seconds(10))

    // MARK: The machine

    /// What the machine promises, kept in the simplest way: all calls of each key.
    private struct Reference {
        var calls: [(slot: Int, isTimeout: Bool)] = []
        var latest: Int
        var isExceeded = false

        /// Records a call and returns the change that is due.
        mutating func record(isTimeout: Bool, slot: Int) -> TimeoutRateStateMachine.Change? {
            latest = max(latest, slot)
            calls.append((latest, isTimeout))
            var (count, timeouts) = (0, 0)
            for call in calls where call.slot > latest - 10 {
                count += 1
                if call.isTimeout { timeouts += 1 }
            }
            let rate = Double(timeouts) / Double(count)
            if isExceeded, rate < 0.25 {
                isExceeded = false
                return .recovered
            }
            guard !isExceeded, count >= 4, rate >= 0.5 else { return nil }
            isExceeded = true
            return .exceeded(rate: rate, calls: count)
        }
    }

    /// Random calls, some with a clock that steps back and some with more keys than there is room for, compared with a
    /// reference that keeps all calls: 10,000 orders.
    @Test func everyOrderEndsAsTheReferenceSays() throws {
        typealias Key = TimeoutRateStateMachine.Key
        let keys = [
            Key(origin: try Origin("https://a.example"), operation: "list"),
            Key(origin: try Origin("https://a.example"), operation: nil),
            Key(origin: try Origin("https://b.example"), operation: "list"),
        ]
        let start = SystemClock().time
        let random = SeededRandomSource(seed: TestSeed.value(11))
        let steps = [0, 0, 100, 900, 5000, 12_000, -1500]
        var changes = 0
        for round in 0..<SoakScale.rounds(10_000) {
            let capacity = round % 4 == 0 ? 2 : keys.count
            var machine = TimeoutRateStateMachine(Self.alert, capacity: capacity, start: start)
            var references: [Reference?] = [nil, nil, nil]
            var known = 0
            var swept = -1
            var now = 0
            for _ in 0..<random.int(in: 5..<40) {
                now = max(-2000, now + steps[random.int(in: 0..<7)])
                let index = random.int(in: 0..<keys.count)
                let isTimeout = random.int(in: 0..<100) < (round % 3 == 0 ? 80 : 30)
                let slot = max(0, now / 1000)
                if references[index] == nil, known >= capacity, slot > swept {
                    swept = slot
                    for (index, reference) in references.enumerated() {
                        guard let reference, reference.latest <= slot - 10 else { continue }
                        references[index] = nil
                        known -= 1
                    }
                }
                if references[index] == nil, known < capacity {
                    references[index] = Reference(latest: slot)
                    known += 1
                }
                let expected = references[index]?.record(isTimeout: isTimeout, slot: slot)
                let change = machine.record(
                    keys[index], isTimeout: isTimeout, now: start.adding(.milliseconds(now)))
                guard change == expected, machine.count == known else {
                    Issue.record("round \(round): \(String(describing: change))")
                    return
                }
                if change != nil { changes += 1 }
            }
        }
        #expect(changes > 100)
    }

    @Test func theNumberOfOperationsIsBounded() throws {
        let start = SystemClock().time
        var machine = TimeoutRateStateMachine(Self.alert, capacity: 8, start: start)
        func record(_ index: Int, at seconds: Int) throws -> TimeoutRateStateMachine.Change? {
            machine.record(
                .init(origin: try Origin("https://\(index).example"), operation: nil), isTimeout: true,
                now: start.adding(.seconds(seconds)))
        }
        for round in 0..<4 { for index in 0..<100 { _ = try record(index, at: round) } }
        #expect(machine.count == 8)
        // Later, those without calls make room for others.
        for _ in 0..<3 { #expect(try record(50, at: 20) == nil) }
        #expect(try record(50, at: 20) == .exceeded(rate: 1, calls: 4))
        #expect(machine.count == 1)
    }

    @Test(arguments: ExtremeValues.durations, ExtremeValues.doubles)
    func anyNumbersAreSafe(duration: Duration, rate: Double) throws {
        let start = SystemClock().time
        var machine = TimeoutRateStateMachine(
            TimeoutAlert(rate: rate, minimumCalls: .min, window: duration), start: start)
        let key = TimeoutRateStateMachine.Key(origin: try Origin("https://a.example"), operation: nil)
        for other in ExtremeValues.durations {
            _ = machine.record(key, isTimeout: true, now: start.adding(other))
        }
    }

    /// Times that nanoseconds cannot count are in the first slot, or in the last.
    @Test(arguments: [false, true])
    func instantsOutOfRangeAreAtTheEnds(isLater: Bool) throws {
        let start = SystemClock().time
        let (century, window) = (Duration.seconds(100 * 365 * 86_400), Duration.seconds(12))
        let key = TimeoutRateStateMachine.Key(origin: try Origin("https://a.example"), operation: nil)
        var machine = TimeoutRateStateMachine(Self.alert, start: start)
        func record(at time: Duration) -> TimeoutRateStateMachine.Change? {
            machine.record(key, isTimeout: true, now: start.adding(time))
        }
        for _ in 0..<3 { #expect(record(at: isLater ? window : century * -4) == nil) }
        #expect(record(at: isLater ? century * 4 : window) == nil)
    }

    // MARK: The engine

    @Test func anOperationThatTimesOutOftenIsReported() async throws {
        let (clock, recorder) = (ManualClock(), EventRecorder())
        let replies = Locked<ScriptedTransport.Reply>(.status(200))
        let transport = ScriptedTransport { _, _ in replies.withLock { $0 } }
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.events = recorder
        configuration.retry.policy = .never
        configuration.timeoutAlert = Self.alert
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        func call(_ reply: ScriptedTransport.Reply, _ operation: GatewayCore.Operation) async throws {
            replies.withLock { $0 = reply }
            _ = try? await engine.send(
                try HTTPRequest(.get, "https://a.example/"), operation: operation)
        }
        let timeout = ScriptedTransport.Reply.failure(NetworkError(.timeout, "Late.", phase: .firstByte))
        // What is no call to the server does not count.
        for _ in 0..<9 { try await call(.failure(NetworkError(.overloaded, "Full.")), "list") }
        for reply in [timeout, .status(200), .status(503)] { try await call(reply, "list") }
        for _ in 0..<3 { try await call(timeout, "get") }
        #expect(recorder.stateEvents.isEmpty)
        try await call(timeout, "list")
        try await call(timeout, "list")
        #expect(
            recorder.stateEvents.map(\.kind) == [
                .timeoutRateExceeded(operation: "list", rate: 0.5, calls: 4)
            ])
        clock.advance(by: .seconds(20))
        try await call(.status(200), "list")
        #expect(recorder.stateEvents.map(\.kind).last == .timeoutRateRecovered(operation: "list"))
    }

    @Test(arguments: [
        (TimeoutAlert(rate: 0, minimumCalls: 1, window: .seconds(1)), "rate"),
        (TimeoutAlert(rate: 1.1, minimumCalls: 1, window: .seconds(1)), "rate"),
        (TimeoutAlert(rate: .nan, minimumCalls: 1, window: .seconds(1)), "rate"),
        (TimeoutAlert(rate: 1, minimumCalls: 0, window: .seconds(1)), "minimumCalls"),
        (TimeoutAlert(rate: 1, minimumCalls: 1, window: .zero), "window"),
    ])
    func impossibleAlertsNameTheProperty(alert: TimeoutAlert, property: String) {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.timeoutAlert = alert
        let error = #expect(throws: NetworkError.self) { try configuration.validate() }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.hasPrefix("Invalid setting 'timeoutAlert.\(property)': ") == true)
    }
}
