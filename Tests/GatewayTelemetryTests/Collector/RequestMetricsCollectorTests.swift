import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

@Suite struct RequestMetricsCollectorTests {
    private let clock = ManualClock()
    private let origin: Origin

    init() throws { origin = try EventSamples.origin() }

    private func event(
        _ kind: RequestEvent.Kind, _ operation: GatewayCore.Operation? = "list",
        at instant: ContinuousClock.Instant? = nil, trace: TraceContext? = nil
    ) -> RequestEvent {
        RequestEvent(
            instant: instant ?? clock.now, callID: 1, trace: trace, operation: operation, origin: origin,
            method: .get, kind: kind)
    }

    @Test func callsAreCountedByTheirEnd() {
        let collector = RequestMetricsCollector(clock: clock)
        for _ in 0..<7 { collector.record(event(.started)) }
        for status in [200, 304, 404, 503] {
            collector.record(event(.succeeded(status: status, attempts: 1, duration: .milliseconds(100))))
        }
        collector.record(event(.failed(FailureCause(.timeout), attempts: 3, duration: .milliseconds(300))))
        collector.record(event(.cancelled(attempts: 0, duration: .milliseconds(500))))
        collector.record(event(.deduplicated(leader: 2)))
        for _ in 0..<3 { collector.record(event(.replayed(generation: 2))) }
        collector.record(event(.retryScheduled(delay: .seconds(1), status: 503, error: nil)))
        collector.record(event(.retryScheduled(delay: .seconds(2), status: nil, error: .timeout)))
        for window in [nil, .tenSeconds, .oneMinute, .fiveMinutes] as [MetricsWindow?] {
            let metrics = collector.snapshot(window)
            #expect(metrics.started == 7 && metrics.succeeded == 2 && metrics.failed == 3)
            #expect(metrics.errorResponses == 2 && metrics.cancelled == 1 && metrics.inProgress == 1)
            #expect(metrics.retries == 2 && metrics.deduplicated == 1 && metrics.replays == 3)
            #expect(metrics.successRate == 0.4)
            #expect(metrics.averageDuration == .milliseconds(200))
            #expect(metrics.p50.map { $0 > .milliseconds(98) && $0 < .milliseconds(102) } == true)
            #expect(metrics.p99.map { $0 > .milliseconds(494) && $0 <= .milliseconds(500) } == true)
        }
        #expect(RequestMetrics().successRate == nil && RequestMetrics().p95 == nil)
    }

    @Test func aWindowForgets() {
        let collector = RequestMetricsCollector(clock: clock)
        collector.record(event(.started))
        collector.record(event(.succeeded(status: 200, attempts: 1, duration: .seconds(2))))
        clock.advance(by: .seconds(13))
        #expect(collector.snapshot(.tenSeconds).durations.count == 0)
        #expect(collector.snapshot(.oneMinute).durations.count == 1)
        clock.advance(by: .seconds(60))
        #expect(collector.snapshot(.oneMinute).durations.count == 0)
        #expect(collector.snapshot(.fiveMinutes).durations.count == 1)
        clock.advance(by: .seconds(300))
        #expect(collector.snapshot(.fiveMinutes) == RequestMetrics())
        #expect(collector.snapshot().succeeded == 1)
        // A window moves without calls, too.
        collector.record(event(.started))
        #expect(collector.snapshot(.tenSeconds).started == 1)
    }

    @Test func operationsHaveTheirOwnMetrics() {
        let collector = RequestMetricsCollector(operationLimit: 3, clock: clock)
        for operation in ["a", nil, "b", "c", "a", "d"] as [GatewayCore.Operation?] {
            collector.record(event(.started, operation))
            collector.record(event(.succeeded(status: 200, attempts: 1, duration: .zero), operation))
        }
        let operations = collector.operations(.oneMinute).mapValues(\.succeeded)
        #expect(operations == ["a": 2, nil: 1, .other: 3])
        #expect(collector.snapshot().succeeded == 6)
    }

