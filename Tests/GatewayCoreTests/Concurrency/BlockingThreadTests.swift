import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct BlockingThreadTests {
    private final class Witness: Sendable {}

    /// What the work refers to is released when it has run.
    @Test func theWorkRunsOnceAndIsReleased() async throws {
        let runs = Locked(0)
        weak var released: Witness?
        do {
            let witness = Witness()
            released = witness
            let join = try #require(
                BlockingThread.startJoinable {
                    _ = witness
                    runs.withLock { $0 += 1 }
                })
            join()
        }
        #expect(runs.withLock { $0 } == 1 && released == nil)
        let done = Locked(false)
        #expect(BlockingThread.start { done.withLock { $0 = true } })
        #expect(await isEventually { done.withLock { $0 } })
    }
}
