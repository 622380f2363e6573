import GatewayCore
import GatewayJSON
import GatewayTelemetry
import GatewayTesting
import Synchronization
import Testing

@testable import GatewayDashboard

/// What has room in a frame, and when it was read.
@Suite struct FrameRoomTests {
    /// Operations with names of usual lengths, and lanes with many events, are whole; calls have room beside them.
    @Test func operationsAndTokensAreWhole() async throws {
        let fixture = try DashboardFixture()
        for index in 0..<200 {
            let (id, template) = (12 + index % 29, 15 + index % 46)
            let operation = GatewayCore.Operation(
                "operation\(index)".padding(to: id), method: .get,
                template: "/books/\(index)".padding(to: template))
            #expect(operation.id.utf8.count == id && operation.template.utf8.count == template)
            for call in 0..<3 { fixture.call(UInt64(index * 3 + call + 1), operation, lasting: 123) }
        }
        for lane in 0..<6 {
            for generation in 1...6 as ClosedRange<UInt64> {
                let label = "https://login.example.com/token service-\(lane)"
                fixture.record(.rejected, generation: generation, label: label)
                fixture.record(.refreshStarted(.rejected), generation: generation, label: label)
                fixture.record(
                    .refreshed(lifetime: .seconds(600), renewal: .seconds(500)), generation: generation + 1,
                    label: label, waiting: 34)
            }
        }
        let shared = await fixture.frame()
        let bytes = shared.event(column: 0)
        #expect(bytes.count <= SharedFrame.byteLimit)
        let frame = try StreamEvents.value(bytes)
        #expect(frame["operations"]?.array?.count == 200 && frame["operations_omitted"]?.int == 0)
        #expect(frame["tokens"]?.array?.map { $0["events"]?.array?.count } == Array(repeating: 12, count: 6))
        #expect(frame["log"]?.array?.count ?? 0 >= 10)
        #expect(SharedFrame.room(besides: shared.members) >= 12 << 10)
        #expect(frame["calls"]?.array?.count ?? 0 >= 10)
    }

    /// Where there is room, nothing is left out.
    @Test func theStateUsesTheRoomThatOperationsLeave() async throws {
        let fixture = try DashboardFixture()
        for index in 0..<1_000 {
            fixture.record(
                .rejected, generation: UInt64(index), label: "https://login.example.com/token \(index % 20)")
        }
        let frame = try StreamEvents.value(await fixture.frame().event(column: 0))
        #expect(frame["tokens"]?.array?.map { $0["events"]?.array?.count } == Array(repeating: 12, count: 20))
        #expect(frame["log"]?.array?.count == 40)
    }

    /// Nothing in a snapshot is later than its time, also what begins while it is read.
    @Test func aSnapshotIsReadAtOneInstant() async throws {
        let clock = ManualClock()
        let collectors = Mutex<[DashboardCollector]>([])
        let origin = try Origin("https://api.example.com")
        // The metrics are read in the middle.
        let reading = ObservedClock(clock: clock) {
            guard let collector = collectors.withLock({ $0.first }) else { return }
            clock.advance(by: .milliseconds(3))
            collector.record(
                RequestEvent(
                    instant: clock.now, callID: 1, operation: nil, origin: origin, method: .get,
                    kind: .started))
            clock.advance(by: .milliseconds(2))
        }
        let collector = DashboardCollector(metrics: RequestMetricsCollector(clock: reading), clock: clock)
        collectors.withLock { $0 = [collector] }
        let snapshot = await collector.snapshot(1)
        let call = try #require(snapshot.open.first, "nothing began in the middle")
        #expect(snapshot.now >= call.begin + 2_000_000)
        let frame = try StreamEvents.value(SharedFrame(snapshot).event(column: 0))
        #expect(frame["open"]?[0]?["ms"]?.double == 2 && frame["open"]?[0]?["t"] == frame["now_ms"])
    }
}

/// A clock that tells when it is read.
private struct ObservedClock: GatewayClock {
    let clock: ManualClock
    let read: @Sendable () -> Void

    var now: ContinuousClock.Instant {
        read()
        return clock.now
    }

    var unixTime: Duration { clock.unixTime }

    func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {
        try await clock.sleep(until: instant)
    }
}

extension String {
    /// The text with letters at its end, up to a length.
    fileprivate func padding(to length: Int) -> String {
        self + String(repeating: "s", count: max(0, length - utf8.count))
    }
}
