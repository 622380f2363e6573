import Synchronization

/// Counts work in progress. Once it is closed, it tells when there is none.
package final class WorkCount: Sendable {
    /// Set when new work is refused; the other bits count the work in progress.
    private static let closed = 1 << 62

    private let count = Atomic<Int>(0)
    /// Lands when new work is refused and none is in progress.
    private let emptied: SharedFlight<Void>

    package init(clock: any GatewayClock) { emptied = SharedFlight(clock: clock) }

    /// The work in progress.
    package var value: Int { count.load(ordering: .relaxed) & ~Self.closed }

    /// Work begins; `false` if it is refused.
    package func enter() -> Bool {
        let (_, now) = count.add(1, ordering: .acquiringAndReleasing)
        guard now & Self.closed != 0 else { return true }
        leave()
        return false
    }

    /// Work has ended.
    package func leave() {
        let (_, now) = count.subtract(1, ordering: .acquiringAndReleasing)
        if now == Self.closed { emptied.land(()) }
    }

    /// Refuses new work, and returns when none is in progress, or at a deadline. The cancellation of the task does not end the
    /// wait. It may be called again.
    package func close(until deadline: Deadline) async {
        let (_, now) = count.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing)
        if now == Self.closed { emptied.land(()) }
        await Task.detached { [emptied] in
            _ = await emptied.outcome(of: emptied.join(until: deadline))
        }.value
    }
}
