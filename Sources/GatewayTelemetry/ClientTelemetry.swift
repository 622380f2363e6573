public import GatewayCore

/// Metrics, logs and traces of a client.
///
/// ```swift
/// let telemetry = try ClientTelemetry.environment()
/// configuration.events = telemetry
/// ```
/// ``metrics`` answers with percentiles and is served to Prometheus; ``log`` writes lines of JSON; ``tracer`` records spans;
/// ``exporter`` sends all of it to a collector. The connections to the collector are closed when the telemetry is released.
public final class ClientTelemetry: RequestEventSink, EventDistributing, TransportRequesting {
    /// The metrics.
    public let metrics: RequestMetricsCollector
    /// The log; `nil` for none.
    public let log: JSONLogSink?
    /// Records spans; `nil` for none.
    public let tracer: ClientTracer?
    /// Sends spans, metrics and the lines of the log to a collector; `nil` for nowhere.
    public let exporter: OTLPExporter?
    /// The header fields that one of the sinks wants.
    public let requestIDFields: [HTTPField.Name]
    /// The events that the metrics, the log and the tracer want.
    private let ownInterests: EventInterests
    private let others: [any RequestEventSink]
    /// The transports of the exporter if the engine provides them.
    private let provided: [ProvidedTransport]

    /// Combines sinks.
    ///
    /// - Parameters:
    ///   - metrics: counts the events.
    ///   - log: writes the events; `nil` for no log.
    ///   - tracer: records spans; `nil` for none.
    ///   - exporter: is flushed by ``flush(until:)``; `nil` for that of the tracer. A log's exporter is flushed, too.
    ///   - others: further sinks, such as one of the program. Each receives the events that it is interested in.
    public convenience init(
        metrics: RequestMetricsCollector = RequestMetricsCollector(), log: JSONLogSink? = nil,
        tracer: ClientTracer? = nil, exporter: OTLPExporter? = nil, others: [any RequestEventSink] = []
    ) {
        self.init(
            metrics: metrics, log: log, tracer: tracer, exporter: exporter, others: others, provided: [])
    }

    /// Metrics, a log and traces that are sent to a collector, in one line:
    /// ```swift
    /// configuration.events = try ClientTelemetry(exporting: OTLPConfiguration(collector: "http://127.0.0.1:4318"))
    /// ```
    /// What the configuration has no destination for is not recorded, except for the metrics. The log sends its lines from the
    /// level `info` on and writes none.
    ///
    /// - Parameters:
    ///   - configuration: where and how it is sent.
    ///   - options: what is traced.
    ///   - others: further sinks, such as one of the program.
    ///   - transport: makes the requests to the collector: a transport of its own, not that of the application's calls. `nil`, the
    ///     default, for one that the first `GatewayEngine` with this telemetry provides.
    ///   - clock: the clock of the engine.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `invalidURL` for a destination that is no URL, `invalidRequest` for a
    ///   header field that is not valid, or `misconfigured` for an impossible value.
    public convenience init(
        exporting configuration: OTLPConfiguration, tracer options: ClientTracer.Options = .init(),
        others: [any RequestEventSink] = [], transport: (any Transport)? = nil,
        clock: any GatewayClock = SystemClock()
    ) throws(NetworkError) {
        try self.init(
            exporting: configuration, options, others: others, transport: transport, clock: clock
        ) { exporter in
            exporter.map { JSONLogSink(clock: clock, exporter: $0, write: nil) }
        }
    }

