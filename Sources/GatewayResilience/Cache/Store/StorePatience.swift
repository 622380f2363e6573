import GatewayCore

/// Waits for a store for a limited time. What takes longer goes on by itself.
///
/// One alarm serves all who wait: one for each would cost more than most stores.
final class StorePatience: Sendable {
    private struct Wait {
        let due: ContinuousClock.Instant
        let expire: @Sendable () -> Void
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var lastWait: UInt64 = 0
        /// When the next alarm goes off.
        var alarm: ContinuousClock.Instant?
    }

    let clock: any GatewayClock
    private let state = Locked(State())

    init(clock: any GatewayClock) { self.clock = clock }

    /// Runs work in a task of its own.
    ///
    /// - Parameters:
    ///   - limit: how long it is waited for.
    ///   - isCancelled: whether the work is cancelled then.
    /// - Returns: what the work returns; `nil` if it takes longer.
    func value<Value: Sendable>(
        within limit: Duration, cancelling isCancelled: Bool,
        of work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let answer = LateAnswer<Value>()
        let task = Task.detached { answer.give(await work()) }
        let wait = begin(
            Wait(due: clock.now.adding(limit)) {
                if isCancelled { task.cancel() }
                answer.give(nil)
            })
        let value = await answer.value
        state.withLock { _ = $0.waits.removeValue(forKey: wait) }
        return value
    }

    private func begin(_ wait: Wait) -> UInt64 {
        let (id, alarm) = state.withLock { state -> (UInt64, ContinuousClock.Instant?) in
            state.lastWait += 1
            state.waits[state.lastWait] = wait
            if let alarm = state.alarm, alarm <= wait.due { return (state.lastWait, nil) }
            state.alarm = wait.due
            return (state.lastWait, wait.due)
        }
        if let alarm { setAlarm(at: alarm) }
        return id
    }

    private func setAlarm(at instant: ContinuousClock.Instant) {
        Task.detached { [clock, weak self] in
            do { try await clock.sleep(until: instant) } catch { return }
            self?.fire(instant)
        }
    }

    /// Ends the waits that are due, and sets the alarm for the next one.
    private func fire(_ instant: ContinuousClock.Instant) {
        let now = clock.now
        let (late, next) = state.withLock { state -> ([Wait], ContinuousClock.Instant?) in
            if state.alarm == instant { state.alarm = nil }
            let late = state.waits.filter { $0.value.due <= now }
            for id in late.keys { state.waits[id] = nil }
            guard let next = state.waits.values.map(\.due).min(), state.alarm.map({ next < $0 }) ?? true
            else { return (Array(late.values), nil) }
            state.alarm = next
            return (Array(late.values), next)
        }
        for wait in late { wait.expire() }
        if let next { setAlarm(at: next) }
    }
}

/// A value for one waiter. The first that is given counts.
private final class LateAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value?, Never>)
        case given(Value?)
    }

    private let state = Locked(State.open)

    func give(_ value: Value?) {
        let waiter = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            switch state {
            case .open:
                state = .given(value)
                return nil
            case .waiting(let waiter):
                state = .given(nil)
                return waiter
            case .given: return nil
            }
        }
        guard let waiter else { return }
        // A continuation that is resumed before its task has suspended passes its value unseen by the sanitizer.
        ThreadSanitizer.released(self)
        waiter.resume(returning: value)
    }

    /// The value, when it is given. Asked for once.
    var value: Value? {
        get async {
            defer { ThreadSanitizer.acquired(self) }
            return await withCheckedContinuation { suspend($0) }
        }
    }

    private func suspend(_ waiter: CheckedContinuation<Value?, Never>) {
        let (isGiven, value) = state.withLock { state -> (Bool, Value?) in
            if case .given(let value) = state { return (true, value) }
            state = .waiting(waiter)
            return (false, nil)
        }
        if isGiven { waiter.resume(returning: value) }
    }
}
