import GatewayCore
import GatewayJSON
import GatewayTelemetry
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayDashboard

/// The figures of frames are those of the collectors.
@Suite struct FrameFiguresTests {
    private let fixture: DashboardFixture

    init() throws { fixture = try DashboardFixture() }

    /// Calls of several operations, with every outcome, for some minutes.
    private func play(_ random: inout RepeatableRandom, seconds: Int) {
        for _ in 0..<(seconds * 5) {
            let operation =
                [DashboardFixture.list, DashboardFixture.get, nil].randomElement(using: &random) ?? nil
            let id = UInt64.random(in: 1...(.max), using: &random)
            let duration = Duration.milliseconds(Int.random(in: 1...199, using: &random))
            fixture.record(.started, id, operation)
            let error = NetworkError.Code.timeout
            for kind in [
                .retryScheduled(delay: .zero, status: nil, error: error), .replayed(generation: 1),
                .deduplicated(leader: 1),
            ] as [RequestEvent.Kind] where Bool.random(using: &random) {
                fixture.record(kind, id, operation)
            }
            fixture.clock.advance(by: .milliseconds(200))
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                fixture.record(
                    .failed(FailureCause(.timeout), attempts: 1, duration: duration), id, operation)
            case 1: fixture.record(.cancelled(attempts: 1, duration: duration), id, operation)
            case 2: fixture.record(.succeeded(status: 503, attempts: 3, duration: duration), id, operation)
            case 3: break
            default: fixture.record(.succeeded(status: 200, attempts: 1, duration: duration), id, operation)
            }
        }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>) func everyFigureIsTheCollectors(seed: UInt64) async throws
    {
        var random = RepeatableRandom(seed: seed)
        for number in 1...4 as ClosedRange<UInt64> {
            play(&random, seconds: Int.random(in: 1...120, using: &random))
            let frame = try StreamEvents.value(await fixture.frame(number).event(column: 0))
            #expect(frame["frame"]?.int == Int(number))
            let metrics = fixture.collector.metrics
            let windows: [(String, MetricsWindow?)] = [
                ("10s", .tenSeconds), ("1m", .oneMinute), ("5m", .fiveMinutes), ("all", nil),
            ]
            for (name, window) in windows {
                let figures = try #require(frame["totals"]?[name])
                let snapshot = metrics.snapshot(window)
                #expect(figures["started"]?.int == snapshot.started)
                #expect(figures["succeeded"]?.int == snapshot.succeeded)
                #expect(figures["failed"]?.int == snapshot.failed)
                #expect(figures["error_responses"]?.int == snapshot.errorResponses)
                #expect(figures["cancelled"]?.int == snapshot.cancelled)
                #expect(figures["retries"]?.int == snapshot.retries)
                #expect(figures["replays"]?.int == snapshot.replays)
                #expect(figures["joined"]?.int == snapshot.deduplicated)
                #expect(figures["in_progress"]?.int == snapshot.inProgress)
                #expect(figures["mean_ms"]?.double == snapshot.averageDuration?.milliseconds)
                #expect(figures["p50_ms"]?.double == snapshot.p50?.milliseconds)
                #expect(figures["p95_ms"]?.double == snapshot.p95?.milliseconds)
                #expect(figures["p99_ms"]?.double == snapshot.p99?.milliseconds)
                #expect(figures["max_ms"]?.double == snapshot.durations.maximum?.milliseconds)
            }
            try check(frame["operations"]?.array ?? [], metrics)
        }
    }

    private func check(_ operations: [JSONValue], _ metrics: RequestMetricsCollector) throws {
        let windows = [MetricsWindow.tenSeconds, .oneMinute, .fiveMinutes].map { metrics.operations($0) }
        #expect(operations.count == metrics.operations().count)
        for operation in operations {
            let key = [DashboardFixture.list, DashboardFixture.get].first { $0.id == operation["id"]?.string }
            for (index, window) in windows.enumerated() {
                let figures = window[key] ?? RequestMetrics()
                guard let shown = operation["w"]?[index]?.array else {
                    #expect(figures.started + figures.succeeded + figures.failed + figures.cancelled == 0)
                    continue
                }
                #expect(shown[0].int == figures.started && shown[1].int == figures.failed)
                #expect(shown[2].double == figures.p50?.milliseconds)
                #expect(shown[3].double == figures.p95?.milliseconds)
                #expect(shown[4].double == figures.p99?.milliseconds && shown[5].int == figures.cancelled)
            }
        }
    }

    /// The columns of ten minutes are what the windows count.
    @Test func columnsAddUpToTheTotals() async throws {
        var random = RepeatableRandom(seed: 7)
        play(&random, seconds: 500)
        let shared = await fixture.frame()
        let columns = shared.columns(from: 0)
        let total = fixture.collector.metrics.snapshot()
        #expect(columns.reduce(0) { $0 + $1.started } == total.started)
        #expect(columns.reduce(0) { $0 + $1.succeeded } == total.succeeded)
        #expect(columns.reduce(0) { $0 + $1.errorResponses } == total.errorResponses)
        #expect(columns.reduce(0) { $0 + $1.errors } == total.failed - total.errorResponses)
        #expect(columns.reduce(0) { $0 + $1.cancelled } == total.cancelled)
        #expect(columns.reduce(0) { $0 + $1.retries } == total.retries)
        let heat = columns.reduce(0) { sum, column in
            sum + column.heat.indices.reduce(0) { $0 + column.heat[$1] }
        }
        #expect(UInt64(heat) == total.durations.count)
    }

    @Test func stateIsShown() async throws {
        fixture.record(.circuitOpened("https://api.example.com", for: .seconds(12)))
        fixture.record(.cacheEvicted(3))
        fixture.record(.refreshStarted(.advisory), generation: 4, waiting: 2)
        fixture.record(.started)
        fixture.record(.cacheLookedUp(.hit))
        fixture.clock.advance(by: .seconds(1))
        let frame = try StreamEvents.value(await fixture.frame().event(column: 0))
        #expect(frame["log"]?[0]?["about"]?["kind"]?.string == "breaker")
        #expect(frame["cache"]?["all"]?["hit"]?.int == 1 && frame["cache"]?["evicted"]?.int == 3)
        let lane = try #require(frame["tokens"]?[0])
        #expect(lane["reason"]?.string == "advisory" && lane["events"]?[0]?["waiting"]?.int == 2)
        // Without a token, and then with one that only an event tells of.
        #expect(lane["usable"]?.int == 0 && lane["valid_ms"]?.double == nil)
        fixture.record(.refreshed(lifetime: .seconds(60), renewal: .seconds(50)), generation: 5)
        fixture.clock.advance(by: .seconds(20))
        let later = try StreamEvents.value(await fixture.frame(2).event(column: 0))
        #expect(
            later["tokens"]?[0]?["usable"]?.int == 1 && later["tokens"]?[0]?["valid_ms"]?.double == 40_000)
        #expect(frame["open"]?.array?.count == 1 && frame["open"]?[0]?["ms"]?.double == 1_000)
    }
}
