import Foundation
import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

/// Prometheus scrapes a client while it makes calls, in both of its formats.
@Suite(
    .enabled(if: PrometheusServer.plain != nil), .serialized, .tags(.concurrent),
    .waits("Prometheus scrapes every 500 ms."), .long("Prometheus answers many queries, one process each."))
struct PrometheusServerTests {
    /// A client with calls that are retried and fail, and synthetic calls of a known distribution.
    private final class Run: Sendable {
        let gateway: EmbeddedGateway
        let server: EmbeddedGateway
        let recorder = EventRecorder()
        let telemetry: ClientTelemetry
        let engine: GatewayEngine
        let synthetic = Distribution.lognormal.samples(20_000)
        let target: URL

        init(name: String) throws {
            gateway = try EmbeddedGateway.start()
            server = try EmbeddedGateway.start()
            let telemetry = ClientTelemetry(
                metrics: RequestMetricsCollector(measuresExchanges: true, serviceName: "test"),
                others: [recorder])
            self.telemetry = telemetry
            var configuration = GatewayConfiguration()
            configuration.events = telemetry
            configuration.coalescing = nil
            configuration.retry.policy = ExponentialRetryPolicy(
                maximumAttempts: 4, backoff: .fixed(.milliseconds(2)), jitter: .proportional(0))
            configuration.retry.budget = nil
            engine = try configuration.makeEngine()
            server.route(.get, "/metrics") { request async in
                let (type, bytes) = await telemetry.metrics.exposition(accepting: request.fields["Accept"])
                return EmbeddedGateway.Reply(fields: [.contentType: type], body: bytes)
            }
            target = try PrometheusServer.scrape(port: server.origin.port, as: name)
        }

        func makeCalls() async throws {
            gateway.inject(.status(503, retryAfter: .zero), into: .everything, times: 90)
            let (origin, engine) = (gateway.origin, engine)
            await withTaskGroup(of: Void.self) { group in
                for call in 0..<600 {
                    group.addTask {
                        let path = call % 10 == 0 ? "/status/404" : "/bytes/\(call * 100)"
                        guard let request = try? HTTPRequest(.get, "\(origin)\(path)"),
                            let trace = TraceContext(
                                traceIDHigh: 7, traceIDLow: UInt64(call + 1), spanID: 1, flags: 1)
                        else { return }
                        var options = CallOptions()
                        options.trace = trace
                        _ = try? await engine.send(
                            request, context: RequestContext(options: options, operation: "real \"call\"\n"))
                    }
                }
            }
            for sample in synthetic {
                telemetry.metrics.record(
                    RequestEvent(
                        callID: 1, operation: "synthetic", origin: origin, method: .get,
                        kind: .succeeded(status: 200, attempts: 1, duration: .nanoseconds(Int64(sample)))))
            }
        }

        func end() {
            try? FileManager.default.removeItem(at: target)
            server.shutdown()
            gateway.shutdown()
        }
    }

