import GatewayCore
import Synchronization

@testable import GatewayOfflineQueue

/// Keeps the thread of a writer, so that what is added meanwhile waits together.
final class ThreadHold: Sendable {
    private final class Held: Sendable {
        let hasBegun = Atomic(false)
        let isReleased = TimedSemaphore()

        func wait() {
            hasBegun.store(true, ordering: .releasing)
            isReleased.wait(atMost: nil)
        }
    }

    private let held = Held()

    /// Returns when the thread does nothing else.
    init(of writer: QueueWriter) async {
        let held = held
        Task { try await writer.perform { _ in held.wait() } }
        while !held.hasBegun.load(ordering: .acquiring) { await Task.yield() }
    }

    deinit { release() }

    func release() { held.isReleased.signal() }
}
