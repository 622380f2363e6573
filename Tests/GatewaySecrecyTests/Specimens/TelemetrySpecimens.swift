import GatewayCore
import GatewayTelemetry

enum TelemetrySpecimens {
    static func all() -> [Any] {
        var histogram = DurationHistogram()
        histogram.record(.seconds(1))
        let collector = RequestMetricsCollector(serviceName: Marker.text)
        let log = JSONLogSink(clock: SystemClock()) { [leaky = Leaky()] _ in _ = leaky }
        return [
            histogram, RequestMetrics(), collector, log,
            ClientTelemetry(metrics: collector, log: log, others: [LeakySink()]),
        ]
    }
}
