public import GatewayCore

/// A clock that advances only when a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// async let answer = engine.send(request, context: context)   // sleeps for its backoff
/// await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(1))
/// ```
public final class ManualClock: GatewayClock {
    private struct Sleeper {
        let instant: ContinuousClock.Instant
        let continuation: CheckedContinuation<Bool, Never>
    }
    private struct State {
        var now: ContinuousClock.Instant
        var unixTime: Duration
        var nextID: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        var cancelled: Set<UInt64> = []
        var watchers = CountWatchers()
        var requestedDelays: [Duration] = []
    }

    private let state: Locked<State>

    /// Creates a clock.
    ///
    /// - Parameter unixTime: the initial wall clock time. Default: 2026-01-01T00:00:00Z.
    public init(unixTime: Duration = .seconds(1_767_225_600)) {
        state = Locked(State(now: ContinuousClock.now, unixTime: unixTime.bounded))
    }

    /// The current instant of the monotonic clock.
    public var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// The wall clock.
    public var unixTime: Duration { state.withLock { $0.unixTime } }

    /// The requested durations of all sleeps, in the order of their start.
    public var requestedDelays: [Duration] { state.withLock { $0.requestedDelays } }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances both clocks and resumes the due tasks in the order of their instants.
    public func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.now = state.now.adding(duration)
            state.unixTime = (state.unixTime + duration.bounded).bounded
            let due = state.sleepers.filter { $0.value.instant <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.instant, $0.key) < ($1.value.instant, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume(returning: true) }
    }

    /// Advances both clocks to the instant of the first sleeping task. Does nothing if there is none.
    public func advanceToNextSleeper() {
        guard
            let (now, first) = state.withLock({ state in
                state.sleepers.values.map(\.instant).min().map { (state.now, $0) }
            })
        else { return }
        advance(by: max(.zero, now.duration(to: first)))
    }

    /// Sets only the wall clock, like an administrator or a time server.
    public func setUnixTime(_ unixTime: Duration) { state.withLock { $0.unixTime = unixTime.bounded } }

    /// Waits until at least this number of tasks is sleeping.
    public func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.watchers.add(continuation, until: count, now: $0.sleepers.count) }?.resume()
        }
    }

    /// Sleeps until the clock was moved to the instant.
    public func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {
        let id = state.withLock { state in
            state.nextID += 1
            state.requestedDelays.append(state.now.duration(to: instant.bounded))
            return state.nextID
        }
        let completed = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let (result, ready) = state.withLock {
                    state -> (Bool?, [CountWatchers.Watcher]) in
                    if state.cancelled.remove(id) != nil { return (false, []) }
                    if instant <= state.now { return (true, []) }
                    state.sleepers[id] = Sleeper(instant: instant, continuation: continuation)
                    return (nil, state.watchers.take(at: state.sleepers.count))
                }
                if let result { continuation.resume(returning: result) }
                for watcher in ready { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(returning: false)
        }
        state.withLock { _ = $0.cancelled.remove(id) }
        if !completed { throw CancellationError() }
    }
}
