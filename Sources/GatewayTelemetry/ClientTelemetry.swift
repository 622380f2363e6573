public import GatewayCore

/// Metrics and logs of a client.
///
/// ```swift
/// let telemetry = try ClientTelemetry.environment()
/// configuration.events = telemetry
/// ```
/// ``metrics`` answers with percentiles and is served to Prometheus; ``log`` writes lines of JSON.
public final class ClientTelemetry: RequestEventSink, TransportStatisticsObserver {
    /// The metrics.
    public let metrics: RequestMetricsCollector
    /// The log; `nil` for none.
    public let log: JSONLogSink?
    /// The events that one of the sinks wants.
    public let interests: EventInterests
    /// The header fields that one of the sinks wants.
    public let requestIDFields: [HTTPField.Name]
    private let others: [any RequestEventSink]

    /// Combines sinks.
    ///
    /// - Parameters:
    ///   - metrics: counts the events.
    ///   - log: writes the events; `nil` for no log.
    ///   - others: further sinks, such as one of the program. Each receives the events that it is interested in.
    public init(
        metrics: RequestMetricsCollector = RequestMetricsCollector(), log: JSONLogSink? = nil,
        others: [any RequestEventSink] = []
    ) {
        self.metrics = metrics
        self.log = log
        self.others = others
        var names = log?.requestIDFields ?? []
        for sink in others { names += sink.requestIDFields.filter { !names.contains($0) } }
        requestIDFields = names
        interests = others.reduce(metrics.interests.union(log?.interests ?? [])) { $0.union($1.interests) }
    }

    /// Counts, writes and passes on an event of a call.
    public func record(_ event: borrowing RequestEvent) {
        let interest = event.kind.interest
        if metrics.interests.contains(interest) { metrics.record(event) }
        if let log, log.interests.contains(interest) { log.record(event) }
        for sink in others where sink.interests.contains(interest) { sink.record(event) }
    }

    /// Counts, writes and passes on an event of a token.
    public func record(_ event: borrowing TokenEvent) {
        metrics.record(event)
        log?.record(event)
        for sink in others where sink.interests.contains(.tokens) { sink.record(event) }
    }

    /// Counts, writes and passes on an event that belongs to no call.
    public func record(_ event: borrowing StateEvent) {
        metrics.record(event)
        log?.record(event)
        for sink in others where sink.interests.contains(.state) { sink.record(event) }
    }

    /// Returns when the lines of the events so far are written, and those of the other sinks.
    public func flush() async {
        await log?.flush()
        for sink in others { await sink.flush() }
    }

    package func observe(_ statistics: @escaping @Sendable () async -> TransportStatistics?) {
        metrics.observe(statistics)
    }
}

extension RequestMetricsCollector: TransportStatisticsObserver {}
