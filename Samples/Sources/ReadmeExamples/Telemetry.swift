import GatewayClient
import GatewayTelemetry

/// Metrics and logs of a service.
func telemetry(accept: String?, _ first: RequestMetrics, _ second: RequestMetrics) async throws {
    var configuration = GatewayConfiguration()

    let telemetry = try ClientTelemetry.environment()
    configuration.events = telemetry

    configuration.events = try ClientTelemetry(
        exporting: OTLPConfiguration(collector: "http://127.0.0.1:4318"))

    let lastMinute = telemetry.metrics.snapshot(.oneMinute)
    print(lastMinute.started, lastMinute.successRate ?? 1)
    print(lastMinute.p50 ?? .zero, lastMinute.p95 ?? .zero, lastMinute.p99 ?? .zero)
    let slow = telemetry.metrics.operations(.fiveMinutes).filter { $0.value.p95 ?? .zero > .seconds(1) }

    let both = first.merging(second)

    let (contentType, bytes) = await telemetry.metrics.exposition(accepting: accept)

    let log = JSONLogSink(sampling: 0.01, fields: [.time, .event, .traceID, .status, .duration])
    configuration.events = ClientTelemetry(log: log)

    _ = (configuration, slow, both, contentType, bytes)
}

final class LoggerSink: RequestEventSink {
    let interests: EventInterests = .calls
    let log: @Sendable (_ isError: Bool, _ message: String, _ fields: [String: String]) -> Void

    init(_ log: @escaping @Sendable (Bool, String, [String: String]) -> Void) { self.log = log }

    func record(_ event: borrowing RequestEvent) {
        guard case .failed(let cause, let attempts, let duration) = event.kind else { return }
        log(
            true, "call failed",
            [
                "operation": event.operation?.id ?? "", "origin": event.origin.description,
                "error": cause.code.description, "attempts": "\(attempts)", "duration": "\(duration)",
            ])
    }
}

/// Another logging library.
func anotherLog(_ log: @escaping @Sendable (Bool, String, [String: String]) -> Void) -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.events = ClientTelemetry(others: [LoggerSink(log)])
    return configuration
}
