import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

@Suite struct ClientTelemetryTests {
    private final class Lines: Sendable {
        let bytes = Locked<[UInt8]>([])
        func write(_ new: [UInt8]) { bytes.withLock { $0 += new } }
    }

    private let lines = Lines()
    private let clock = ManualClock()

    private var events: [String] {
        String(decoding: lines.bytes.withLock { $0 }, as: UTF8.self)
            .matches(of: #/"event":"([a-z_]+)"/#).map { String($0.1) }
    }

    private func telemetry(_ variables: [String: String]) throws -> ClientTelemetry {
        try ClientTelemetry.environment(
            variables, write: lines.write, clock: clock)
    }

    /// Only some events.
    private final class Tally: RequestEventSink {
        let interests: EventInterests
        let names = Names()

        init(interests: EventInterests) { self.interests = interests }

        final class Names: Sendable {
            let list = Locked<[String]>([])
        }

        func record(_ event: borrowing RequestEvent) { note(EventSamples.caseName(event.kind)) }
        func record(_ event: borrowing TokenEvent) { note("token") }
        func record(_ event: borrowing StateEvent) { note("state") }
        private func note(_ name: String) { names.list.withLock { $0.append(name) } }
    }

    /// shutdown.order
    @Test func aFlushReachesAllSinks() async throws {
        final class Last: RequestEventSink {
            let flushes = Locked(0)
            func record(_ event: borrowing RequestEvent) {}
            func flush() async { flushes.withLock { $0 += 1 } }
        }
        let last = Last()
        let log = JSONLogSink(level: .debug, clock: clock, write: lines.write)
        let telemetry = ClientTelemetry(
            metrics: RequestMetricsCollector(clock: clock), log: log, others: [last])
        for event in try EventSamples.calls() { telemetry.record(event) }
        await telemetry.flush()
        #expect(!events.isEmpty && last.flushes.withLock { $0 } == 1)
    }

    @Test func oneSinkServesAll() async throws {
        let tally = Tally(interests: [.attempts, .state])
        let log = JSONLogSink(level: .warning, clock: clock, write: lines.write)
        let telemetry = ClientTelemetry(
            metrics: RequestMetricsCollector(clock: clock), log: log,
            others: [tally])
        #expect(telemetry.interests == [.calls, .attempts, .tokens, .state])
        for event in try EventSamples.calls() { telemetry.record(event) }
        telemetry.record(EventSamples.tokens()[7])
        telemetry.record(try EventSamples.states()[0])
        await log.flush()
        #expect(telemetry.metrics.snapshot().started == 1)
        #expect(telemetry.metrics.copy().queueTimes.count == 0)
        #expect(
            events == [
                "fallback_used", "retry_scheduled", "not_retried", "failed", "body_failed",
                "token_refresh_failed",
                "sent_over_plain_http",
            ])
        #expect(tally.names.list.withLock { $0 } == ["attemptStarted", "attemptEnded", "state"])
    }

    @Test func variablesChooseTheLog() async throws {
        #expect(try telemetry([:]).log == nil)
        #expect(try telemetry(["GATEWAY_LOG": "", "GATEWAY_LOG_SAMPLING": ""]).log == nil)
        #expect(try telemetry(["GATEWAY_LOG": "none"]).log == nil)
        let telemetry = try telemetry([
            "GATEWAY_LOG": "info", "GATEWAY_LOG_SAMPLING": "0", "OTEL_SERVICE_NAME": "shop",
        ])
        for event in try EventSamples.calls() { telemetry.record(event) }
        await telemetry.log?.flush()
        #expect(events == ["fallback_used", "retry_scheduled", "not_retried", "failed", "body_failed"])
        #expect(telemetry.metrics.serviceName == "shop")
    }

    @Test(arguments: [
        ["GATEWAY_LOG": "hunter2"], ["GATEWAY_LOG": "INFO"], ["GATEWAY_LOG_SAMPLING": "hunter2"],
        ["GATEWAY_LOG_SAMPLING": "1.1"], ["GATEWAY_LOG_SAMPLING": "-0.1"], ["GATEWAY_LOG_SAMPLING": "nan"],
    ])
    func aWrongValueNamesItsVariable(variables: [String: String]) throws {
        let error = try #require(throws: NetworkError.self) { try telemetry(variables) }
        #expect(error.code == .misconfigured)
        #expect(error.message.hasPrefix("\(variables.keys.first ?? "") must be"))
        #expect(!"\(error)".contains("hunter2"))
    }

    /// The variables are known to the environment of the client.
    @Test func theClientKnowsTheVariables() throws {
        let environment = try GatewayEnvironment([
            "GATEWAY_LOG": "info", "GATEWAY_LOG_SAMPLING": "0.5", "GATEWAY_LOG_LINES_PER_SECOND": "10",
            "GATEWAY_LOG_REQUEST_ID_FIELDS": "CF-Ray",
        ])
        #expect(environment.unknownVariables == [])
        #expect(throws: GatewayEnvironmentError.self) { try GatewayEnvironment(["GATEWAY_LOGS": "info"]) }
    }

    /// An engine tells its connections, and the sink does not keep it.
    @Test(.tags(.concurrent)) func connectionsOfAnEngineAreCounted() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let telemetry = ClientTelemetry()
        var configuration = GatewayConfiguration()
        configuration.events = telemetry
        var engine: GatewayEngine? = try configuration.makeEngine()
        _ = try await engine?.send(try HTTPRequest(.get, "\(gateway.origin)/status/200"))
        let statistics = await telemetry.metrics.connectionStatistics()
        #expect(statistics.all.connections == 1)
        let text = String(decoding: await telemetry.metrics.exposition(accepting: nil).bytes, as: UTF8.self)
        #expect(text.contains(#"http_connection_state="idle"} 1.0"#))
        engine = nil
        #expect(
            await isEventually { await telemetry.metrics.connectionStatistics().origins.isEmpty })
        #expect(telemetry.metrics.connectionSourceCount == 0)
    }
}
