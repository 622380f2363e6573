import Foundation
import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// The thread of a store, where the system gives none.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct WorkerThreadTests {
    @Test func allWhoCountedOnAThreadHearThatThereIsNone() async throws {
        let (asked, answered) = (Gate(), DispatchSemaphore(value: 0))
        let isPossible = Locked(false)
        let worker = WorkerThread {
            if isPossible.withLock({ $0 }) { return true }
            Task { await asked.pass() }
            answered.wait()
            return false
        }
        // The first asks the system, on a thread of its own; the second comes meanwhile.
        let first = Task {
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                Thread.detachNewThread {
                    worker.post {}
                    done.resume()
                }
            }
        }
        await asked.waitForArrivals(1)
        let second = Task { await outcome { () throws(NetworkError) in try await worker.run { 2 } } }
        await eventually { worker.workCount == 2 }
        answered.signal()
        await first.value
        #expect(await second.value.code == .tokenStoreFailed)
        isPossible.withLock { $0 = true }
        #expect(try await worker.run { 3 } == 3)
        asked.open()
    }
}
