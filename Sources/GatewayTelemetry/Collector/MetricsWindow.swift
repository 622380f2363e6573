package import GatewayCore

/// A window of time that ends now. Percentiles since the start of a process hardly move after a day; those of a window do.
///
/// A window moves in steps: it covers its length and up to one step more.
@nonexhaustive
public enum MetricsWindow: CaseIterable, Hashable, Sendable {
    /// 10 s, in steps of 2 s.
    case tenSeconds
    /// 1 min, in steps of 10 s.
    case oneMinute
    /// 5 min, in steps of 1 min.
    case fiveMinutes

    /// The length.
    public var length: Duration {
        switch self {
        case .tenSeconds: .seconds(10)
        case .oneMinute: .seconds(60)
        case .fiveMinutes: .seconds(300)
        }
    }

    /// The number of whole steps in the length.
    var stepCount: Int {
        switch self {
        case .tenSeconds, .fiveMinutes: 5
        case .oneMinute: 6
        }
    }

    /// The length of a step, in nanoseconds.
    var stepNanoseconds: UInt64 { length.metricNanoseconds / UInt64(stepCount) }
}

/// The metrics of an instant: since the start and in each window, by operation.
package struct WindowedMetrics: Sendable {
    /// The metrics of one window.
    package struct Window: Sendable {
        /// The time that the window covers: its length and a part of a step, less after the start.
        package let covered: Duration
        /// By operation, as ``RequestMetricsCollector/operations(_:)``.
        package let operations: [Operation?: RequestMetrics]
        /// The metrics of all calls.
        package let all: RequestMetrics

        init(covered: Duration, operations: [Operation?: RequestMetrics]) {
            self.covered = covered
            self.operations = operations
            all = operations.values.reduce(into: RequestMetrics()) { $0.merge($1) }
        }
    }

    /// Since the start.
    package let total: Window
    /// By window.
    package let windows: [MetricsWindow: Window]
}

extension RequestMetricsCollector {
    /// The metrics since the start and in all windows, all of the same instant.
    package func windowed() -> WindowedMetrics {
        let time = time(of: clock.time)
        let state = copy()
        func window(_ window: MetricsWindow?) -> WindowedMetrics.Window {
            let covered = window.map { UInt64($0.stepCount) * $0.stepNanoseconds + time % $0.stepNanoseconds }
            return WindowedMetrics.Window(
                covered: .nanoseconds(Int64(clamping: min(time, covered ?? time))),
                operations: state.metrics(window, at: time))
        }
        var windows: [MetricsWindow: WindowedMetrics.Window] = [:]
        for each in MetricsWindow.allCases { windows[each] = window(each) }
        return WindowedMetrics(total: window(nil), windows: windows)
    }
}
