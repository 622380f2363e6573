import GatewayClient
import GatewayTelemetry

/// Metrics and logs of a service.
func telemetry(accept: String?, _ first: RequestMetrics, _ second: RequestMetrics) async throws {
    var configuration = GatewayConfiguration()

    let telemetry = try ClientTelemetry.environment()
    configuration.events = telemetry

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
