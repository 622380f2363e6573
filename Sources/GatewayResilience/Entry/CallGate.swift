import GatewayCore
import Synchronization

/// Counts the calls of an engine, and refuses new ones after a shutdown.
final class CallGate: AdmissionPermit {
    /// Set in ``state`` when new calls are refused; the other bits count the calls in progress.
    private static let closed = 1 << 62

    private let state = Atomic<Int>(0)
    /// Lands when the gate is closed and no call is in progress.
    private let emptied: SharedFlight<Void>

    init(clock: any GatewayClock) { emptied = SharedFlight(clock: clock) }

    /// The number of calls in progress, including those whose response is still being read.
    var count: Int { state.load(ordering: .acquiring) & ~Self.closed }

    /// Lets a call in; `false` if the engine shuts down.
    @inline(__always)
    func enter() -> Bool {
        let (_, now) = state.add(1, ordering: .acquiringAndReleasing)
        guard now & Self.closed != 0 else { return true }
        leave()
        return false
    }

    /// A call has ended.
    @inline(__always)
    func leave() {
        let (_, now) = state.subtract(1, ordering: .acquiringAndReleasing)
        if now == Self.closed { emptied.land(()) }
    }

    /// The body of a call's response has ended.
    func end(_ outcome: AdmissionOutcome) { leave() }

    /// Refuses new calls.
    func close() {
        _ = state.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing)
        if count == 0 { emptied.land(()) }
    }

    /// Returns when no call is in progress, or at a deadline. The gate must be closed. The cancellation of the task does not
    /// end the wait.
    func drained(until deadline: Deadline) async {
        await Task.detached { [emptied] in
            _ = await emptied.outcome(of: emptied.join(until: deadline))
        }.value
    }
}
