import GatewayCore

/// Makes a frame each second while somebody watches, and gives the newest one to each viewer. Nothing is queued: a viewer that is
/// slow gets the newest frame when it asks again.
final class FrameSource: Sendable {
    static let viewerLimit = 8
    static let interval = Duration.seconds(1)

    private typealias Waiter = CheckedContinuation<SharedFrame?, Never>

    private struct State {
        var latest: SharedFrame?
        var number: UInt64 = 0
        var waiting: [Waiter] = []
        var viewers = 0
        var isRunning = false
        var isStopped = false
    }

    let collector: DashboardCollector
    private let state = Locked(State())

    init(_ collector: DashboardCollector) { self.collector = collector }

    /// Adds a viewer.
    ///
    /// - Returns: whether there is room for it. Then ``leave()`` must be called.
    func enter() -> Bool {
        let (isAdmitted, begins) = state.withLock { state in
            guard state.viewers < Self.viewerLimit, !state.isStopped else { return (false, false) }
            state.viewers += 1
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if isAdmitted { collector.isWatched = true }
        if begins { Task { await run() } }
        return isAdmitted
    }

    /// Removes a viewer.
    func leave() { state.withLock { $0.viewers -= 1 } }

    var viewerCount: Int { state.withLock { $0.viewers } }

    /// The newest frame if it is newer than one, otherwise the next.
    ///
    /// - Returns: `nil` after ``stop()``.
    func frame(after number: UInt64) async -> SharedFrame? {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> SharedFrame?? in
                if state.isStopped { return .some(nil) }
                if let latest = state.latest, latest.number > number { return latest }
                state.waiting.append(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Ends the streams.
    func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            state.latest = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume(returning: nil) }
    }

    /// Makes frames as long as there are viewers.
    private func run() async {
        var due = collector.clock.now
        while goesOn() {
            let number = state.withLock { state in
                state.number += 1
                return state.number
            }
            publish(SharedFrame(await collector.snapshot(number)))
            due = max(due.adding(Self.interval), collector.clock.now)
            do throws(CancellationError) { try await collector.clock.sleep(until: due) } catch { return }
        }
    }

    private func goesOn() -> Bool {
        state.withLock { state in
            if state.viewers > 0, !state.isStopped { return true }
            state.isRunning = false
            state.latest = nil
            // Set within the lock, so that a viewer that enters now sets it after that.
            collector.isWatched = false
            return false
        }
    }

    private func publish(_ frame: SharedFrame) {
        let waiting = state.withLock { state in
            if !state.isStopped { state.latest = frame }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume(returning: frame) }
    }
}
