public import GatewayCore

/// Counts what happens to calls, attempts, tokens and connections, and answers with percentiles and in the formats of
/// Prometheus.
///
/// ```swift
/// let metrics = RequestMetricsCollector()
/// configuration.events = metrics
/// …
/// let lastMinute = metrics.snapshot(.oneMinute)
/// print(lastMinute.p95, lastMinute.successRate)
/// ```
/// Each event is counted when it happens, so that nothing is lost. Memory is bounded: each instrument keeps up to
/// `seriesLimit` series, and counts what has no room in one more with the label `otel_metric_overflow`.
public final class RequestMetricsCollector: RequestEventSink {
    /// The events that are counted.
    public let interests: EventInterests
    /// The name of the service in `target_info`.
    let serviceName: String?
    let clock: any GatewayClock
    let start: MonotonicTime
    /// When counting began, since 1970: read once, so that it does not change if the wall clock is set.
    let startNanoseconds: UInt64
    private let state: Locked<MetricsState>
    private let connections = Locked(ConnectionSources())

    private struct ConnectionSources {
        var next = 0
        var all: [Int: @Sendable () async -> TransportStatistics?] = [:]
    }

    /// Creates a collector.
    ///
    /// - Parameters:
    ///   - seriesLimit: the maximum number of series of an instrument, the one for what has no room included; 2 or more. The
    ///     default is OpenTelemetry's.
    ///   - operationLimit: the maximum number of operations with metrics of their own, 2 or more. Each takes about 60 KiB.
    ///   - measuresExchanges: whether the time that requests wait for a connection is measured. It takes about ten calls of
    ///     libcurl and one of the system for each exchange.
    ///   - serviceName: the name of the program, for the metric `target_info`; `nil` for none.
    ///   - clock: the clock of the engine.
    public init(
        seriesLimit: Int = 2_000, operationLimit: Int = 256, measuresExchanges: Bool = false,
        serviceName: String? = nil, clock: any GatewayClock = SystemClock()
    ) {
        interests =
            measuresExchanges
            ? [.calls, .attempts, .exchanges, .tokens, .state] : [.calls, .attempts, .tokens, .state]
        self.serviceName = serviceName
        self.clock = clock
        start = clock.time
        startNanoseconds = clock.unixTime.metricNanoseconds
        state = Locked(MetricsState(seriesLimit: seriesLimit, operationLimit: operationLimit))
    }

    // MARK: Reading

    /// The metrics of all calls.
    ///
    /// - Parameter window: `nil`, the default, for those since the start.
    public func snapshot(_ window: MetricsWindow? = nil) -> RequestMetrics {
        operations(window).values.reduce(into: RequestMetrics()) { $0.merge($1) }
    }

    /// The metrics of calls by their operation. Operations that have no room are merged as
    /// ``GatewayCore/Operation/other``.
    ///
    /// - Parameter window: `nil`, the default, for those since the start.
    public func operations(_ window: MetricsWindow? = nil) -> [Operation?: RequestMetrics] {
        let time = time(of: clock.time)
        // Merged without the lock.
        return copy().metrics(window, at: time)
    }

    /// A copy of all that was counted.
    func copy() -> MetricsState { state.withLock { $0 } }

    // MARK: Connections

    /// Adds a source of the numbers of open connections, such as an engine with a transport of your own. A `GatewayEngine`
    /// with this sink does so by itself.
    ///
    /// - Parameter statistics: called for each exposition; `nil` once the source is gone.
    public func observe(_ statistics: @escaping @Sendable () async -> TransportStatistics?) {
        connections.withLock { sources in
            sources.all[sources.next] = statistics
            sources.next += 1
        }
    }

    /// The sum of all sources. Sources that are gone are forgotten.
    func connectionStatistics() async -> TransportStatistics {
        var sum = TransportStatistics()
        for (id, source) in connections.withLock({ $0.all }) {
            guard let statistics = await source() else {
                connections.withLock { _ = $0.all.removeValue(forKey: id) }
                continue
            }
            for (origin, counts) in statistics.origins {
                sum.origins[origin, default: .init()].connections += counts.connections
                sum.origins[origin, default: .init()].active += counts.active
                sum.origins[origin, default: .init()].waiting += counts.waiting
            }
        }
        return sum
    }

    /// The number of sources that are not known to be gone.
    var connectionSourceCount: Int { connections.withLock { $0.all.count } }

    // MARK: Recording

    /// Counts an event of a token.
    public func record(_ event: borrowing TokenEvent) {
        let event = copy event
        state.withLock { state in
            for measurement in state.tokens.measurements(of: event) { state.add(measurement) }
        }
    }

    /// Counts an event that belongs to no call.
    public func record(_ event: borrowing StateEvent) {
        let measurements = event.measurements
        state.withLock { state in for measurement in measurements { state.add(measurement) } }
    }

    /// Changes the state.
    @inline(__always)
    func change(_ body: (inout MetricsState) -> Void) { state.withLock { body(&$0) } }

    /// The nanoseconds from the start to a time; 0 for earlier ones.
    func time(of time: MonotonicTime) -> UInt64 { start.duration(to: time).roughNanoseconds }
}
