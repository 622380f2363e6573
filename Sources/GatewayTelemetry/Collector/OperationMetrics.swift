import GatewayCore

/// The metrics of an operation: since the start, and in each window.
///
/// A call is counted once: in the current step of the shortest window. The steps of longer windows are multiples of it, so that
/// it is added to all of them when it ends. Pure: times are passed in, in nanoseconds from the start.
struct OperationMetrics: Sendable {
    private static let step = MetricsWindow.tenSeconds.stepNanoseconds

    /// What the windows and the sum do not have yet.
    private var current = RequestMetrics()
    /// The begin and the end of the current step.
    private var begin: UInt64 = 0
    private var end = Self.step
    private var inProgress = 0
    private var total = RequestMetrics()
    private var tenSeconds = WindowRing(.tenSeconds)
    private var oneMinute = WindowRing(.oneMinute)
    private var fiveMinutes = WindowRing(.fiveMinutes)

    /// Counts the beginning of a call.
    mutating func begin(at time: UInt64) {
        inProgress &+= 1
        update(at: time) { $0.started &+= 1 }
    }

    /// Counts the end of a call.
    mutating func end(
        _ outcome: CallSeriesKey.Outcome, _ sample: DurationHistogram.Sample, at time: UInt64
    ) {
        inProgress &-= 1
        update(at: time) { $0.end(outcome, sample) }
    }

    /// Counts something else.
    ///
    /// - Parameter time: an earlier time than before, as on another thread, counts as that one.
    @inline(__always)
    mutating func update(at time: UInt64, _ change: (inout RequestMetrics) -> Void) {
        if time >= end { beginStep(at: time) }
        change(&current)
    }

    /// A count since the start.
    func count(_ value: KeyPath<RequestMetrics, Int>) -> Int {
        total[keyPath: value].addingClamped(current[keyPath: value])
    }

    /// The metrics of a window that ends at a time; `nil` for those since the start.
    mutating func metrics(_ window: MetricsWindow?, at time: UInt64) -> RequestMetrics {
        settle()
        var metrics =
            switch window {
            case nil: total
            case .tenSeconds: tenSeconds.metrics(at: time)
            case .oneMinute: oneMinute.metrics(at: time)
            case .fiveMinutes: fiveMinutes.metrics(at: time)
            }
        metrics.inProgress = inProgress
        return metrics
    }

    @inline(never)
    private mutating func beginStep(at time: UInt64) {
        settle()
        begin = time - time % Self.step
        end = begin.addingClamped(Self.step)
    }

    /// Adds what the windows and the sum do not have yet.
    private mutating func settle() {
        let current = current
        total.merge(current)
        tenSeconds.update(at: begin) { $0.merge(current) }
        oneMinute.update(at: begin) { $0.merge(current) }
        fiveMinutes.update(at: begin) { $0.merge(current) }
        self.current = RequestMetrics()
    }
}
