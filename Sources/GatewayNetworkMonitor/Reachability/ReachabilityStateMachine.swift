internal import GatewayCore

/// Settles what the links say: only what lasts for a time is a transition.
///
/// The settled status is replaced at once by one that only adds to it. Any other waits for its delay, which begins anew when
/// the kind of the change is another, and is dropped when the status returns to the settled one.
struct ReachabilityStateMachine: Sendable {
    let onlineDelay: Duration
    let offlineDelay: Duration
    /// What the links said last.
    private(set) var raw: Reachability
    /// What has lasted.
    private(set) var settled: Reachability
    private var pending: (kind: NetworkTransition.Kind, due: ContinuousClock.Instant)?

    init(_ initial: Reachability, onlineDelay: Duration, offlineDelay: Duration) {
        raw = initial
        settled = initial
        self.onlineDelay = onlineDelay
        self.offlineDelay = offlineDelay
    }

    /// When ``advance(to:)`` is due; `nil` if nothing waits.
    var due: ContinuousClock.Instant? { pending?.due }

    /// Whether the network is away at this moment, though not yet for long.
    var isInterrupted: Bool { settled.isOnline && !raw.isOnline }

    /// Takes a status as settled, as at the start.
    mutating func restart(with status: Reachability) {
        (raw, settled, pending) = (status, status, nil)
    }

    /// Reads the links.
    mutating func observe(_ status: Reachability, at now: ContinuousClock.Instant) {
        raw = status
        guard let kind = change(to: status) else {
            settled = status
            pending = nil
            return
        }
        guard pending?.kind != kind else { return }
        pending = (kind, now.adding(kind == .offline ? offlineDelay : onlineDelay))
    }

    /// Settles what has lasted long enough.
    mutating func advance(to now: ContinuousClock.Instant) -> NetworkTransition? {
        guard let (kind, due) = pending, now >= due else { return nil }
        pending = nil
        settled = raw
        return NetworkTransition(kind: kind, instant: now)
    }

    private func change(to status: Reachability) -> NetworkTransition.Kind? {
        if status.isOnline != settled.isOnline { return status.isOnline ? .online : .offline }
        return status.isOnline && !settled.lifelines.isSubset(of: status.lifelines) ? .moved : nil
    }
}