    @Test func attemptsEqualTheJournalOfTheServer() async throws {
        let run = try Run(name: "plain")
        defer { run.end() }
        try await run.makeCalls()
        let attempts = run.gateway.journal.count
        #expect(attempts > 660)
        let prometheus = try PrometheusServer(PrometheusServer.plain)
        let test = #"{test="plain"}"#
        #expect(
            await isEventually {
                (try? await prometheus.values("sum(gateway_client_call_duration_seconds_count\(test))"))
                    == [20_600]
            })
        #expect(
            try await prometheus.values("sum(http_client_request_duration_seconds_count\(test))")
                == [Double(attempts)])
        #expect(
            try await prometheus.values("sum(gateway_client_attempts_total\(test))") == [Double(attempts)])
        #expect(
            try await prometheus.values(
                #"sum(http_client_request_duration_seconds_bucket{test="plain",le="+Inf"})"#)
                == [Double(attempts)])
        let statuses = Dictionary(grouping: run.gateway.journal) { $0.status ?? 0 }
        for (status, entries) in statuses {
            #expect(
                try await prometheus.values(
                    #"sum(http_client_request_duration_seconds_count{test="plain",http_response_status_code="\#(status)"})"#
                ) == [Double(entries.count)])
        }
        #expect(try await prometheus.values("gateway_client_started_calls_total\(test)") == [600])
        #expect(try await prometheus.values("sum(http_client_active_requests\(test))") == [0])
        #expect(try await prometheus.values("sum(http_client_open_connections\(test)) > 0").count == 1)
        #expect(try await prometheus.values(#"target_info{test="plain",service_name="test"}"#) == [1])
        #expect(
            try await prometheus.values(
                #"sum(gateway_client_call_duration_seconds_count{test="plain",gateway_operation="real \"call\"\n"})"#
            ) == [600])
        #expect(try await prometheus.values(#"up{test="plain"}"#) == [1])
        #expect(
            try await prometheus.values("sum(gateway_client_request_time_in_queue_seconds_count\(test))")
                == [Double(attempts)])
    }

    @Test func nativeHistogramsGivePercentiles() async throws {
        let run = try Run(name: "native")
        defer { run.end() }
        try await run.makeCalls()
        let prometheus = try PrometheusServer(PrometheusServer.native)
        let count = #"histogram_count(sum(gateway_client_call_duration_seconds{test="native"}))"#
        #expect(await isEventually { (try? await prometheus.values(count)) == [20_600] })
        #expect(
            try await prometheus.values(
                #"histogram_count(sum(http_client_request_duration_seconds{test="native"}))"#)
                == [Double(run.gateway.journal.count)])
        let sorted = run.synthetic.sorted()
        let real = run.recorder.events.compactMap { event -> UInt64? in
            if case .succeeded(_, _, let duration) = event.kind { duration.metricNanoseconds } else { nil }
        }.sorted()
        #expect(real.count == 600)
        for share in [0.5, 0.95, 0.99] {
            let found = try await prometheus.values(
                "histogram_quantile(\(share), "
                    + #"sum(gateway_client_call_duration_seconds{test="native",gateway_operation="synthetic"}))"#
            )
            let exact = Double(sorted[Int((share * Double(sorted.count)).rounded(.up)) - 1]) / 1e9
            #expect(abs((found.first ?? 0) - exact) <= 0.025 * exact, "\(share): \(found) for \(exact)")
            // Of few calls the percentile lies between those at the ranks beside it.
            let calls = try await prometheus.values(
                "histogram_quantile(\(share), "
                    + #"sum(gateway_client_call_duration_seconds{test="native",gateway_operation!="synthetic"}))"#
            )
            let rank = Int((share * 600).rounded(.up)) - 1
            let least = Double(real[max(0, rank - 1)]) / 1e9 * 0.975
            let most = Double(real[min(599, rank + 1)]) / 1e9 * 1.025
            #expect(
                calls.first.map { $0 >= least && $0 <= most } == true, "\(share): \(calls), \(least)…\(most)")
        }
        #expect(
            try await prometheus.values(
                #"histogram_sum(sum(gateway_client_call_duration_seconds{test="native",gateway_operation="synthetic"}))"#
            ).first.map { abs($0 - Double(sorted.reduce(0, +)) / 1e9) < 1e-3 } == true)
        let exemplars = try await prometheus.exemplars(
            #"http_client_request_duration_seconds{test="native"}"#)
        #expect(!exemplars.isEmpty)
        #expect(exemplars.allSatisfy { $0["trace_id"]?.hasPrefix("0000000000000007") == true })
    }

    @Test func otherReadersFindNothingWrong() async throws {
        let run = try Run(name: "readers")
        defer { run.end() }
        try await run.makeCalls()
        for event in try EventSamples.calls() { run.telemetry.record(event) }
        for event in EventSamples.tokens() { run.telemetry.record(event) }
        run.telemetry.record(EventSamples.tokens()[1])
        for event in try EventSamples.states() { run.telemetry.record(event) }
        let text = await run.telemetry.metrics.exposition(accepting: nil).bytes
        let families = String(decoding: text, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("# TYPE ") }.count
        #expect(families == Instrument.allCases.count + 1)
        let lint = try PrometheusServer.run("/usr/bin/promtool", ["check", "metrics"], input: text)
        #expect(lint == (0, ""))
        let openMetrics = await run.telemetry.metrics.exposition(accepting: "application/openmetrics-text")
        let script = """
            import sys
            from prometheus_client.openmetrics.parser import text_fd_to_metric_families
            from prometheus_client.parser import text_string_to_metric_families
            families = list(text_fd_to_metric_families(open(0, encoding="utf-8", newline="\\n")))
            print(len(families), sum(1 for f in families for s in f.samples if s.exemplar))
            """
        let parsed = try PrometheusServer.run(
            try #require(PrometheusServer.python), ["-c", script], input: openMetrics.bytes)
        let numbers = parsed.1.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
        #expect(parsed.0 == 0 && numbers.first == families && (numbers.last ?? 0) > 0, "\(parsed.1)")
        // What the parser is to find is found.
        let broken = Array(openMetrics.bytes.dropLast("# EOF\n".utf8.count))
        #expect(
            try PrometheusServer.run(
                try #require(PrometheusServer.python), ["-c", script], input: broken
            ).0 != 0)
    }

    @Test func theRulesAreValid() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../observability").standardizedFileURL.path
        for name in ["recording.rules.yml", "alert.rules.yml"] {
            let check = try PrometheusServer.run(
                "/usr/bin/promtool", ["check", "rules", "--lint=all", "--lint-fatal", "\(folder)/\(name)"])
            #expect(check.0 == 0, "\(check.1)")
        }
        let test = try PrometheusServer.run(
            "/usr/bin/promtool", ["test", "rules", "\(folder)/rules.test.yml"])
        #expect(test.0 == 0 && test.1.contains("SUCCESS"), "\(test.1)")
    }

    /// Every metric that a rule names exists.
    @Test func theRulesNameMetricsThatExist() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../observability").standardizedFileURL
        let names = Set(Instrument.allCases.map { MetricFamily($0).name })
        for file in ["recording.rules.yml", "alert.rules.yml", "rules.test.yml"] {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for match in text.matches(of: #/(?:^|[^:\w])((?:gateway_client|http_client)_\w+)/#) {
                let used = String(match.output.1)
                guard !["gateway_client_recording", "gateway_client_alerts"].contains(used) else { continue }
                let base = used.replacing(#/_(total|count|sum|bucket)$/#, with: "")
                #expect(names.contains(base), "\(file) names \(used)")
            }
        }
    }
}
