import GatewayClient
import GatewayJSON
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

/// Lines of the log as they are sent to a collector.
@Suite struct OTLPLogsTests {
    private final class Lines: Sendable {
        let count = Locked(0)
        func write(_ bytes: [UInt8]) { count.withLock { $0 += bytes.count { $0 == UInt8(ascii: "\n") } } }
    }

    private let clock = ManualClock()

    private func exporter(
        _ transport: any Transport, _ change: (inout OTLPConfiguration) -> Void = { _ in }
    ) throws -> OTLPExporter {
        var configuration = OTLPConfiguration()
        configuration.logs = .init("http://127.0.0.1:4318/v1/logs")
        configuration.logs?.encoding = .json
        change(&configuration)
        return try OTLPExporter(
            configuration, transport: transport, clock: clock, random: SeededRandomSource(seed: 5))
    }

    private func event(_ kind: RequestEvent.Kind, _ method: HTTPMethod = .get) throws -> RequestEvent {
        RequestEvent(
            callID: 0xAB, trace: TraceContext(traceIDHigh: 0xF, traceIDLow: 0xE, spanID: 1, flags: 1),
            operation: Operation("list", template: "/books"), origin: try EventSamples.origin(),
            method: method, kind: kind)
    }

    private var failure: RequestEvent.Kind {
        .failed(FailureCause(.timeout, status: 503), attempts: 2, duration: .microseconds(42_100))
    }

    /// The log records of all requests.
    private func records(_ transport: ScriptedTransport) throws -> [JSONValue] {
        try transport.requests.flatMap { request in
            let root = try JSONValue(json: JSONDocument(request.body.bytes ?? []).root)
            return try #require(root["resourceLogs"]?[0]?["scopeLogs"]?[0]?["logRecords"]?.array)
        }
    }

    private func attributes(_ record: JSONValue) -> [String: JSONValue] {
        var attributes: [String: JSONValue] = [:]
        for attribute in record["attributes"]?.array ?? [] {
            if let key = attribute["key"]?.string { attributes[key] = attribute["value"] }
        }
        return attributes
    }

    @Test func aLineIsARecord() async throws {
        let collector = ScriptedTransport(.status(200))
        let log = JSONLogSink(clock: clock, exporter: try exporter(collector), write: nil)
        log.record(try event(failure, HTTPMethod("BREW")))
        await log.flush()
        let request = try #require(collector.requests.first)
        #expect(collector.requests.count == 1 && request.target == "/v1/logs")
        let record = try #require(records(collector).first)
        #expect(record["timeUnixNano"] == "1767225600000000000")
        #expect(record["observedTimeUnixNano"] == "1767225600000000000")
        #expect(record["severityNumber"] == 17 && record["severityText"] == "error")
        #expect(record["eventName"] == "gateway.failed")
        #expect(record["body"]?["stringValue"] == "failed BREW https://api.example.com 503 timeout")
        #expect(record["traceId"] == "000000000000000f000000000000000e")
        #expect(record["spanId"] == "0000000000000001" && record["flags"] == 1)
        let values = attributes(record)
        for (key, text) in [
            "http.request.method": "_OTHER", "http.request.method_original": "BREW", "error.type": "timeout",
            "url.template": "/books", "gateway.operation": "list", "gateway.call.id": "00000000000000ab",
            "gateway.origin": "https://api.example.com",
        ] {
            #expect(values[key]?["stringValue"]?.string == text, "\(key)")
        }
        #expect(values["http.response.status_code"]?["intValue"] == "503")
        #expect(values["gateway.attempts"]?["intValue"] == "2")
        #expect(values["gateway.duration_ms"]?["doubleValue"]?.double == 42.1)
    }

