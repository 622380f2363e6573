import Foundation
import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

/// Other implementations of the protocol read what is sent, and find what the semantic conventions require.
@Suite(.enabled(if: CollectorServer.url != nil)) struct CollectorFormTests {
    /// JSON and protocol buffers of one message are equal where they are decoded: by protobuf for Python, and by protoc.
    @Test(.tags(.concurrent)) func bothFormsAreEqual() async throws {
        let resource = OTLPResource(["service.name": "shop", "gateway.é": "\u{7F}\n"])
        let spans = try resource.request((UInt64(1)...50).map { try SampleSpan.make($0) })
        let metrics = RequestMetricsCollector(clock: ManualClock())
        try Self.recordEverything(in: metrics)
        let snapshot = await metrics.exportSnapshot()
        for (signal, name, message) in [
            ("traces", "trace", spans),
            ("metrics", "metrics", resource.request(snapshot, isExponential: true)),
            ("metrics", "metrics", resource.request(snapshot, isExponential: false)),
            ("logs", "logs", resource.request(try Self.records())),
        ] {
            let collector = try CollectorServer("form")
            try await send(message.protobuf, .protobuf, to: collector, signal)
            try await send(message.json, .json, to: collector, signal)
            let type = "opentelemetry.proto.collector.\(name).v1.Export\(name.capitalized)ServiceRequest"
            let text = try protoc("--decode=\(type)", message.protobuf)
            try await send(try protoc("--encode=\(type)", text), .protobuf, to: collector, signal)
            let report = try await collector.report()
            #expect(report.requests.count == 3 && report.problems.isEmpty, "\(signal): \(report.problems)")
            let digests = report.requests.map(\.digest)
            #expect(digests[0] != nil && Set(digests).count == 1, "\(signal)")
            await collector.transport.shutdown()
        }
    }

    /// Every name of every kind of event is in the conventions or begins with `gateway.`; each exchange has the required
    /// attributes: of 10,000 spans.
    @Test(.tags(.concurrent), .long("10,000 spans are recorded and checked"))
    func spansFollowTheConventions() async throws {
        let collector = try CollectorServer("conventions")
        var configuration = OTLPConfiguration()
        configuration.traces = .init(collector.url())
        configuration.queueLimit = 20_000
        configuration.exportTimeout = .seconds(3_600)
        let exporter = try OTLPExporter(configuration, transport: collector.transport)
        let random = SeededRandomSource(seed: TestSeed.value(42))
        let count = try await RandomCalls(exporter: exporter, random: random).make(spans: 10_000)
        #expect(await exporter.flush(until: .after(.seconds(3_600))))
        let report = try await collector.report()
        #expect(report.problems.isEmpty, "\(report.problems)")
        #expect(count >= 10_000 && report.spans.count == count && exporter.spans?.exported == count)
        await collector.transport.shutdown()
    }

    /// A collector that others have made takes both forms, compressed ones too, and passes on what it has read.
    @Test(.enabled(if: CollectorServer.real != nil), .tags(.concurrent), .timeLimit(.minutes(5)))
    func anotherCollectorPassesSpansOn() async throws {
        let (collector, url) = (try CollectorServer(run: "rotel"), try #require(CollectorServer.real))
        // IDs of this run alone.
        let first = UInt64.random(in: 1...UInt64.max / 2)
        for (index, encoding) in OTLPConfiguration.Encoding.allCases.enumerated() {
            var configuration = OTLPConfiguration()
            configuration.traces = .init(url + "/v1/traces")
            configuration.traces?.encoding = encoding
            configuration.traces?.isCompressed = encoding == .protobuf
            configuration.exportTimeout = .seconds(3_600)
            let exporter = try OTLPExporter(configuration, transport: collector.transport)
            let start = first + UInt64(index) * 1_000
            for number in start..<start + 1_000 { exporter.add(try SampleSpan.make(number)) }
            #expect(await exporter.flush(until: .after(.seconds(3_600))))
            #expect(exporter.spans?.exported == 1_000, "\(encoding)")
        }
        let sent = Set((first..<first + 2_000).map(\.hexadecimal))
        #expect(
            await isEventually {
                (try? await collector.report()).map { sent.isSubset(of: $0.spans) } == true
            })
        let report = try await collector.report()
        #expect(report.problems.isEmpty, "\(report.problems)")
        await collector.transport.shutdown()
    }

    /// What the checks are to find is found.
    @Test func whatBreaksTheConventionsIsFound() async throws {
        let collector = try CollectorServer("broken")
        let position = try #require(TraceContext(traceIDHigh: 1, traceIDLow: 1, spanID: 1, flags: 0))
        let span = FinishedSpan(
            position: position, parentSpanID: 0, hasLocalParent: false, name: "GET /x", kind: .client,
            startNanoseconds: 2, endNanoseconds: 1,
            attributes: [
                .init("http.method", "GET"), .init("http.request.method", "GET"), .init("server.port", "80"),
            ],
            events: [], droppedEvents: 0, links: [], isError: true)
        try await send(
            OTLPResource(["wrong": "x"]).request([span]).protobuf, .protobuf, to: collector, "traces")
        let problems = try await collector.report().problems
        for text in [
            "attribute wrong is", "attribute http.method is", "server.port is no integer",
            "has no server.address",
            "has no url.full", "ends before", "is not sampled", "error.type without", "another name",
        ] {
            #expect(problems.contains { $0.contains(text) }, "\(text)")
        }
        await collector.transport.shutdown()
    }

    /// Each kind of event of a traced call.
    private static func calls() throws -> [RequestEvent] {
        let trace = TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3, flags: 1)
        return try EventSamples.calls().map { event in
            RequestEvent(
                callID: 1, trace: trace, operation: event.operation, origin: event.origin, method: .get,
                kind: event.kind)
        }
    }

    /// Each line of the log.
    private static func records() throws -> [LogRecord] {
        let entries =
            try calls().map(\.logEntry) + EventSamples.tokens().map(\.logEntry)
            + EventSamples.states().map(\.logEntry)
        return entries.map {
            LogRecord($0, at: .seconds(1_767_225_600), allowed: Set(JSONLogSink.Field.allCases))
        }
    }

    private static func recordEverything(in metrics: RequestMetricsCollector) throws {
        for event in try calls() { metrics.record(event) }
        for event in EventSamples.tokens() { metrics.record(event) }
        for event in try EventSamples.states() { metrics.record(event) }
    }

    private func send(
        _ body: [UInt8], _ encoding: OTLPConfiguration.Encoding, to collector: CollectorServer,
        _ signal: String
    ) async throws {
        let request = try HTTPRequest(
            .post, collector.url(signal), fields: ["Content-Type": encoding.mediaType], body: .bytes(body))
        #expect(try await collector.transport.send(request, context: RequestContext()).status == 200)
    }

    private func protoc(_ action: String, _ input: [UInt8]) throws -> [UInt8] {
        let descriptors = try #require(CollectorServer.descriptors)
        let run = try PrometheusServer.bytes(
            "/usr/bin/protoc", ["--descriptor_set_in=\(descriptors)", action], input: input)
        #expect(run.status == 0, "\(String(decoding: run.output, as: UTF8.self))")
        return run.output
    }
}
