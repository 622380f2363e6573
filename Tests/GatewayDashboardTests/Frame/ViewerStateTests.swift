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
        // The newest ones first; the others are not lost.
        #expect(Self.calls(late).last == UInt64(200).hexadecimal)
        #expect(late.events.last?.value["calls_pending"]?.int == 199 - Self.calls(late).count)
        #expect(late.events.last?.value["calls_omitted"]?.int == 0)
    }

    /// What frames have told of calls.
    private struct Told {
        var ids: [String] = []
        var omitted = 0
        var pending = 0
    }

    /// Gets frames until no call is pending.
    private func drain(_ viewer: inout ViewerState, _ number: inout UInt64) async throws -> Told {
        var told = Told()
        repeat {
            number += 1
            let events = try Self.events(&viewer, await fixture.frame(number))
            let frame = try #require(events.events.last).value
            told.ids += Self.calls(events)
            told.omitted += try #require(frame["calls_omitted"]?.int)
            told.pending = try #require(frame["calls_pending"]?.int)
        } while told.pending > 0 && number < 100
        return told
    }

    /// Calls that have no room in a frame come in the next ones, the failed ones first, then the slow ones.
    @Test func callsThatHaveNoRoomFollow() async throws {
        var viewer = ViewerState()
        var number: UInt64 = 0
        _ = try await drain(&viewer, &number)
        for id in 1...450 as ClosedRange<UInt64> {
            fixture.call(id, lasting: id == 20 ? 2_000 : 1, status: id <= 12 ? 503 : 200)
        }
        number += 1
        let first = try StreamEvents.value(viewer.next(await fixture.frame(number)))
        let shown = first["calls"]?.array?.compactMap { $0["id"]?.string } ?? []
        #expect(Array(shown.prefix(12)) == (1...12).map { UInt64($0).hexadecimal })
        #expect(shown.contains(UInt64(20).hexadecimal) && shown.last == UInt64(450).hexadecimal)
        #expect(first["calls_pending"]?.int == 450 - shown.count && first["calls_omitted"]?.int == 0)
        let rest = try await drain(&viewer, &number)
        #expect(rest.omitted == 0 && rest.pending == 0)
        #expect((shown + rest.ids).sorted() == (1...450).map { UInt64($0).hexadecimal })
    }

    /// Only calls that are not kept any more are omitted, and they are counted.
    @Test func onlyWhatIsNotKeptIsOmitted() async throws {
        var viewer = ViewerState()
        var number: UInt64 = 0
        _ = try await drain(&viewer, &number)
        for id in 1...8_005 as ClosedRange<UInt64> {
            fixture.call(id, lasting: 1, status: id <= 5 ? 500 : 200)
        }
        let told = try await drain(&viewer, &number)
        #expect((1...5).allSatisfy { told.ids.contains(UInt64($0).hexadecimal) })
        #expect(Set(told.ids).count == told.ids.count && told.ids.count >= 505)
        #expect(told.ids.count + told.omitted == 8_005)
        // A viewer that comes later has missed nothing.
        var late = ViewerState()
        let kept = try await drain(&late, &number)
        #expect(
            kept.omitted == 0 && Set(kept.ids).isSuperset(of: (7_506...8_005).map { UInt64($0).hexadecimal }))
    }

    /// More calls in each second than a frame once had room for.
    @Test func aSteadyRateLosesNothing() async throws {
        var viewer = ViewerState()
        var number: UInt64 = 0
        _ = try await drain(&viewer, &number)
        var (ids, omitted) = ([String](), 0)
        for second in 0..<30 as Range<UInt64> {
            for call in 1...63 as ClosedRange<UInt64> { fixture.call(second * 63 + call, lasting: 15) }
            number += 1
            let events = try Self.events(&viewer, await fixture.frame(number))
            ids += Self.calls(events)
            omitted += events.events.last?.value["calls_omitted"]?.int ?? 0
        }
        ids += try await drain(&viewer, &number).ids
        #expect(omitted == 0 && ids.sorted() == (1...(30 * 63)).map { UInt64($0).hexadecimal })
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
                == "curl -g -X POST 'https://api.example.com/books/{id}' -H 'Authorization: Bearer <token>' --data '<body>'"
        )
        let step = try #require(call["steps"]?[0])
        #expect(
            step["peer"]?.string == "10.0.0.7:443" && step["http"]?.string == "2" && step["d"]?.double == 12)
    }

    /// The path of an operation is below that of its client's base URL.
    @Test(arguments: [
        ("", "/books/{id}", "/books/{id}"), ("/v1", "/books/{id}", "/v1/books/{id}"),
        ("/v1", "books", "/v1/books"), ("/books", "/books/{id}", "/books/books/{id}"),
        ("/hooks/…", "/send", "/hooks/{path}/send"), ("/v1", "", "/{path}"),
    ])
    func aCommandHasTheBasePath(base: String, template: String, path: String) {
        let record = CallRecord(
            RequestEvent(
                callID: 1, operation: GatewayCore.Operation("x", template: template),
                origin: fixture.origin.with(basePath: base), method: .get, kind: .started), begin: 0)
        #expect(record.curl.contains("'https://api.example.com\(path)'"))
    }

    @Test func aTemplateCannotEndTheCommand() throws {
        let operation = GatewayCore.Operation("x", template: "/a'; rm -rf ~ #")
        let record = CallRecord(
            RequestEvent(
                callID: 1, operation: operation, origin: fixture.origin, method: .get, kind: .started),
            begin: 0)
        #expect(record.curl.hasPrefix(#"curl 'https://api.example.com/a'\'';%20rm%20-rf%20~%20#' -H"#))
    }

    /// A command is one line of printable ASCII, and curl takes its URL as it is.
    @Test func aCommandIsOneLine() {
        for (template, isGlob) in [
            ("/{id}/\u{1B}[201~\r\nreboot\n\0", true), ("/[1-9]\u{202E}\u{85}", true), ("/ä\u{200B}", false),
        ] {
            let operation = GatewayCore.Operation("x", template: template)
            let record = CallRecord(
                RequestEvent(
                    callID: 1, operation: operation, origin: fixture.origin, method: HTTPMethod("GE\nT"),
                    kind: .started), begin: 0)
            #expect(record.curl.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            #expect(record.curl.hasPrefix("curl -g -X ") == isGlob)
        }
    }

    /// What changes the direction of text or is not visible does not get to the page.
    @Test func textIsVisible() async throws {
        let name = "a\u{202E}b\u{200B}c\nd\u{2028}e\u{3164}f\u{9B}"
        fixture.call(1, GatewayCore.Operation(name, template: "/\(name)"), status: 500)
        fixture.record(.rejected, generation: 1, label: name)
        fixture.record(.circuitOpened(name, for: .seconds(1)))
        var viewer = ViewerState()
        let bytes = viewer.event(of: await fixture.frame(1), column: 0)
        let hidden: [Unicode.Scalar] = ["\u{202E}", "\u{200B}", "\u{2028}", "\u{3164}", "\u{9B}"]
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.unicodeScalars.contains { hidden.contains($0) } && !text.contains("\\n"))
        #expect(text.contains("a\u{FFFD}b\u{FFFD}c\u{FFFD}d"))
    }
}
