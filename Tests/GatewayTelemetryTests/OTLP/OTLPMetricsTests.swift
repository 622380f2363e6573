import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayTelemetry

@Suite struct OTLPMetricsTests {
    private let clock = ManualClock()

    private func collector() throws -> RequestMetricsCollector {
        let collector = RequestMetricsCollector(clock: clock)
        let trace = TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3, flags: 1)
        for milliseconds in [30, 60, 20_000] {
            collector.record(
                RequestEvent(
                    instant: clock.now, callID: 1, trace: trace, operation: "list",
                    origin: try Origin("https://api.example.com"), method: .get,
                    kind: .attemptEnded(
                        AttemptEnd(.response(status: 200), duration: .milliseconds(milliseconds)))))
        }
        clock.advance(by: .seconds(10))
        return collector
    }

    private func metrics(isExponential: Bool) async throws -> [JSONValue] {
        let message = OTLPResource([:]).request(
            await (try collector()).exportSnapshot(), isExponential: isExponential)
        let root = try JSONValue(json: JSONDocument(message.json).root)
        return try #require(root["resourceMetrics"]?[0]?["scopeMetrics"]?[0]?["metrics"]?.array)
    }

    @Test func histogramsHaveExplicitBuckets() async throws {
        let metrics = try await metrics(isExponential: false)
        let metric = try #require(metrics.first { $0["name"] == "http.client.request.duration" })
        #expect(metric["unit"] == "s" && metric["histogram"]?["aggregationTemporality"] == 2)
        let point = try #require(metric["histogram"]?["dataPoints"]?[0])
        #expect(point["count"] == "3" && point["sum"]?.double == 20.09)
        #expect(point["explicitBounds"]?.array?.count == 14)
        let counts = try #require(point["bucketCounts"]?.array?.compactMap { $0.string.flatMap { Int($0) } })
        #expect(counts == [0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(point["startTimeUnixNano"] == "1767225600000000000")
        #expect(point["timeUnixNano"] == "1767225610000000000")
        let names = try #require(point["attributes"]?.array).compactMap { $0["key"]?.string }
        #expect(names.contains("http.request.method") && names.contains("gateway.operation"))
        #expect(point["exemplars"]?[0]?["traceId"] == "00000000000000010000000000000002")
        #expect(point["exemplars"]?[0]?["spanId"] == "0000000000000003")
    }

    @Test func histogramsAreExponential() async throws {
        let metrics = try await metrics(isExponential: true)
        let metric = try #require(metrics.first { $0["name"] == "http.client.request.duration" })
        let point = try #require(metric["exponentialHistogram"]?["dataPoints"]?[0])
        #expect(point["scale"] == 5 && point["count"] == "3" && point["zeroCount"] == "0")
        let offset = try #require(point["positive"]?["offset"]?.int)
        let counts = try #require(
            point["positive"]?["bucketCounts"]?.array?.compactMap { $0.string.flatMap { Int($0) } })
        // Bucket i holds (2^(i/32), 2^((i+1)/32)] seconds.
        #expect(offset == ExponentialBuckets.firstIndex + (try #require(ExponentialBuckets.slot(of: 0.03))))
        #expect(counts.first == 1 && counts.last == 1 && counts.reduce(0, +) == 3)
        let last = try #require(ExponentialBuckets.slot(of: 20)) + ExponentialBuckets.firstIndex
        #expect(offset + counts.count - 1 == last)
    }

    @Test func countersAndGaugesHaveTheirForms() async throws {
        let metrics = try await metrics(isExponential: true)
        let attempts = try #require(metrics.first { $0["name"] == "gateway.client.attempts" })
        #expect(attempts["sum"]?["isMonotonic"] == true)
        #expect(attempts["sum"]?["dataPoints"]?[0]?["asDouble"]?.double == 3)
        let active = try #require(metrics.first { $0["name"] == "http.client.active_requests" })
        #expect(active["sum"]?["isMonotonic"] == false && active["unit"] == "{request}")
        #expect(metrics.contains { $0["name"] == "gateway.client.active_calls" && $0["gauge"] != nil })
        // Labels of ours have a prefix, and numbers are numbers.
        let attributes = try #require(attempts["sum"]?["dataPoints"]?[0]?["attributes"]?.array)
        #expect(attributes.contains { $0["key"] == "gateway.reason" })
        let point = try #require(
            metrics.first { $0["name"] == "http.client.request.duration" }?["exponentialHistogram"]?[
                "dataPoints"]?[0]?["attributes"]?.array)
        #expect(point.contains { $0["key"] == "server.port" && $0["value"]?["intValue"] == "443" })
    }

    /// The start of a series does not change, whatever happens to the wall clock, and no point is before it.
    @Test func theStartIsConstant() async throws {
        let collector = try collector()
        var snapshots = [await collector.exportSnapshot()]
        for time in [Duration.seconds(1_900_000_000), .seconds(1_000_000_000)] {
            clock.advance(by: .nanoseconds(1_000_000_001))
            clock.setUnixTime(time)
            snapshots.append(await collector.exportSnapshot())
        }
        #expect(snapshots.allSatisfy { $0.startNanoseconds == 1_767_225_600_000_000_000 })
        #expect(snapshots.allSatisfy { $0.startNanoseconds <= $0.nanoseconds })
        #expect(snapshots[1].nanoseconds == 1_900_000_000_000_000_000)
    }

    @Test func metricsAreSentRegularly() async throws {
        let transport = ScriptedTransport(.status(200))
        var configuration = OTLPConfiguration()
        configuration.metrics = .init("http://127.0.0.1:4318/v1/metrics")
        let exporter = try OTLPExporter(
            configuration, transport: transport, metrics: try collector(), clock: clock)
        for count in 1...2 {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(60))
            #expect(await isEventually { exporter.metricRequests?.exported == count })
        }
        #expect(transport.requests.map(\.target) == ["/v1/metrics", "/v1/metrics"])
        #expect(await exporter.flush(until: .after(.seconds(3_600), clock: clock)))
        #expect(exporter.metricRequests?.exported == 3 && exporter.spans == nil)
    }
}
