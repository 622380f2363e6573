import GatewayCore
import GatewayTesting

@testable import GatewayTelemetry

enum TelemetrySpecimens {
    static func all() throws -> [Any] {
        var histogram = DurationHistogram()
        histogram.record(.seconds(1))
        let collector = RequestMetricsCollector(serviceName: Marker.text)
        let log = JSONLogSink(clock: SystemClock()) { [leaky = Leaky()] _ in _ = leaky }
        var otlp = OTLPConfiguration()
        var destination = OTLPConfiguration.Destination("https://collector.example.com/?key=\(Marker.token)")
        destination.fields = ["Authorization": Marker.text]
        otlp.traces = destination
        otlp.resource = ["service.name": Marker.text]
        let environment = OpenTelemetryEnvironment([
            "OTEL_EXPORTER_OTLP_ENDPOINT": Marker.text, "OTEL_EXPORTER_OTLP_HEADERS": Marker.text,
        ])
        let exporter = try OTLPExporter(otlp, transport: ScriptedTransport())
        var counts = ExportCounts()
        counts.lastFailure = "503"
        var options = ClientTracer.Options()
        options.shownQueryItems = [Marker.text]
        return [
            TraceSampler.alwaysOn, options, ClientTracer(exporter: exporter), otlp, destination, exporter,
            counts, environment, histogram, RequestMetrics(), collector, log,
            ClientTelemetry(metrics: collector, log: log, others: [LeakySink()]),
        ]
    }
}