    /// A method that is refused is still named: its text begins no line and moves no cursor.
    @Test func aBodyIsOneLine() async throws {
        let collector = ScriptedTransport(.status(200))
        let log = JSONLogSink(clock: clock, exporter: try exporter(collector), write: nil)
        log.record(try event(failure, HTTPMethod("GET\r\nok\u{0}\u{1B}[2J\u{85}\u{202E}\u{2028}é")))
        await log.flush()
        let body = try #require(records(collector).first?["body"]?["stringValue"]?.string)
        let gap = "\u{FFFD}"
        #expect(
            body
                == "failed GET\(gap)\(gap)ok\(gap)\(gap)[2J\(gap)\(gap)\(gap)é https://api.example.com 503 timeout"
        )
    }

    @Test func protocolBuffersHaveTheSameValues() throws {
        let entry = LogEntry(
            .warning, "retry_scheduled", trace: TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3),
            [(.attempt, .integer(2)), (.error, nil)])
        let record = LogRecord(entry, at: .seconds(5), allowed: Set(JSONLogSink.Field.allCases))
        let fields = try ProtobufReader.fields(OTLPResource([:]).request([record, record]).protobuf)
        let resource = try ProtobufReader.fields(try #require(fields[1]?.first).bytes)
        let scope = try ProtobufReader.fields(try #require(resource[2]?.first).bytes)
        #expect(scope[2]?.count == 2)
        let sent = try ProtobufReader.fields(try #require(scope[2]?.first).bytes)
        #expect(sent[1]?.first == .fixed64(5_000_000_000) && sent[11]?.first == .fixed64(5_000_000_000))
        #expect(sent[2]?.first?.unsigned == 13 && sent[3]?.first?.text == "warning")
        #expect(sent[12]?.first?.text == "gateway.retry_scheduled" && sent[6]?.count == 1)
        #expect(sent[8]?.first == .fixed32(0))
        #expect(sent[9]?.first?.bytes.count == 16 && sent[10]?.first?.bytes == [0, 0, 0, 0, 0, 0, 0, 3])
        let body = try ProtobufReader.fields(try #require(sent[5]?.first).bytes)
        #expect(body[1]?.first?.text == "retry_scheduled")
    }

    /// The allowed fields alone, and names of OpenTelemetry or ours.
    @Test func everyLineIsARecord() async throws {
        let collector = ScriptedTransport(.status(200))
        let lines = Lines()
        let log = JSONLogSink(
            level: .debug, fields: Set(JSONLogSink.Field.allCases).subtracting([.origin, .traceID]),
            clock: clock, exporter: try exporter(collector), write: lines.write)
        for event in try EventSamples.calls() { log.record(event) }
        for event in EventSamples.tokens() { log.record(event) }
        for event in try EventSamples.states() { log.record(event) }
        log.record(try event(failure))
        await log.flush()
        let records = try records(collector)
        #expect(records.count == lines.count.withLock { $0 } && !records.isEmpty)
        let known: Set = [
            "http.request.method", "http.response.status_code", "error.type", "url.template",
        ]
        for record in records {
            let names = attributes(record).keys
            #expect(names.allSatisfy { known.contains($0) || $0.hasPrefix("gateway.") }, "\(names)")
            #expect(!names.contains("gateway.origin") && record["traceId"] == nil)
            #expect(record["eventName"]?.string?.hasPrefix("gateway.") == true)
        }
    }

    /// `telemetry.line-limit`
    @Test func recordsAreBoundedByTheSecond() async throws {
        let collector = ScriptedTransport(.status(200))
        let log = JSONLogSink(
            linesPerSecond: 3, clock: clock, exporter: try exporter(collector), write: nil)
        for _ in 0..<10 { log.record(try event(failure)) }
        await log.flush()
        let records = try records(collector)
        #expect(records.map { $0["eventName"]?.string }.count { $0 == "gateway.failed" } == 3)
        let report = try #require(records.last)
        #expect(records.count == 4 && report["eventName"] == "gateway.lines_omitted")
        #expect(attributes(report)["gateway.count"]?["intValue"] == "7")
        #expect(attributes(report)["gateway.kind"]?["stringValue"] == "failed")
    }

    /// A collector that hangs: nobody waits, and what has no room is counted.
    @Test(.tags(.concurrent)) func aCollectorThatHangsDelaysNobody() async throws {
        let gate = Gate()
        let collector = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        let exporter = try exporter(collector) {
            $0.logQueueLimit = 4
            $0.logBatchLimit = 2
        }
        let lines = Lines()
        let log = JSONLogSink(linesPerSecond: nil, clock: clock, exporter: exporter, write: lines.write)
        for _ in 0..<2 { log.record(try event(failure)) }
        await gate.waitForArrivals(1)
        for _ in 0..<98 { log.record(try event(failure)) }
        #expect(await isEventually { lines.count.withLock { $0 } == 100 })
        #expect(exporter.logRecords?.ended == 100)
        gate.open()
        await log.flush()
        let counts = try #require(exporter.logRecords)
        #expect(counts.exported == 6 && counts.dropped == 94 && counts.failed == 0)
        #expect(exporter.spans == nil)
    }

    /// A storm while the collector hangs or is down: a flush returns at its deadline, and the rest is counted.
    @Test(.tags(.concurrent), arguments: [true, false])
    func aFlushOfAStormEndsAtItsDeadline(hangs: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        let collector = ScriptedTransport { _, _ in
            if hangs { await gate.pass() }
            return .failure(NetworkError(.connectionRefused, "refused"))
        }
        let exporter = try exporter(collector) {
            $0.logQueueLimit = 16
            $0.logBatchLimit = 4
        }
        let telemetry = ClientTelemetry(
            metrics: RequestMetricsCollector(clock: clock),
            log: JSONLogSink(linesPerSecond: nil, clock: clock, exporter: exporter, write: nil),
            exporter: exporter)
        for _ in 0..<500 { telemetry.record(try event(failure)) }
        // The log passes its records on from a thread of its own.
        #expect(await isEventually { exporter.logRecords?.ended == 500 })
        async let isSent = telemetry.flush(until: .after(.seconds(2), clock: clock))
        #expect(await isEventually { clock.requestedDelays.contains(.seconds(2)) })
        clock.advance(by: .seconds(2))
        #expect(await isSent == false)
        let counts = try #require(exporter.logRecords)
        #expect(counts.ended == 500 && counts.exported == 0 && counts.failed == 0)
        #expect(counts.dropped >= 480)
    }

    /// The lines of the events before a flush are sent by it.
    @Test func aFlushSendsLines() async throws {
        let collector = ScriptedTransport(.status(200))
        let exporter = try exporter(collector)
        let telemetry = ClientTelemetry(
            metrics: RequestMetricsCollector(clock: clock),
            log: JSONLogSink(clock: clock, exporter: exporter, write: nil), exporter: exporter)
        for _ in 0..<3 { telemetry.record(try event(failure)) }
        #expect(await telemetry.flush(until: .after(.seconds(3_600), clock: clock)))
        #expect(exporter.logRecords?.exported == 3)
        #expect(try records(collector).count == 3)
    }

    /// Without a destination for logs an exporter gets none.
    @Test func aLogWithoutADestinationSendsNothing() async throws {
        let collector = ScriptedTransport(.status(200))
        let exporter = try exporter(collector) { $0.logs = nil }
        let log = JSONLogSink(clock: clock, exporter: exporter, write: nil)
        log.record(try event(failure))
        await log.flush()
        #expect(collector.requests.isEmpty && exporter.logRecords == nil)
    }
}
