import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayTelemetry

@Suite struct PrometheusTextTests {
    private let clock = ManualClock()

    private func lines(
        _ collector: RequestMetricsCollector, _ accept: String? = nil, containing part: String = ""
    ) async -> [String] {
        String(decoding: await collector.exposition(accepting: accept).bytes, as: UTF8.self)
            .split(separator: "\n").map(String.init).filter { $0.contains(part) }
    }

    private func event(
        _ kind: RequestEvent.Kind, _ operation: GatewayCore.Operation? = "list", trace: TraceContext? = nil
    ) throws -> RequestEvent {
        RequestEvent(
            instant: clock.now, callID: 1, trace: trace, operation: operation,
            origin: try Origin("http://api.example.com:8080"), method: HTTPMethod("PROPFIND"), kind: kind)
    }

    @Test func bothFormatsHaveTheSameSeries() async throws {
        let collector = RequestMetricsCollector(serviceName: "shop", clock: clock)
        let trace = try #require(TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3, flags: 1))
        collector.record(try event(.started))
        collector.record(
            try event(
                .attemptEnded(AttemptEnd(.response(status: 503), duration: .milliseconds(30))), trace: trace))
        let labels =
            #"http_request_method="_OTHER",server_address="api.example.com",server_port="8080","#
            + #"http_response_status_code="503",error_type="503",gateway_operation="list""#
        let name = "http_client_request_duration_seconds"
        let bounds = [
            "0.005", "0.01", "0.025", "0.05", "0.075", "0.1", "0.25", "0.5", "0.75", "1.0", "2.5", "5.0",
            "7.5",
            "10.0", "+Inf",
        ]
        let text = await lines(collector, containing: name)
        #expect(
            text == [
                "# HELP \(name) Duration of HTTP requests, one for each attempt that was sent.",
                "# TYPE \(name) histogram",
            ]
                + bounds.enumerated().map { index, bound in
                    "\(name)_bucket{\(labels),le=\"\(bound)\"} \(index < 3 ? 0 : 1)"
                } + ["\(name)_sum{\(labels)} 0.03", "\(name)_count{\(labels)} 1"])
        let exemplar =
            #" # {trace_id="00000000000000010000000000000002",span_id="0000000000000003"} 0.03 1767225600.0"#
        let openMetrics = await lines(
            collector, "application/openmetrics-text", containing: name)
        #expect(openMetrics[2] == "# UNIT \(name) seconds")
        #expect(
            openMetrics.filter { !$0.hasPrefix("#") }
                == text.dropFirst(2).enumerated().map { index, line in
                    index == 3 ? line + exemplar : line
                })
        #expect(await lines(collector, "application/openmetrics-text").last == "# EOF")
        #expect(
            await lines(collector, containing: "target_info").last == #"target_info{service_name="shop"} 1"#)
        #expect(
            await lines(collector, "application/openmetrics-text", containing: "started_calls") == [
                "# HELP gateway_client_started_calls Calls that began.",
                "# TYPE gateway_client_started_calls counter", "gateway_client_started_calls_total 1.0",
            ])
        #expect(
            await lines(collector, containing: "# TYPE gateway_client_started_calls")
                == ["# TYPE gateway_client_started_calls_total counter"])
    }

    @Test func labelsAreEscaped() async throws {
        let collector = RequestMetricsCollector(clock: clock)
        let invalid = String(decoding: [0x61, 0xFF, 0xC3] as [UInt8], as: UTF8.self)
        for name in ["a\"b", "a\\b", "a\nb", "a\u{0}b", "a\rb", invalid, #"} evil{x="1"} 1"#] {
            collector.record(try event(.deduplicated(leader: 2), GatewayCore.Operation(name)))
        }
        let values = await lines(collector, containing: "coalesced_calls_total{").map { line in
            line.replacing(#/^.*gateway_operation=/#, with: "")
        }
        #expect(
            values == [
                #""a\"b"} 1.0"#, #""a\\b"} 1.0"#, #""a\nb"} 1.0"#, "\"a\u{FFFD}b\"} 2.0",
                "\"a\u{FFFD}\u{FFFD}\"} 1.0", #""} evil{x=\"1\"} 1"} 1.0"#,
            ])
    }

    @Test func aCancelledCallHasNoError() async throws {
        let collector = RequestMetricsCollector(clock: clock)
        collector.record(try event(.cancelled(attempts: 1, duration: .zero)))
        collector.record(
            try event(.attemptEnded(AttemptEnd(.error(.cancelled, phase: .receive), duration: .zero))))
        let counts = await lines(collector, containing: "_duration_seconds_count{")
        #expect(
            counts.count == 2 && counts.allSatisfy { !$0.contains("error_type") && !$0.contains("status") })
        #expect(counts.filter { $0.contains(#"result="cancelled""#) }.count == 1)
    }

    /// Two series with the same labels would make Prometheus reject all of them.
    @Test func seriesWithEqualLabelsAreAdded() async throws {
        let collector = RequestMetricsCollector(clock: clock)
        for template in ["/a", "/b"] {
            let operation = GatewayCore.Operation("list", template: template)
            collector.record(
                try event(.succeeded(status: 200, attempts: 1, duration: .seconds(1)), operation))
            collector.record(try event(.deduplicated(leader: 2), operation))
        }
        let counts = await lines(collector, containing: "call_duration_seconds_count{")
        #expect(counts.count == 1 && counts[0].hasSuffix(" 2"))
        #expect(await lines(collector, containing: "coalesced_calls_total{").map { $0.suffix(4) } == [" 2.0"])
    }

    @Test func whatHasNoRoomIsOneSeries() async throws {
        let collector = RequestMetricsCollector(seriesLimit: 3, clock: clock)
        for index in 0..<50 {
            let operation = GatewayCore.Operation("operation \(index)")
            collector.record(
                try event(.succeeded(status: 200, attempts: 1, duration: .seconds(1)), operation))
        }
        let counts = await lines(collector, containing: "call_duration_seconds_count")
        #expect(counts.count == 3)
        #expect(counts.last == #"gateway_client_call_duration_seconds_count{otel_metric_overflow="true"} 48"#)
    }

    @Test func connectionsAreThoseOfAllSources() async throws {
        let collector = RequestMetricsCollector(clock: clock)
        let origin = try Origin("https://api.example.com")
        for isThere in [true, false, true] {
            collector.observe {
                guard isThere else { return nil }
                var statistics = TransportStatistics()
                statistics.origins[origin] = .init()
                statistics.origins[origin]?.connections = 3
                statistics.origins[origin]?.active = 5
                statistics.origins[origin]?.waiting = 2
                return statistics
            }
        }
        let server = #"server_address="api.example.com",server_port="443""#
        #expect(
            await lines(collector, containing: "open_connections{") == [
                #"http_client_open_connections{\#(server),http_connection_state="active"} 6.0"#,
                #"http_client_open_connections{\#(server),http_connection_state="idle"} 0.0"#,
            ])
        #expect(
            await lines(collector, containing: "waiting_requests{")
                == ["gateway_client_waiting_requests{\(server)} 4.0"])
    }

    @Test(arguments: [
        (nil, ExpositionFormat.text), ("", .text), ("*/*", .text), ("text/html", .text),
        ("text/plain;version=0.0.4", .text), ("application/openmetrics-text", .openMetrics),
        ("Application/OpenMetrics-Text; Version=\"1.0.0\"", .openMetrics),
        ("application/openmetrics-text;version=2.0.0,text/plain;q=0.1", .text),
        (
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", .openMetrics
        ),
        (
            "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,"
                + "application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5", .protobuf
        ),
        ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text", .text),
        ("application/openmetrics-text;q=0, text/plain;q=0.1", .text),
        ("text/plain;q=0.3, application/openmetrics-text;q=0.4", .openMetrics),
    ])
    func theFormatIsTheOneThatIsAskedFor(accept: String?, format: ExpositionFormat) {
        #expect(ExpositionFormat(accepting: accept) == format)
    }
}
