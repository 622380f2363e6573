/// The metrics of a window, by the steps in which it moves. Pure: times are passed in, in nanoseconds from the start.
struct WindowRing: Sendable {
    private let stepNanoseconds: UInt64
    /// One more than the window has steps: the current one is not complete.
    private var steps: [RequestMetrics]
    /// The number of the newest step since the start.
    private var newest: UInt64 = 0

    init(_ window: MetricsWindow) {
        stepNanoseconds = window.stepNanoseconds
        steps = Array(repeating: RequestMetrics(), count: window.stepCount + 1)
    }

    /// Changes the metrics of the current step.
    ///
    /// - Parameter time: an earlier time than before, as on another thread, counts as that one.
    mutating func update(at time: UInt64, _ change: (inout RequestMetrics) -> Void) {
        move(to: time)
        change(&steps[Int(newest % UInt64(steps.count))])
    }

    /// The metrics of the window that ends at a time.
    mutating func metrics(at time: UInt64) -> RequestMetrics {
        move(to: time)
        return steps.reduce(into: RequestMetrics()) { $0.merge($1) }
    }

    private mutating func move(to time: UInt64) {
        let step = time / stepNanoseconds
        guard step > newest else { return }
        let passed = min(step - newest, UInt64(steps.count))
        for offset in 0..<passed { steps[Int((step - offset) % UInt64(steps.count))] = RequestMetrics() }
        newest = step
    }
}
