public import GatewayCore

/// Sends telemetry to a collector (OTLP/HTTP), in batches in the background.
///
/// A collector that is slow or down delays no call: what has no room in the queue is dropped and counted. Requests have no
/// credential of the application, and are neither traced nor counted as calls.
public final class OTLPExporter: Sendable {
    private let traces: BatchExporter<FinishedSpan>?
    private let metrics: MetricsExporter?
    private let logs: BatchExporter<LogRecord>?
    private let logTimeout: Duration
    private let exportTimeout: Duration
    private let clock: any GatewayClock

    /// Makes an exporter.
    ///
    /// - Parameters:
    ///   - transport: makes the exchanges: a transport of its own, not that of the application's calls. It must not make
    ///     calls by an engine that this exporter observes, since each export would cause the next one.
    ///   - metrics: the metrics that are sent, if the configuration has a destination for them.
    ///   - clock: the clock of delays and time limits.
    ///   - random: the source of jitter.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `invalidURL` for a destination that is no URL, `invalidRequest` for a
    ///   header field that is not valid, or `misconfigured` for an impossible value.
    public convenience init(
        _ configuration: OTLPConfiguration, transport: any Transport,
        metrics collector: RequestMetricsCollector? = nil, clock: any GatewayClock = SystemClock(),
        random: any RandomSource = FastRandomSource()
    ) throws(NetworkError) {
        try self.init(configuration, metrics: collector, clock: clock, random: random) { _ in transport }
    }

    /// - Parameter transport: the transport to a destination.
    init(
        _ configuration: OTLPConfiguration, metrics collector: RequestMetricsCollector?,
        clock: any GatewayClock, random: any RandomSource,
        transport: (OTLPConfiguration.Destination) -> any Transport
    ) throws(NetworkError) {
        try configuration.validate()
        exportTimeout = configuration.exportTimeout
        logTimeout = configuration.logExportTimeout
        self.clock = clock
        let resource = OTLPResource(configuration.resource)
        func sender(_ destination: OTLPConfiguration.Destination?) throws(NetworkError) -> OTLPSender? {
            guard let destination else { return nil }
            return try OTLPSender(
                destination, transport: transport(destination), clock: clock, random: random)
        }
        traces = try sender(configuration.traces).map {
            BatchExporter<FinishedSpan>(configuration.spanLimits, $0, size: \.byteEstimate) {
                resource.request($0)
            }
        }
        logs = try sender(configuration.logs).map {
            BatchExporter<LogRecord>(configuration.logLimits, $0, size: \.byteEstimate) {
                resource.request($0)
            }
        }
        if let collector, let sender = try sender(configuration.metrics) {
            metrics = MetricsExporter(configuration, sender, resource, collector: collector)
        } else {
            metrics = nil
        }
    }

    /// What became of the spans; `nil` if none are sent.
    public var spans: ExportCounts? { traces?.counts }

    /// What became of the requests with metrics; `nil` if none are sent.
    public var metricRequests: ExportCounts? { metrics?.counts }

    /// What became of the log records; `nil` if none are sent.
    public var logRecords: ExportCounts? { logs?.counts }

    /// Adds a span.
    func add(_ span: FinishedSpan) { traces?.add(span) }

    /// Adds a line of the log.
    func add(_ record: LogRecord) { logs?.add(record) }

    /// Sends what waits, and returns when the collector has answered, or at the deadline; immediately, if no engine has provided the
    /// transport yet, or the collector has asked for no request before the deadline (`Retry-After`).
    ///
    /// - Parameter deadline: `nil` for that after ``OTLPConfiguration/exportTimeout``.
    /// - Returns: whether everything has an outcome.
    @discardableResult
    public func flush(until deadline: Deadline?) async -> Bool {
        let deadline = deadline ?? .after(exportTimeout, clock: clock)
        async let areMetricsSent = self.metrics?.flush(until: deadline) ?? true
        async let areLogsSent = self.logs?.flush(until: deadline) ?? true
        let areSpansSent = await traces?.flush(until: deadline) ?? true
        let areOthersSent = await (areMetricsSent, areLogsSent)
        return areSpansSent && areOthersSent.0 && areOthersSent.1
    }

    /// The same for the log records alone.
    func flushLogs(until deadline: Deadline?) async -> Bool {
        await logs?.flush(until: deadline ?? .after(logTimeout, clock: clock)) ?? true
    }
}

extension OTLPConfiguration {
    fileprivate var spanLimits: BatchLimits {
        BatchLimits(queue: queueLimit, batch: batchLimit, delay: batchDelay, timeout: exportTimeout)
    }

    fileprivate var logLimits: BatchLimits {
        BatchLimits(
            queue: logQueueLimit, batch: logBatchLimit, delay: logBatchDelay, timeout: logExportTimeout)
    }

    func validate() throws(NetworkError) {
        for (count, name) in [
            (queueLimit, "queueLimit"), (batchLimit, "batchLimit"), (logQueueLimit, "logQueueLimit"),
            (logBatchLimit, "logBatchLimit"),
        ] {
            try NetworkError.require(count >= 1, name, "must be 1 or more")
        }
        for (duration, name) in [
            (exportTimeout, "exportTimeout"), (logExportTimeout, "logExportTimeout"),
            (metricsInterval, "metricsInterval"), (metricsTimeout, "metricsTimeout"),
        ] {
            try NetworkError.require(duration > .zero, name, "must be more than zero")
        }
        for case let destination? in [traces, metrics, logs] {
            try NetworkError.require(
                !destination.url.utf8.contains(UInt8(ascii: "#")), "url", "must have no fragment")
            try NetworkError.require(destination.timeout > .zero, "timeout", "must be more than zero")
            try NetworkError.require(
                (destination.clientCertificateFile == nil) == (destination.clientKeyFile == nil),
                "clientCertificateFile", "must be set together with clientKeyFile")
        }
    }
}
