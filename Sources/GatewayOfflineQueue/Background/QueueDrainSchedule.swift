public import GatewayCore

/// Runs drains of queues at a later time that the system chooses: a timer, or the background tasks of a
/// platform.
public protocol QueueDrainSchedule: Sendable {
    /// Runs work once, no earlier than after a delay. Replaces earlier work that has not started.
    ///
    /// - Parameters:
    ///   - delay: the minimum delay, zero or more.
    ///   - work: runs until it returns, or until its task is cancelled because the system's time limit
    ///     passes.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () async -> Void)

    /// Cancels work that has not started.
    func cancel()
}

/// A timer of this process. Its work has no time limit.
public final class TimerDrainSchedule: QueueDrainSchedule {
    private let clock: any GatewayClock
    private let timer = Locked<Task<Void, Never>?>(nil)

    /// Creates a timer.
    public init(clock: any GatewayClock = SystemClock()) { self.clock = clock }

    deinit { cancel() }

    /// Runs work after a delay.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () async -> Void) {
        let next = clock.alarm(at: clock.now.adding(max(.zero, delay))) {
            // Once started, the work is not cancelled with the timer.
            Task.detached { await work() }
        }
        replace(with: next)
    }

    /// Cancels work that has not started.
    public func cancel() { replace(with: nil) }

    private func replace(with next: Task<Void, Never>?) {
        timer.withLock { timer in
            defer { timer = next }
            return timer
        }?.cancel()
    }
}
