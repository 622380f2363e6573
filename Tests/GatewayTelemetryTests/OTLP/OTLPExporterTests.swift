import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

@Suite struct OTLPExporterTests {
    private let clock = ManualClock()

    private func exporter(
        _ transport: any Transport, _ change: (inout OTLPConfiguration) -> Void = { _ in }
    ) throws -> OTLPExporter {
        var configuration = OTLPConfiguration()
        configuration.traces = .init("http://127.0.0.1:4318/v1/traces")
        configuration.traces?.fields = ["X-Api-Key": "key"]
        change(&configuration)
        return try OTLPExporter(
            configuration, transport: transport, clock: clock, random: SeededRandomSource(seed: 5))
    }

    private func span(_ number: UInt64 = 1) throws -> FinishedSpan {
        FinishedSpan(
            position: try #require(TraceContext(traceIDHigh: 1, traceIDLow: 1, spanID: number, flags: 1)),
            parentSpanID: 0, hasLocalParent: false, name: "GET", kind: .client, startNanoseconds: 1,
            endNanoseconds: 2, attributes: [], events: [], droppedEvents: 0, links: [], isError: false)
    }

    private var later: Deadline { .after(.seconds(3_600), clock: clock) }

    @Test func aBatchIsSentAfterItsDelay() async throws {
        let transport = ScriptedTransport(.status(200))
        let exporter = try exporter(transport)
        for number in 1...3 { exporter.add(try span(UInt64(number))) }
        await clock.waitForSleepers(1)
        #expect(clock.requestedDelays == [.seconds(5)] && transport.requests.isEmpty)
        clock.advance(by: .seconds(5))
        #expect(await isEventually { exporter.spans?.exported == 3 })
        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1 && request.method == .post)
        #expect(request.target == "/v1/traces" && request.fields["X-Api-Key"] == "key")
        #expect(request.fields["Content-Type"] == "application/x-protobuf")
        #expect(request.fields["User-Agent"]?.hasPrefix("OTel-OTLP-Exporter-Swift/") == true)
        #expect(request.fields["traceparent"] == nil && request.fields["Authorization"] == nil)
    }

    /// 503 with `Retry-After`, then a lost connection, then success: the same bytes each time.
    @Test func aBatchIsRetried() async throws {
        let transport = ScriptedTransport(
            .status(503, fields: ["Retry-After": "7"]), .failure(NetworkError(.connectionLost, "lost")),
            .status(200))
        let exporter = try exporter(transport)
        exporter.add(try span())
        async let flushed = exporter.flush(until: later)
        #expect(await isEventually { clock.requestedDelays.contains(.seconds(7)) })
        clock.advance(by: .seconds(7))
        // The second failure has a delay of 1 to 2 s.
        let isSecondDelay = { (delay: Duration) in delay >= .seconds(1) && delay <= .seconds(2) }
        #expect(await isEventually { clock.requestedDelays.contains(where: isSecondDelay) })
        clock.advance(by: .seconds(2))
        #expect(await flushed)
        #expect(Set(transport.requests.compactMap(\.body.bytes)).count == 1 && transport.requests.count == 3)
        #expect(exporter.spans?.exported == 1 && exporter.spans?.failed == 0)
    }

    @Test(arguments: [400, 401, 403, 404, 408, 413, 500, 501])
    func otherStatusesAreNotRetried(status: Int) async throws {
        let transport = ScriptedTransport(.status(status))
        let exporter = try exporter(transport)
        exporter.add(try span())
        #expect(await exporter.flush(until: later))
        #expect(transport.requests.count == 1)
        #expect(exporter.spans?.failed == 1 && exporter.spans?.lastFailure == "\(status)")
    }

    /// The wait that the server asks for is longer than the batch may take.
    @Test func aBatchIsGivenUpInTime() async throws {
        let transport = ScriptedTransport(.status(429, fields: ["Retry-After": "31"]))
        let exporter = try exporter(transport)
        exporter.add(try span())
        #expect(await exporter.flush(until: later))
        #expect(transport.requests.count == 1 && exporter.spans?.failed == 1)
    }

    /// The next batch begins no earlier than the server says, also if its own batch is given up.
    @Test func theNextBatchWaitsToo() async throws {
        let transport = ScriptedTransport(.status(429, fields: ["Retry-After": "60"]))
        let exporter = try exporter(transport) {
            $0.queueLimit = 2
            $0.batchLimit = 1
        }
        for number in 1...2 {
            exporter.add(try span(UInt64(number)))
            #expect(await isEventually { exporter.spans?.failed == 1 })
        }
        #expect(await isEventually { clock.requestedDelays.contains(.seconds(60)) })
        for number in 3...9 { exporter.add(try span(UInt64(number))) }
        // Nothing can be sent before this deadline.
        #expect(await exporter.flush(until: .after(.seconds(30), clock: clock)) == false)
        #expect(transport.requests.count == 1 && exporter.spans?.dropped == 6)
        for count in 2...3 {
            clock.advance(by: .seconds(59))
            #expect(transport.requests.count == count - 1)
            clock.advance(by: .seconds(1))
            #expect(await isEventually { exporter.spans?.failed == count })
            #expect(transport.requests.count == count)
            if count < 3 { await clock.waitForSleepers(1) }
        }
    }

    /// Without an engine there is no transport: a flush does not wait for one.
    @Test func aFlushWithoutATransportReturns() async throws {
        let telemetry = try ClientTelemetry(
            exporting: OTLPConfiguration(collector: "http://127.0.0.1:4318"), clock: clock)
        #expect(await telemetry.exporter?.flush(until: later) == false)
        telemetry.exporter?.add(try span())
        #expect(await telemetry.flush(until: later) == false)
        #expect(telemetry.exporter?.spans?.failed == 0)
    }

    /// Text of the application does not take all memory while the collector is down.
    @Test func spansThatWaitAreBoundedInBytes() throws {
        let exporter = try exporter(ScriptedTransport(.status(200)))
        let long = String(repeating: "x", count: 1 << 20)
        for number in 1...20 {
            exporter.add(
                FinishedSpan(
                    position: try span(UInt64(number)).position, parentSpanID: 0, hasLocalParent: false,
                    name: "GET", kind: .client, startNanoseconds: 1, endNanoseconds: 2,
                    attributes: [.init("url.full", long)], events: [], droppedEvents: 0, links: [],
                    isError: false))
        }
        #expect(exporter.spans?.ended == 20 && exporter.spans?.dropped == 5)
    }

    /// One request at a time, a bounded queue, and nobody waits.
    @Test(.tags(.concurrent)) func aCollectorThatHangsDelaysNobody() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        let exporter = try exporter(transport) {
            $0.queueLimit = 4
            $0.batchLimit = 2
        }
        for number in 1...2 { exporter.add(try span(UInt64(number))) }
        await gate.waitForArrivals(1)
        for number in 3...100 { exporter.add(try span(UInt64(number))) }
        #expect(gate.arrivals == 1 && exporter.spans?.dropped == 94)
        gate.open()
        #expect(await exporter.flush(until: later))
        let counts = try #require(exporter.spans)
        #expect(counts.ended == 100 && counts.exported == 6 && counts.dropped == 94)
        #expect(transport.requests.count == 3)
    }

    @Test func aFlushEndsAtItsDeadline() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        let exporter = try exporter(transport)
        exporter.add(try span())
        async let flushed = exporter.flush(until: .after(.seconds(1), clock: clock))
        await gate.waitForArrivals(1)
        #expect(await isEventually { clock.requestedDelays.contains(.seconds(1)) })
        clock.advance(by: .seconds(1))
        #expect(await flushed == false)
        gate.open()
        #expect(await exporter.flush(until: later))
        #expect(exporter.spans?.exported == 1)
    }

    /// Without a deadline, a flush of the sinks waits for as long as a batch may take.
    @Test func aFlushOfTheSinksSendsSpans() async throws {
        final class Last: RequestEventSink {
            let flushes = Locked(0)
            func record(_ event: borrowing RequestEvent) {}
            func flush() async { flushes.withLock { $0 += 1 } }
        }
        let (gate, last) = (Gate(), Last())
        let exporter = try exporter(
            ScriptedTransport { _, _ in
                await gate.pass()
                return .status(200)
            })
        let telemetry = ClientTelemetry(
            tracer: ClientTracer(exporter: exporter, clock: clock), others: [last])
        exporter.add(try span())
        async let isOver: Void = telemetry.flush()
        await gate.waitForArrivals(1)
        // A collector that hangs keeps no other sink from its flush.
        #expect(await isEventually { last.flushes.withLock { $0 } == 1 })
        #expect(await isEventually { clock.requestedDelays.contains(.seconds(30)) })
        clock.advance(by: .seconds(30))
        await isOver
        gate.open()
        #expect(await exporter.flush(until: later))
        #expect(exporter.spans?.exported == 1)
    }

    /// shutdown.order
    @Test(arguments: [true, false]) func aShutdownSendsSpans(withTelemetry: Bool) async throws {
        let collector = ScriptedTransport(.status(200))
        let exporter = try exporter(collector)
        let tracer = ClientTracer(exporter: exporter, clock: clock)
        var configuration = AsyncRequestEngine.Configuration()
        configuration.events = withTelemetry ? ClientTelemetry(tracer: tracer) : tracer
        configuration.clock = clock
        let engine = AsyncRequestEngine(
            transport: ScriptedTransport(.status(200)), configuration: configuration)
        _ = try await engine.send(try HTTPRequest(.get, "http://127.0.0.1:1/x"))
        await engine.shutdown(within: .seconds(10))
        #expect(collector.requests.count == 1 && exporter.spans?.exported == 2)
    }

    /// shutdown.bounded
    @Test func aShutdownDoesNotWaitForACollectorThatHangs() async throws {
        let gate = Gate()
        defer { gate.open() }
        let exporter = try exporter(
            ScriptedTransport { _, _ in
                await gate.pass()
                return .status(200)
            })
        var configuration = AsyncRequestEngine.Configuration()
        configuration.events = ClientTracer(exporter: exporter, clock: clock)
        configuration.clock = clock
        let engine = AsyncRequestEngine(
            transport: ScriptedTransport(.status(200)), configuration: configuration)
        _ = try await engine.send(try HTTPRequest(.get, "http://127.0.0.1:1/x"))
        async let isOver: Void = engine.shutdown(within: .seconds(10))
        await gate.waitForArrivals(1)
        #expect(await isEventually { clock.requestedDelays.contains(.seconds(10)) })
        clock.advance(by: .seconds(10))
        await isOver
        #expect(exporter.spans?.exported == 0)
    }

    @Test func nothingWaitsAndNothingIsSent() async throws {
        let transport = ScriptedTransport(.status(200))
        let exporter = try exporter(transport)
        #expect(await exporter.flush(until: later) && transport.requests.isEmpty)
        #expect(try await self.exporter(transport) { $0.traces = nil }.flush(until: later))
    }

    /// The last 4 bytes are the length of the content before compression (RFC 1952 §2.3.1).
    @Test func requestsAreCompressed() async throws {
        let transport = ScriptedTransport(.status(200))
        let exporter = try exporter(transport) { $0.traces?.isCompressed = true }
        for number in 1...100 { exporter.add(try span(UInt64(number))) }
        #expect(await exporter.flush(until: later))
        let request = try #require(transport.requests.first)
        let body = try #require(request.body.bytes)
        #expect(request.fields["Content-Encoding"] == "gzip" && body.starts(with: [0x1F, 0x8B, 8]))
        let length = body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(length > 4 * body.count)
    }

    @Test func impossibleValuesAreRefused() {
        #expect(throws: NetworkError.self) { try exporter(ScriptedTransport()) { $0.queueLimit = 0 } }
        for url in ["x", "http://c/x#y"] {
            #expect(throws: NetworkError.self) { try exporter(ScriptedTransport()) { $0.traces?.url = url } }
        }
        for fields in [
            ["Host": "c"], ["Content-Length": "1"], ["X-Key": "a\nb"], ["a b": "c"],
            ["Content-Encoding": "gzip"],
        ]
            as [HTTPFields]
        {
            #expect(throws: NetworkError.self) {
                try exporter(ScriptedTransport()) { $0.traces?.fields = fields }
            }
        }
        #expect(throws: NetworkError.self) {
            try exporter(ScriptedTransport()) { $0.traces?.timeout = .zero }
        }
    }

    /// From a call to the collector.
    @Test func spansOfCallsAreSent() async throws {
        let collector = ScriptedTransport(.status(200))
        let exporter = try exporter(collector) { $0.traces?.encoding = .json }
        let telemetry = ClientTelemetry(
            tracer: ClientTracer(exporter: exporter, clock: clock), exporter: exporter)
        var configuration = AsyncRequestEngine.Configuration()
        configuration.events = telemetry
        configuration.clock = clock
        let server = ScriptedTransport(.status(200))
        let engine = AsyncRequestEngine(transport: server, configuration: configuration)
        _ = try await engine.send(try HTTPRequest(.get, "http://127.0.0.1:1/x?key=value"))
        #expect(await telemetry.flush(until: later))
        let text = String(decoding: collector.requests.first?.body.bytes ?? [], as: UTF8.self)
        #expect(text.contains(#""name":"GET""#) && text.contains(#""name":"gateway.call""#))
        #expect(text.contains("key=REDACTED") && !text.contains("value=") && !text.contains("key=value"))
        #expect(server.requests.first?.fields["traceparent"] != nil)
        #expect(exporter.spans?.exported == 2)
    }
}
