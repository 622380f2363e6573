import GatewayCore
import Synchronization

/// Counts the calls of an engine, and refuses new ones after a shutdown.
final class CallGate: AdmissionPermit {
    /// Set in ``state`` when new calls are refused; the other bits count the calls in progress.
    private static let closed = 1 << 62

    private let state = Atomic<Int>(0)
    private struct Waiting {
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isOver = false
    }

    private let waiting = Locked(Waiting())

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
        if now == Self.closed { resumeAll() }
    }

    /// The body of a call's response has ended.
    func end(_ outcome: AdmissionOutcome) { leave() }

    /// Refuses new calls.
    func close() {
        _ = state.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing)
        if count == 0 { resumeAll() }
    }

    /// Ends the wait for calls in progress.
    func giveUp() {
        waiting.withLock { $0.isOver = true }
        resumeAll()
    }

    /// Returns when no call is in progress, or ``giveUp()`` was called. The gate must be closed.
    func drained() async {
        await withCheckedContinuation { continuation in
            let isOver = waiting.withLock { state in
                state.waiters.append(continuation)
                return state.isOver
            }
            // The last call may have left before.
            if isOver || count == 0 { resumeAll() }
        }
    }

    private func resumeAll() {
        let waiters = waiting.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