    /// At any instant the calls that began are those that ended and those in progress.
    @Test(.tags(.concurrent)) func callsAreConserved() async {
        let collector = RequestMetricsCollector(clock: clock)
        let calls = 400
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask { [self] in
                    for call in 0..<calls {
                        let operation = GatewayCore.Operation("operation \(call % 5)")
                        collector.record(event(.started, operation))
                        let duration = Duration.milliseconds(call)
                        let end: RequestEvent.Kind =
                            switch (call + worker) % 4 {
                            case 0: .succeeded(status: 200, attempts: 1, duration: duration)
                            case 1: .succeeded(status: 500, attempts: 1, duration: duration)
                            case 2: .failed(FailureCause(.timeout), attempts: 1, duration: duration)
                            default: .cancelled(attempts: 1, duration: duration)
                            }
                        collector.record(event(end, operation))
                    }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    let now = collector.snapshot()
                    #expect(now.started == now.succeeded + now.failed + now.cancelled + now.inProgress)
                    #expect(now.inProgress >= 0 && now.inProgress <= 4)
                    await Task.yield()
                }
            }
        }
        let end = collector.snapshot()
        #expect(end.started == 4 * calls && end.inProgress == 0)
        #expect(end.succeeded == calls && end.failed == 2 * calls && end.cancelled == calls)
    }

    @Test func seriesAreBoundedAndTheSumIsExact() {
        let collector = RequestMetricsCollector(clock: clock)
        for index in 0..<10_000 {
            let operation = GatewayCore.Operation("operation \(index)")
            collector.record(event(.started, operation))
            collector.record(
                event(
                    .attemptEnded(AttemptEnd(.response(status: 200), duration: .milliseconds(1))), operation)
            )
            collector.record(
                event(.succeeded(status: 200, attempts: 1, duration: .nanoseconds(index)), operation))
            collector.record(event(.deduplicated(leader: 2), operation))
        }
        let state = collector.copy()
        for table in [state.calls, state.requests] {
            #expect(table.count == 2_000)
            #expect(
                table.entries.reduce(table.overflow?.histogram.count ?? 0) { $0 + $1.value.histogram.count }
                    == 10_000)
        }
        #expect(state.numbers[.coalesced]?.count == 2_000)
        #expect(state.operations.count == 256)
        #expect(collector.snapshot().durations.sum == .nanoseconds(10_000 * 9_999 / 2))
        #expect(collector.snapshot(.tenSeconds).started == 10_000)
    }

    @Test func aClockThatStepsBackGivesNoNegativeDuration() {
        let collector = RequestMetricsCollector(clock: clock)
        let earlier = clock.now.advanced(by: .seconds(-100))
        collector.record(event(.started, at: earlier))
        collector.record(
            event(.succeeded(status: 200, attempts: 1, duration: .seconds(-5)), at: earlier))
        collector.record(
            event(.attemptEnded(AttemptEnd(.response(status: 200), duration: .seconds(-5))), at: earlier))
        collector.record(event(.credentialWaited(.seconds(-5)), at: earlier))
        let metrics = collector.snapshot(.tenSeconds)
        #expect(metrics.started == 1 && metrics.p50 == .zero && metrics.averageDuration == .zero)
        #expect(collector.copy().requests.entries.map(\.value.histogram.sum) == [.zero])
        #expect(collector.copy().histograms[.tokenWait]?.entries.map(\.value.histogram.sum) == [.zero])
    }

    @Test(arguments: ExtremeValues.durations, ExtremeValues.integers)
    func anyDurationAndLimitIsCounted(duration: Duration, limit: Int) async {
        let collector = RequestMetricsCollector(seriesLimit: limit, operationLimit: limit, clock: clock)
        for instant in [nil, clock.now.advanced(by: duration.bounded)] {
            collector.record(event(.started, at: instant))
            collector.record(event(.retryScheduled(delay: duration, status: limit, error: nil), at: instant))
            collector.record(
                event(
                    .attemptEnded(AttemptEnd(.response(status: limit), duration: duration)), at: instant))
            collector.record(
                event(.succeeded(status: limit, attempts: limit, duration: duration), at: instant))
        }
        #expect(collector.snapshot().started == 2)
        #expect(await !collector.exposition(accepting: nil).bytes.isEmpty)
    }

    @Test func whatWasNotSentIsNoRequest() {
        let collector = RequestMetricsCollector(clock: clock)
        collector.record(event(.attemptStarted))
        collector.record(event(.attemptStarted))
        #expect(collector.copy().attempts.entries.map(\.value.active) == [2])
        collector.record(event(.attemptEnded(AttemptEnd(.error(.circuitOpen, phase: nil)))))
        collector.record(
            event(.attemptEnded(AttemptEnd(.error(.timeout, phase: .receive), duration: .seconds(3)))))
        let state = collector.copy()
        #expect(state.attempts.entries.map(\.value.active) == [0])
        #expect(state.requests.entries.map(\.key.outcome) == [.error("timeout")])
        #expect(state.attempts.entries.flatMap { $0.value.sent.map(\.count) } == [1])
    }

    @Test func metricsOfProcessesMerge() {
        let whole = RequestMetricsCollector(clock: clock)
        let parts = (0..<16).map { _ in RequestMetricsCollector(clock: clock) }
        for (index, sample) in Distribution.bimodal.samples(800).enumerated() {
            let end = RequestEvent.Kind.succeeded(
                status: index % 7 == 0 ? 500 : 200, attempts: 1, duration: .nanoseconds(Int64(sample)))
            for collector in [whole, parts[index % 16]] {
                collector.record(event(.started))
                collector.record(event(end))
            }
        }
        for window in [nil, .oneMinute] as [MetricsWindow?] {
            let merged = parts.reduce(into: RequestMetrics()) { $0.merge($1.snapshot(window)) }
            #expect(merged == whole.snapshot(window))
        }
    }

    @Test func tokenRefreshesHaveReasonAndOutcome() {
        let collector = RequestMetricsCollector(clock: clock)
        func record(_ kind: TokenEvent.Kind, key: String = "a") {
            collector.record(
                TokenEvent(
                    instant: clock.now, credential: CredentialIdentity(key: key, epoch: 1), generation: 1,
                    kind: kind))
        }
        record(.refreshStarted(.demand))
        clock.advance(by: .milliseconds(250))
        record(.refreshed(lifetime: .seconds(300), renewal: .seconds(240)))
        record(.refreshStarted(.rejected), key: "b")
        record(
            .refreshFailed(FailureCause(.timeout), isPermanent: false, attempt: 1, retryAfter: nil), key: "b")
        record(.adopted(lifetime: .seconds(60), renewal: .seconds(50)), key: "b")
        let state = collector.copy()
        #expect(
            state.numbers[.tokenRefreshes]?.entries.map(\.key) == [
                ["demand", "refreshed"], ["rejected", "timeout"], ["unknown", "adopted"],
            ])
        #expect(
            state.histograms[.tokenRefreshDuration]?.entries.first?.value.histogram.sum == .milliseconds(250))
        #expect(state.tokens.timeToExpiry(now: clock.now) == .seconds(60))
        clock.advance(by: .seconds(90))
        #expect(state.tokens.timeToExpiry(now: clock.now) == .seconds(-30))
        record(.signedOut, key: "b")
        #expect(collector.copy().tokens.timeToExpiry(now: clock.now) == .seconds(210))
    }

    @Test func circuitsHaveOneCurrentState() throws {
        let collector = RequestMetricsCollector(clock: clock)
        func current() -> [String] {
            collector.copy().numbers[.circuitState]?.entries.filter { $0.value == 1 }.map { $0.key[1] } ?? []
        }
        let kinds: [(StateEvent.Kind, String)] = [
            (.circuitOpened("o", for: .seconds(1)), "open"), (.circuitHalfOpened("o"), "half_open"),
            (.circuitClosed("o"), "closed"), (.circuitIsolated("o"), "isolated"),
        ]
        for (kind, state) in kinds {
            collector.record(StateEvent(instant: clock.now, origin: origin, kind: kind))
            #expect(current() == [state])
        }
        #expect(collector.copy().numbers[.circuitTransitions]?.entries.map(\.value) == [1, 1, 1, 1])
    }
}
