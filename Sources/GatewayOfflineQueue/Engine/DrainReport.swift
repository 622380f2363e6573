/// The results of draining a queue.
public struct DrainReport: Hashable, Sendable {
    /// The number of attempts, including those that were abandoned or not made.
    public var attempts = 0
    /// The number of entries that the server has accepted.
    public var done = 0
    /// The number of attempts that will be repeated later.
    public var postponed = 0
    /// The number of entries that became poison.
    public var poison = 0
    /// The number of entries that are no longer sent automatically, because the server may have forgotten
    /// their idempotency keys.
    public var ambiguous = 0
    /// The number of attempts that ended because an account must sign in.
    public var parked = 0
    /// The number of attempts that were abandoned or not made.
    public var released = 0
    /// The number of entries that are still to be sent.
    public var remaining = 0
    /// Why nothing more was sent; `nil` if entries could be sent.
    public var hold: QueueStatus.Hold?
    /// Whether the deadline ended the drain.
    public var isExpired = false

    /// Creates an empty report.
    public init() {}

    mutating func count(_ result: QueueCompletion.Result) {
        attempts += 1
        switch result {
        case .done: done += 1
        case .postponed: postponed += 1
        case .poison: poison += 1
        case .parked: parked += 1
        case .released: released += 1
        }
    }

    /// The difference from an earlier report of the same queue.
    func since(_ earlier: DrainReport) -> DrainReport {
        var report = self
        report.attempts -= earlier.attempts
        report.done -= earlier.done
        report.postponed -= earlier.postponed
        report.poison -= earlier.poison
        report.ambiguous -= earlier.ambiguous
        report.parked -= earlier.parked
        report.released -= earlier.released
        return report
    }
}
