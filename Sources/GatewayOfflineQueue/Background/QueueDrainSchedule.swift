public import GatewayCore

/// Runs drains of queues at a later time, where the system decides when: a timer, or the background tasks of a platform.
public protocol QueueDrainSchedule: Sendable {
    /// Runs work once, after a time of at least so long. Earlier work that has not begun is forgotten.
    ///
    /// - Parameters:
    ///   - delay: zero or more.
    ///   - work: runs until it returns, or until its task is cancelled because the time is up.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () async -> Void)

    /// Forgets work that has not begun.
    func cancel()
}

/// A timer of this process. Its work is never cut off.
public final class TimerDrainSchedule: QueueDrainSchedule {
    private let clock: any GatewayClock
    private let timer = Locked<Task<Void, Never>?>(nil)

    /// Creates a timer.
    public init(clock: any GatewayClock = SystemClock()) { self.clock = clock }

    deinit { cancel() }

    /// Runs work after a time.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () async -> Void) {
        let next = clock.alarm(at: clock.now.adding(max(.zero, delay))) {
            // It has begun: forgetting it does not end it.
            Task.detached { await work() }
        }
        replace(with: next)
    }

    /// Forgets work that has not begun.
    public func cancel() { replace(with: nil) }

    private func replace(with next: Task<Void, Never>?) {
        timer.withLock { timer in
            defer { timer = next }
            return timer
        }?.cancel()
    }
}
