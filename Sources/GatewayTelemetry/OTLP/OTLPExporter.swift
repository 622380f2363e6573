public import GatewayCore

/// Sends telemetry to a collector (OTLP/HTTP), in batches in the background.
///
/// A collector that is slow or down delays no call: what has no room in the queue is dropped and counted. Requests have no
/// credential of the application, and are neither traced nor counted as calls.
public final class OTLPExporter: Sendable {
    private let traces: BatchExporter<FinishedSpan>?
    private let metrics: MetricsExporter?
    private let exportTimeout: Duration
    private let clock: any GatewayClock

    /// Makes an exporter.
    ///
    /// - Parameters:
    ///   - transport: makes the exchanges: a transport of its own, not that of the application's calls.
    ///   - metrics: the metrics that are sent, if the configuration has a destination for them.
    ///   - clock: the clock of delays and time limits.
    ///   - random: the source of jitter.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `invalidURL` for a destination that is no URL, or `misconfigured` for
    ///   an impossible value.
    public init(
        _ configuration: OTLPConfiguration, transport: any Transport,
        metrics collector: RequestMetricsCollector? = nil, clock: any GatewayClock = SystemClock(),
        random: any RandomSource = FastRandomSource()
    ) throws(NetworkError) {
        try configuration.validate()
        exportTimeout = configuration.exportTimeout
        self.clock = clock
        let resource = OTLPResource(configuration.resource)
        if let destination = configuration.traces {
            let sender = try OTLPSender(destination, transport: transport, clock: clock, random: random)
            traces = BatchExporter(configuration, sender) { resource.request($0) }
        } else {
            traces = nil
        }
        if let destination = configuration.metrics, let collector {
            let sender = try OTLPSender(destination, transport: transport, clock: clock, random: random)
            metrics = MetricsExporter(configuration, sender, resource, collector: collector)
        } else {
            metrics = nil
        }
    }

    /// What became of the spans; `nil` if none are sent.
    public var spans: ExportCounts? { traces?.counts }

    /// What became of the requests with metrics; `nil` if none are sent.
    public var metricRequests: ExportCounts? { metrics?.counts }

    /// Adds a span.
    func add(_ span: FinishedSpan) { traces?.add(span) }

    /// Sends what waits, and returns when the collector has answered, or at the deadline.
    ///
    /// - Parameter deadline: `nil` for that after ``OTLPConfiguration/exportTimeout``.
    /// - Returns: whether everything has an outcome.
    @discardableResult
    public func flush(until deadline: Deadline?) async -> Bool {
        let deadline = deadline ?? .after(exportTimeout, clock: clock)
        async let areMetricsSent = self.metrics?.flush(until: deadline) ?? true
        let areSpansSent = await traces?.flush(until: deadline) ?? true
        return await areMetricsSent && areSpansSent
    }
}

extension OTLPConfiguration {
    func validate() throws(NetworkError) {
        try NetworkError.require(queueLimit >= 1, "queueLimit", "must be 1 or more")
        try NetworkError.require(batchLimit >= 1, "batchLimit", "must be 1 or more")
        try NetworkError.require(exportTimeout > .zero, "exportTimeout", "must be more than zero")
        try NetworkError.require(metricsInterval > .zero, "metricsInterval", "must be more than zero")
        for destination in [traces, metrics] {
            try NetworkError.require(
                destination.map { $0.timeout > .zero } ?? true, "timeout", "must be more than zero")
        }
    }
}
