/// The metrics of an operation: since the start, and in each window.
struct OperationMetrics: Sendable {
    private(set) var total = RequestMetrics()
    private var tenSeconds = WindowRing(.tenSeconds)
    private var oneMinute = WindowRing(.oneMinute)
    private var fiveMinutes = WindowRing(.fiveMinutes)

    /// Counts the beginning of a call.
    mutating func begin(at time: UInt64) {
        total.inProgress &+= 1
        update(at: time) { $0.started &+= 1 }
    }

    /// Counts the end of a call.
    mutating func end(
        _ outcome: CallSeriesKey.Outcome, _ sample: DurationHistogram.Sample, at time: UInt64
    ) {
        total.inProgress &-= 1
        total.end(outcome, sample)
        tenSeconds.end(outcome, sample, at: time)
        oneMinute.end(outcome, sample, at: time)
        fiveMinutes.end(outcome, sample, at: time)
    }

    /// Counts something else.
    mutating func update(at time: UInt64, _ change: (inout RequestMetrics) -> Void) {
        change(&total)
        tenSeconds.update(at: time, change)
        oneMinute.update(at: time, change)
        fiveMinutes.update(at: time, change)
    }

    /// The metrics of a window that ends at a time; `nil` for those since the start.
    mutating func metrics(_ window: MetricsWindow?, at time: UInt64) -> RequestMetrics {
        var metrics =
            switch window {
            case nil: total
            case .tenSeconds: tenSeconds.metrics(at: time)
            case .oneMinute: oneMinute.metrics(at: time)
            case .fiveMinutes: fiveMinutes.metrics(at: time)
            }
        metrics.inProgress = total.inProgress
        return metrics
    }
}
