import GatewayCore

/// Holds tasks until a test opens it, and counts their arrivals.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        var watchers = CountWatchers()
    }

    private let state = Locked(State())

    /// Creates a closed gate.
    public init() {}

    /// The number of arrivals, including tasks that have passed.
    public var arrivals: Int { state.withLock { $0.arrivals } }

    /// Arrives at the gate and waits until it is open. Cancellation has no effect, because the test decides when a task
    /// continues.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, ready) = state.withLock { state -> (Bool, [CountWatchers.Watcher]) in
                state.arrivals += 1
                if !state.isOpen { state.waiters.append(continuation) }
                return (state.isOpen, state.watchers.take(at: state.arrivals))
            }
            if isOpen { continuation.resume() }
            for watcher in ready { watcher.resume() }
        }
    }

    /// Opens the gate for all current and future tasks.
    public func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until this number of tasks has arrived.
    public func waitForArrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.watchers.add(continuation, until: count, now: $0.arrivals) }?.resume()
        }
    }
}
