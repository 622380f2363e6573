import Dispatch

/// Holds servers' threads up until it is opened; then all pass.
final class ThreadGate: Sendable {
    private let turnstile = DispatchSemaphore(value: 0)

    func open() { turnstile.signal() }

    func wait() {
        turnstile.wait()
        turnstile.signal()
    }
}