    /// - Parameter makeLog: makes the log, with an exporter that sends its lines.
    convenience init(
        exporting configuration: OTLPConfiguration, _ options: ClientTracer.Options,
        others: [any RequestEventSink], transport: (any Transport)?, clock: any GatewayClock,
        log makeLog: (OTLPExporter?) -> JSONLogSink?
    ) throws(NetworkError) {
        let metrics = RequestMetricsCollector(
            serviceName: configuration.resource["service.name"], clock: clock)
        var provided: [TLSFiles: ProvidedTransport] = [:]
        var exporter: OTLPExporter?
        if configuration.hasDestination {
            exporter = try OTLPExporter(
                configuration, metrics: metrics, clock: clock, random: FastRandomSource()
            ) { destination in
                if let transport { return transport }
                let made = provided[destination.files] ?? ProvidedTransport(destination.files)
                provided[destination.files] = made
                return made
            }
        }
        let tracer =
            configuration.traces == nil
            ? nil
            : exporter.map {
                ClientTracer(exporter: $0, options: options, clock: clock)
            }
        self.init(
            metrics: metrics, log: makeLog(configuration.logs == nil ? nil : exporter), tracer: tracer,
            exporter: exporter, others: others, provided: Array(provided.values))
    }

    init(
        metrics: RequestMetricsCollector, log: JSONLogSink?, tracer: ClientTracer?, exporter: OTLPExporter?,
        others: [any RequestEventSink], provided: [ProvidedTransport]
    ) {
        self.provided = provided
        self.metrics = metrics
        self.log = log
        self.tracer = tracer
        self.exporter = exporter ?? tracer?.exporter
        self.others = others
        var names = log?.requestIDFields ?? []
        for sink in others { names += sink.requestIDFields.filter { !names.contains($0) } }
        requestIDFields = names
        ownInterests = metrics.interests.union(log?.interests ?? []).union(tracer?.interests ?? [])
    }

    /// The events that one of the sinks wants.
    public var interests: EventInterests { others.reduce(ownInterests) { $0.union($1.interests) } }

    package var receivers: [any RequestEventSink] {
        var receivers: [any RequestEventSink] = [metrics]
        if let log { receivers.append(log) }
        if let tracer { receivers.append(tracer) }
        return receivers + others
    }

    /// The tracer, otherwise the instrument of the first other sink that has one.
    public var instrument: (any AttemptInstrument)? {
        if let tracer { return tracer }
        return others.lazy.compactMap(\.instrument).first
    }

    /// Writes the lines and sends the spans of all events so far, and flushes the other sinks.
    ///
    /// - Parameter deadline: when the output of the log and the collector's answer are no longer waited for; `nil` waits for the
    ///   output, and for the answer until ``OTLPConfiguration/exportTimeout`` has passed.
    /// - Returns: whether the log was written and the collector has answered before the deadline.
    @discardableResult
    public func flush(until deadline: Deadline?) async -> Bool {
        async let isSent = self.exporter?.flush(until: deadline) ?? true
        // The exporter has the lines when they are written.
        let isWritten = await log?.writeAll(until: deadline) ?? true
        async let isLogSent = self.log?.send(until: deadline) ?? true
        for sink in others { await sink.flush() }
        let (isFirst, isSecond) = await (isSent, isLogSent)
        return isWritten && isFirst && isSecond
    }

    /// The same as ``flush(until:)`` without a deadline. A shutdown of the engine calls it, and does not wait longer than its
    /// own limit.
    public func flush() async { await flush(until: nil) }

    /// Counts, writes and passes on an event of a call.
    public func record(_ event: borrowing RequestEvent) {
        let interest = event.kind.interest
        if metrics.interests.contains(interest) { metrics.record(event) }
        if let log, log.interests.contains(interest) { log.record(event) }
        if let tracer, tracer.interests.contains(interest) { tracer.record(event) }
        for sink in others where sink.interests.contains(interest) { sink.record(event) }
    }

    /// Counts, writes and passes on an event of a token.
    public func record(_ event: borrowing TokenEvent) {
        metrics.record(event)
        log?.record(event)
        tracer?.record(event)
        for sink in others where sink.interests.contains(.tokens) { sink.record(event) }
    }

    /// Counts, writes and passes on an event that belongs to no call.
    public func record(_ event: borrowing StateEvent) {
        metrics.record(event)
        log?.record(event)
        for sink in others where sink.interests.contains(.state) { sink.record(event) }
    }

    package func use(_ transport: (TLSFiles) -> any Transport) {
        for own in provided { own.use(transport) }
    }
}

extension RequestMetricsCollector: TransportStatisticsObserver {}
