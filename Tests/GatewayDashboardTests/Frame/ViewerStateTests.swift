import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayDashboard

@Suite struct ViewerStateTests {
    private let fixture: DashboardFixture

    init() throws { fixture = try DashboardFixture() }

    /// All events that a viewer gets until it has a frame.
    private static func events(_ viewer: inout ViewerState, _ shared: SharedFrame) throws -> StreamEvents {
        var bytes: [UInt8] = []
        while viewer.frame < shared.number { bytes += viewer.next(shared) }
        return try StreamEvents(bytes)
    }

    private static func columns(_ events: StreamEvents) -> [Int] {
        events.events.flatMap { $0.value["columns"]?.array ?? [] }.compactMap { $0[0]?.int }
    }

    private static func calls(_ events: StreamEvents) -> [String] {
        events.events.flatMap { $0.value["calls"]?.array ?? [] }.compactMap { $0["id"]?.string }
    }

    @Test func aViewerGetsTheHistoryThenFrames() async throws {
        for id in 1...300 as ClosedRange<UInt64> { fixture.call(id, lasting: 2_000) }
        var viewer = ViewerState()
        let first = try Self.events(&viewer, await fixture.frame(1))
        let names = first.events.map(\.name)
        #expect(names.prefix(3) == ["history", "history", "history"] && names.last == "frame")
        #expect(names.dropFirst(3).dropLast().allSatisfy { $0 == "calls" })
        #expect(Set(Self.columns(first)) == Set(1...300))
        #expect(Self.calls(first) == (1...300 as ClosedRange<UInt64>).map(\.hexadecimal))
        // Then only what is new.
        fixture.call(301, lasting: 1_000)
        let second = try Self.events(&viewer, await fixture.frame(2))
        #expect(second.events.map(\.name) == ["frame"])
        #expect(Self.columns(second) == [300] && Self.calls(second) == [UInt64(301).hexadecimal])
        #expect(second.events[0].value["calls_omitted"]?.int == 0)
    }

    @Test func aViewerThatWasSlowGetsTheNewestFrameAndWhatItMissed() async throws {
        fixture.call(1)
        var viewer = ViewerState()
        _ = try Self.events(&viewer, await fixture.frame(1))
        for id in 2...200 as ClosedRange<UInt64> { fixture.call(id, lasting: 2_000) }
        let late = try Self.events(&viewer, await fixture.frame(200))
        #expect(late.events.last?.value["frame"]?.int == 200)
        #expect(late.events.count { $0.name == "frame" } == 1)
        #expect(Set(Self.columns(late)).isSuperset(of: Array(1...199)))
        // Not all calls of six minutes, but the newest ones.
        #expect(Self.calls(late).last == UInt64(200).hexadecimal)
        #expect(late.events.last?.value["calls_omitted"]?.int == 199 - Self.calls(late).count)
    }

    @Test func anEmptyDashboardIsAFrame() async throws {
        var viewer = ViewerState()
        let events = try Self.events(&viewer, await fixture.frame(1))
        #expect(events.events.map(\.name) == ["frame"])
        let frame = events.events[0].value
        #expect(frame["sentence"]?["severity"]?.string == "idle" && frame["problems"]?.array == [])
        #expect(frame["operations"]?.array == [] && frame["calls"]?.array == [])
    }

    @Test func aCallIsWhatThePageNeeds() async throws {
        let trace = try #require(TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3))
        fixture.record(.started, 9, DashboardFixture.get, method: .post)
        fixture.record(.attemptStarted, 9, DashboardFixture.get, method: .post)
        let connection = ConnectionInfo(version: .http2, address: "10.0.0.7", port: 443)
        fixture.clock.advance(by: .milliseconds(12))
        fixture.record(
            .attemptEnded(
                AttemptEnd(.response(status: 409), connection: connection, duration: .milliseconds(12))),
            9, DashboardFixture.get, method: .post)
        fixture.record(
            .succeeded(status: 409, attempts: 1, duration: .milliseconds(12)), 9, DashboardFixture.get,
            trace: trace, method: .post)
        var viewer = ViewerState()
        let events = try Self.events(&viewer, await fixture.frame(1))
        let call = try #require(events.events.first { $0.name == "calls" }?.value["calls"]?[0])
        #expect(call["outcome"]?.string == "error_response" && call["status"]?.int == 409)
        #expect(call["in"]?.string == "rfs" && call["side"]?.string == "here" && call["ms"]?.double == 12)
        #expect(call["trace"]?.string == "00000000000000010000000000000002")
        #expect(
            call["curl"]?.string
                == "curl -X POST 'https://api.example.com/books/{id}' -H 'Authorization: Bearer <token>' --data '<body>'"
        )
        let step = try #require(call["steps"]?[0])
        #expect(
            step["peer"]?.string == "10.0.0.7:443" && step["http"]?.string == "2" && step["d"]?.double == 12)
    }

    @Test func aTemplateCannotEndTheCommand() throws {
        let operation = GatewayCore.Operation("x", template: "/a'; rm -rf ~ #")
        let record = CallRecord(
            RequestEvent(
                callID: 1, operation: operation, origin: fixture.origin, method: .get, kind: .started),
            begin: 0)
        #expect(record.curl.hasPrefix(#"curl 'https://api.example.com/a'\''; rm -rf ~ #' -H"#))
    }
}
