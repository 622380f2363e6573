import GatewayCore

/// Holds tasks back until a test opens it, and tells the test how many have come.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    /// Makes a closed gate.
    public init() {}

    /// How many have come so far, those let through included.
    public var arrivals: Int { state.withLock { $0.arrivals } }

    /// Comes to the gate and returns when it is open. Cancellation does not open it: a test that holds a task
    /// back decides when it goes on.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, ready) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
                state.arrivals += 1
                if !state.isOpen { state.waiters.append(continuation) }
                let arrivals = state.arrivals
                let ready = state.watchers.filter { $0.count <= arrivals }.map(\.continuation)
                state.watchers.removeAll { $0.count <= arrivals }
                return (state.isOpen, ready)
            }
            if isOpen { continuation.resume() }
            for watcher in ready { watcher.resume() }
        }
    }

    /// Lets through everyone who waits and everyone who will come.
    public func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when this many have come.
    public func waitForArrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.arrivals >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}
