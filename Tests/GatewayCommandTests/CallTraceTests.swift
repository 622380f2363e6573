import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// `gateway call` continues the trace of its parent, and sends its telemetry to a collector.
@Suite(.timeLimit(.minutes(2))) struct CallTraceTests {
    private static let traceID = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = [
        "TRACEPARENT": "00-\(traceID)-b7ad6b7169203331-01", "TRACESTATE": "vendor=1", "BAGGAGE": "user=7",
    ]

    private final class Requests: Sendable {
        private let kept = Locked<[EmbeddedGateway.Request]>([])
        var all: [EmbeddedGateway.Request] { kept.withLock { $0 } }
        func add(_ request: EmbeddedGateway.Request) { kept.withLock { $0.append(request) } }

        /// The contents of the requests to a path.
        func text(_ path: String) -> String {
            all.filter { $0.path == path }.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        }
    }

    private let rig: CommandRig
    private let calls = Requests()
    private let collected = Requests()

    init() throws {
        rig = try CommandRig()
        rig.gateway.route(.get, "/v1/traced") { [calls] request in
            calls.add(request)
            return .text("done\n")
        }
    }

    /// The variables of a client with this collector, which answers with a status.
    private func variables(status: Int = 200, _ more: [String: String] = [:]) -> [String: String] {
        rig.gateway.route(.post, "/otlp/v1/{signal}") { [collected] request in
            collected.add(request)
            return .status(status)
        }
        return rig.client.merging([
            "OTEL_EXPORTER_OTLP_ENDPOINT": "\(rig.gateway.origin)/otlp",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
        ]) { $1 }.merging(more) { $1 }
    }

    @Test func theTraceOfTheParentIsContinued() async throws {
        let run = try await rig.run(["call", "GET", "/traced"], rig.client.merging(Self.parent) { $1 })
        #expect(run.status == 0 && run.error.isEmpty && run.text == "done\n")
        let fields = try #require(calls.all.first?.fields)
        let trace = try #require(TraceContext(fields: fields))
        // Without a collector no span is recorded: the next one's parent is that of the caller.
        #expect(trace.traceparent == Self.parent["TRACEPARENT"])
        #expect(fields["tracestate"] == "vendor=1" && fields["baggage"] == "user=7")
        let alone = try await rig.run(["call", "GET", "/traced"])
        #expect(alone.status == 0 && calls.all.last?.fields["traceparent"] == nil)
    }

    @Test func aCallIsSentToACollector() async throws {
        let run = try await rig.run(["call", "GET", "/traced", "--verbose"], variables(Self.parent))
        #expect(run.status == 0 && run.text == "done\n")
        #expect(run.error.contains("trace \(Self.traceID)\n") && !run.error.contains("collector"))
        let spans = collected.text("/otlp/v1/traces")
        #expect(spans.contains(Self.traceID) && spans.contains(#""parentSpanId":"b7ad6b7169203331""#))
        #expect(spans.contains(#"{"key":"service.name","value":{"stringValue":"gateway"}}"#))
        #expect(collected.text("/otlp/v1/metrics").contains("http.client.request.duration"))
        #expect(collected.text("/otlp/v1/logs").contains(#""eventName":"gateway.succeeded""#))
        #expect(
            collected.all.allSatisfy {
                $0.fields["Authorization"] == nil && $0.fields["traceparent"] == nil
            })
    }

    /// Without a call there is nothing to send, and no collector to wait for.
    @Test func aCallThatDoesNotBeginSendsNothing() async throws {
        let run = try await rig.run(["call", "GET", "not a url"], variables())
        #expect(run.status != 0 && !run.error.contains("collector") && collected.all.isEmpty)
    }

    /// A call that fails is sent, too; and only what the variables say.
    @Test func aFailedCallIsSent() async throws {
        let variables = variables(["OTEL_METRICS_EXPORTER": "none", "OTEL_LOGS_EXPORTER": "none"])
        let run = try await rig.run(["call", "GET", "http://127.0.0.1:1/x", "--retries", "0"], variables)
        #expect(run.status == 4 && !run.error.contains("collector"))
        #expect(Set(collected.all.map { String($0.path) }) == ["/otlp/v1/traces"])
        let spans = collected.text("/otlp/v1/traces")
        #expect(spans.contains(#""name":"gateway.call""#) && spans.contains("connection_refused"))
    }

    @Test func aCollectorThatFailsChangesNoResult() async throws {
        let run = try await rig.run(["call", "GET", "/traced"], variables(status: 400))
        #expect(run.status == 0 && run.text == "done\n")
        #expect(run.error == "gateway: the collector did not take the telemetry of the call: 400\n")
    }

    /// Whatever the collector answers, output and status are those of the call, with one line on standard error. A redirect is
    /// not followed: the fields of the collector are for nobody else.
    @Test(arguments: [
        ("html", "malformed_response"), ("redirect", "307"), ("large", "response_too_large"),
    ])
    func anAnswerOfAnotherKindChangesNoResult(kind: String, failure: String) async throws {
        rig.gateway.route(.post, "/html") { _ in .text("<p>ok</p>", contentType: "text/html") }
        rig.gateway.route(.post, "/redirect") { _ in .status(307, fields: [.location: "/elsewhere"]) }
        rig.gateway.route(.post, "/large") { _ in .text(String(repeating: "x", count: 5 << 20)) }
        rig.gateway.route(.post, "/elsewhere") { [collected] request in
            collected.add(request)
            return .status(200)
        }
        let run = try await rig.run(
            ["call", "GET", "/traced"],
            rig.client.merging([
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "\(rig.gateway.origin)/\(kind)",
                "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Basic%20x",
            ]) { $1 })
        #expect(run.status == 0 && run.text == "done\n" && collected.all.isEmpty)
        #expect(run.error == "gateway: the collector did not take the telemetry of the call: \(failure)\n")
    }

    /// A collector that is down or hangs is waited for until the limit of 3 s, also after a call that failed.
    @Test(.waits("the limit of the command is 3 s"), arguments: [true, false])
    func aCollectorThatDoesNotAnswerChangesNoResult(hangs: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        rig.gateway.route(.post, "/otlp/v1/{signal}") { _ async in
            await gate.pass()
            return .status(200)
        }
        let variables = rig.client.merging([
            "OTEL_EXPORTER_OTLP_ENDPOINT": hangs ? "\(rig.gateway.origin)/otlp" : "http://127.0.0.1:1"
        ]) { $1 }
        let (good, bad) = (
            try rig.start(["call", "GET", "/traced"], variables),
            try rig.start(["call", "GET", "http://127.0.0.1:1/x", "--retries", "0"], variables)
        )
        for (process, status, text) in [(good, Int32(0), "done\n"), (bad, 4, "")] {
            let outcome = await process.outcome()
            #expect(outcome.status == status && outcome.text == text)
            let complaints = outcome.error.split(separator: "\n").filter { $0.contains("the collector") }
            #expect(
                complaints.count == 1
                    && complaints.allSatisfy { $0.hasPrefix("gateway: the collector did not") })
            rig.checkSecrecy(outcome)
        }
    }

    /// The body is printed before the collector answers.
    @Test func aCollectorThatIsSlowDelaysNoBody() async throws {
        let gate = Gate()
        defer { gate.open() }
        let variables = variables()
        rig.gateway.route(.post, "/slow") { _ async in
            await gate.pass()
            return .status(200)
        }
        let process = try rig.start(
            ["call", "GET", "/traced"],
            variables.merging([
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "\(rig.gateway.origin)/slow"
            ]) { $1 }, output: .lines)
        #expect(await process.firstLine { $0.hasPrefix("done") ? $0 : nil } != nil)
        await gate.waitForArrivals(1)
        gate.open()
        let outcome = await process.outcome()
        #expect(outcome.status == 0)
        rig.checkSecrecy(outcome)
    }

    @Test func nonsenseIsOneWarningEach() async throws {
        let run = try await rig.run(
            ["call", "GET", "/traced"],
            variables(["TRACEPARENT": "hunter2", "OTEL_TRACES_SAMPLER": "hunter2"]))
        #expect(run.status == 0 && !run.error.contains("hunter2"))
        let warnings = run.error.split(separator: "\n")
        #expect(warnings.count == 2 && warnings.allSatisfy { $0.hasSuffix("; the value is ignored.") })
        #expect(warnings.contains { $0.contains("TRACEPARENT ") })
        // A new trace begins.
        let trace = try #require(calls.all.first.flatMap { TraceContext(fields: $0.fields) })
        #expect(!trace.traceparent.contains(Self.traceID))
    }
}
