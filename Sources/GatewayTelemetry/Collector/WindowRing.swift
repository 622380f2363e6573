/// The metrics of a window, by the steps in which it moves. Pure: times are passed in, in nanoseconds from the start.
struct WindowRing: Sendable {
    private let stepNanoseconds: UInt64
    /// One more than the window has steps: the current one is not complete.
    private var steps: [RequestMetrics]
    /// The number of the newest step since the start, and its place.
    private var newest: UInt64 = 0
    private var place = 0
    /// When the newest step ends. Most calls come before: they take no division.
    private var stepEnd: UInt64

    init(_ window: MetricsWindow) {
        stepNanoseconds = window.stepNanoseconds
        steps = Array(repeating: RequestMetrics(), count: window.stepCount + 1)
        stepEnd = window.stepNanoseconds
    }

    /// Changes the metrics of the current step.
    ///
    /// - Parameter time: an earlier time than before, as on another thread, counts as that one.
    mutating func update(at time: UInt64, _ change: (inout RequestMetrics) -> Void) {
        move(to: time)
        change(&steps[place])
    }

    /// Counts the end of a call in the current step.
    mutating func end(
        _ outcome: CallSeriesKey.Outcome, _ sample: DurationHistogram.Sample, at time: UInt64
    ) {
        move(to: time)
        steps[place].end(outcome, sample)
    }

    /// The metrics of the window that ends at a time.
    mutating func metrics(at time: UInt64) -> RequestMetrics {
        move(to: time)
        return steps.reduce(into: RequestMetrics()) { $0.merge($1) }
    }

    @inline(__always)
    private mutating func move(to time: UInt64) {
        if time >= stepEnd { begin(time / stepNanoseconds) }
    }

    /// Begins a step that is not earlier than the newest.
    @inline(never)
    private mutating func begin(_ step: UInt64) {
        let passed = min(step - newest, UInt64(steps.count))
        for offset in 0..<passed { steps[Int((step - offset) % UInt64(steps.count))] = RequestMetrics() }
        newest = step
        place = Int(step % UInt64(steps.count))
        let (next, isOver) = stepNanoseconds.multipliedReportingOverflow(by: step + 1)
        stepEnd = isOver ? .max : next
    }
}
