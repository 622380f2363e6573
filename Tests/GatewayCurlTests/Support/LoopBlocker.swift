import Dispatch
import GatewayCore
import GatewayTesting

/// Blocks the loop's thread when an exchange ends, until it is told to go on.
final class LoopBlocker: RequestEventSink {
    private let blocked = Latch()
    private let semaphore = DispatchSemaphore(value: 0)

    var interests: EventInterests { .exchanges }

    func record(_ event: borrowing RequestEvent) {
        blocked.open()
        semaphore.wait()
    }

    /// Returns when the thread is blocked.
    func waitUntilBlocked() async { await blocked.wait() }

    /// Lets the thread go on.
    func goOn() { semaphore.signal() }
}
