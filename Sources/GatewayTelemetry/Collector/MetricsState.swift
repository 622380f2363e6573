import GatewayCore

/// Everything that a collector has counted. Pure: times are passed in.
struct MetricsState: Sendable {
    /// The attempts of an origin and a method.
    struct AttemptCounts: Sendable {
        private(set) var active = 0
        /// Those that were sent, by their reasons, of which there are few.
        private(set) var sent: [(reason: AttemptInfo.Reason, count: Int)] = []

        mutating func begin() { active &+= 1 }

        mutating func end(_ reason: AttemptInfo.Reason, wasSent: Bool) {
            active &-= 1
            guard wasSent else { return }
            for index in sent.indices where sent[index].reason == reason {
                sent[index].count &+= 1
                return
            }
            sent.append((reason, 1))
        }
    }

    private let seriesLimit: Int
    var operations: SeriesTable<Operation?, OperationMetrics>
    var calls: SeriesTable<CallSeriesKey, HistogramSeries>
    var requests: SeriesTable<CallSeriesKey, HistogramSeries>
    var queueTimes: SeriesTable<ActiveKey, HistogramSeries>
    var attempts: SeriesTable<ActiveKey, AttemptCounts>
    /// Counters and gauges that change rarely.
    private(set) var numbers: [Instrument: SeriesTable<[String], Double>] = [:]
    /// Histograms that change rarely.
    private(set) var histograms: [Instrument: SeriesTable<[String], HistogramSeries>] = [:]
    var tokens = TokenMetrics()

    init(seriesLimit: Int, operationLimit: Int) {
        self.seriesLimit = seriesLimit
        operations = SeriesTable(limit: operationLimit)
        calls = SeriesTable(limit: seriesLimit)
        requests = SeriesTable(limit: seriesLimit)
        queueTimes = SeriesTable(limit: seriesLimit)
        attempts = SeriesTable(limit: seriesLimit)
    }

    /// Changes the metrics of an operation.
    @inline(__always)
    mutating func update(_ operation: Operation?, _ change: (inout OperationMetrics) -> Void) {
        operations.update(operation, from: OperationMetrics(), change)
    }

    /// Adds a measurement.
    mutating func add(_ measurement: Measurement) {
        switch measurement {
        case .count(let instrument, let labels): change(instrument, labels) { $0 += 1 }
        case .set(let instrument, let labels, let value): change(instrument, labels) { $0 = value }
        case .duration(let instrument, let labels, let duration):
            histograms[instrument, default: SeriesTable(limit: seriesLimit)]
                .update(labels, from: HistogramSeries()) {
                    $0.record(nanoseconds: duration.metricNanoseconds)
                }
        }
    }

    private mutating func change(
        _ instrument: Instrument, _ labels: [String], _ change: (inout Double) -> Void
    ) {
        numbers[instrument, default: SeriesTable(limit: seriesLimit)].update(labels, from: 0, change)
    }

    /// The metrics of all operations; of a window, or since the start.
    func metrics(_ window: MetricsWindow?, at time: UInt64) -> [Operation?: RequestMetrics] {
        var result: [Operation?: RequestMetrics] = [:]
        for entry in operations.entries {
            var metrics = entry.value
            result[entry.key, default: RequestMetrics()].merge(metrics.metrics(window, at: time))
        }
        if var overflow = operations.overflow {
            result[.other, default: RequestMetrics()].merge(overflow.metrics(window, at: time))
        }
        return result
    }
}
