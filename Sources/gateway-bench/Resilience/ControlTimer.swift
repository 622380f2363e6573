import Dispatch
import GatewayClient
import Glibc

/// A timer to compare the ends of calls with: like the transport, a thread of its own that waits for the next deadline and
/// resumes the task that waits for it. Deadlines come in their order.
final class ControlTimer: Sendable {
    private struct State {
        var waiters: [(instant: ContinuousClock.Instant, continuation: CheckedContinuation<Void, Never>)] = []
        var isStopped = false
    }

    private let state = Locked(State())

    init() { DispatchQueue(label: "control timer").async { [self] in run() } }

    /// Ends the thread when no task waits any more.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Returns at the instant, with the time at which the task continued.
    func wait(until instant: ContinuousClock.Instant) async -> ContinuousClock.Instant {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiters.append((instant, continuation)) }
        }
        return .now
    }

    private func run() {
        while true {
            let (next, isStopped) = state.withLock { ($0.waiters.first?.instant, $0.isStopped) }
            guard let next else {
                if isStopped { return }
                usleep(500)
                continue
            }
            let left = next - .now
            if left > .zero { usleep(UInt32(min(left / .microseconds(1), 100_000)) + 1) }
            let now = ContinuousClock.now
            let due = state.withLock { state in
                let count = state.waiters.prefix { $0.instant <= now }.count
                defer { state.waiters.removeFirst(count) }
                return state.waiters.prefix(count).map(\.continuation)
            }
            for waiter in due { waiter.resume() }
        }
    }
}
