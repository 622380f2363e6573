import GatewayClient
import GatewayTelemetry

/// The trace that a call continues, and the collector that `OTEL_*` variables name.
@MainActor
struct CallTelemetry {
    /// How long the collector is waited for after the call.
    private static let limit = Duration.seconds(3)

    /// Records the call; `nil` without a collector.
    let sink: ClientTelemetry?
    private let trace: TraceContext?
    private let baggage: Baggage

    /// Reads the variables, and prints those that are ignored.
    ///
    /// - Parameter other: a further sink.
    init(and other: (any RequestEventSink)?) throws {
        let variables = OpenTelemetryEnvironment()
        for warning in variables.warnings { Console.complain(warning) }
        var exporter = variables.exporter
        exporter.resource.merge(["service.name": "gateway"]) { own, _ in own }
        exporter.exportTimeout = min(exporter.exportTimeout, Self.limit)
        exporter.logExportTimeout = min(exporter.logExportTimeout, Self.limit)
        exporter.metricsTimeout = min(exporter.metricsTimeout, Self.limit)
        sink =
            variables.isDisabled || !exporter.hasDestination
            ? nil
            : try ClientTelemetry(
                exporting: exporter, tracer: variables.tracer, others: other.map { [$0] } ?? [])
        trace = variables.tracer.sendsTraceContext ? Self.trace() : nil
        let members = variables.tracer.sendsBaggage ? ProcessEnvironment.value("BAGGAGE") : nil
        baggage = Baggage(values: members.map { [$0] } ?? [])
    }

    /// The position of the process that has started this one.
    private static func trace() -> TraceContext? {
        guard let parent = ProcessEnvironment.value("TRACEPARENT") else { return nil }
        let state = ProcessEnvironment.value("TRACESTATE")
        let trace = TraceContext(
            environment: ["TRACEPARENT": parent].merging(state.map { ["TRACESTATE": $0] } ?? [:]) { $1 })
        if trace == nil { Console.complain("TRACEPARENT is not valid; the value is ignored.") }
        return trace
    }

    /// Lets a call continue the trace.
    func apply(to context: inout RequestContext) {
        context.trace = trace
        context.baggage = baggage
    }

    /// Sends what was recorded, and waits for the collector until the limit. A cancelled command does not wait, nor does one that has
    /// begun no call.
    func finish() async {
        guard let sink, let exporter = sink.exporter, sink.metrics.snapshot().started > 0 else { return }
        let isAnswered = await sink.flush(until: .after(Self.limit))
        let counts = [exporter.spans, exporter.metricRequests, exporter.logRecords]
        if Task.isCancelled { return }
        if let failure = counts.compactMap({ $0?.lastFailure }).first {
            Console.complain("the collector did not take the telemetry of the call: \(failure)")
        } else if !isAnswered {
            Console.complain("the collector did not answer within 3 s")
        } else if counts.contains(where: { $0.map { $0.rejected > 0 } ?? false }) {
            Console.complain("the collector rejected a part of the telemetry of the call")
        }
    }
}
