import GatewayCore

/// What was counted of calls: since the start, or in a window of time. Values merge: those of several processes add up.
public struct RequestMetrics: Sendable, Equatable {
    /// The calls that began.
    public internal(set) var started = 0
    /// The calls that ended with a response whose status is below 400.
    public internal(set) var succeeded = 0
    /// The calls that ended with an error, or with a response whose status is 400 or more.
    public internal(set) var failed = 0
    /// Those of ``failed`` that ended with a response.
    public internal(set) var errorResponses = 0
    /// The calls that were cancelled by their caller.
    public internal(set) var cancelled = 0
    /// The retries that were scheduled.
    public internal(set) var retries = 0
    /// How often calls were sent again with another credential.
    public internal(set) var replays = 0
    /// The calls that waited for the response of an equal call.
    public internal(set) var deduplicated = 0
    /// The calls in progress when the snapshot was made, also in that of a window.
    public internal(set) var inProgress = 0
    /// The durations of the calls that ended, cancelled ones included.
    public internal(set) var durations = DurationHistogram()

    /// Creates empty metrics.
    public init() {}

    /// The share of calls that succeeded, of those that ended and were not cancelled; `nil` without any.
    public var successRate: Double? {
        let ended = succeeded.addingClamped(failed)
        return ended == 0 ? nil : Double(succeeded) / Double(ended)
    }

    /// The mean duration; `nil` if no call has ended.
    public var averageDuration: Duration? { durations.mean }
    /// The median of the durations; `nil` if no call has ended.
    public var p50: Duration? { durations.p50 }
    /// The 95th percentile of the durations; `nil` if no call has ended.
    public var p95: Duration? { durations.p95 }
    /// The 99th percentile of the durations; `nil` if no call has ended.
    public var p99: Duration? { durations.p99 }

    /// Adds what others have counted.
    public mutating func merge(_ other: RequestMetrics) {
        started = started.addingClamped(other.started)
        succeeded = succeeded.addingClamped(other.succeeded)
        failed = failed.addingClamped(other.failed)
        errorResponses = errorResponses.addingClamped(other.errorResponses)
        cancelled = cancelled.addingClamped(other.cancelled)
        retries = retries.addingClamped(other.retries)
        replays = replays.addingClamped(other.replays)
        deduplicated = deduplicated.addingClamped(other.deduplicated)
        inProgress = inProgress.addingClamped(other.inProgress)
        durations.merge(other.durations)
    }

    /// The metrics of both.
    public func merging(_ other: RequestMetrics) -> RequestMetrics {
        var metrics = self
        metrics.merge(other)
        return metrics
    }

    /// Counts the end of a call.
    mutating func end(_ outcome: CallSeriesKey.Outcome, _ sample: DurationHistogram.Sample) {
        switch outcome {
        case .status(let status) where status < 400: succeeded &+= 1
        case .status:
            failed &+= 1
            errorResponses &+= 1
        case .error: failed &+= 1
        case .cancelled: cancelled &+= 1
        }
        durations.record(sample)
    }
}
