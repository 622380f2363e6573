package import GatewayCore

/// A thread of one's own for calls that block, so that no thread of Swift's pool does. Work is done one by one, in
/// order.
package final class WorkerThread: Sendable {
    private let queue: WorkQueue

    /// Makes one. The thread begins with the first work and ends after the last reference.
    ///
    /// - Parameter canStart: whether the system gives a thread; asked before each attempt.
    package init(canStart: @escaping @Sendable () -> Bool = { true }) {
        queue = WorkQueue(canStart: canStart)
    }

    deinit { queue.finish() }

    /// Runs something on the thread, to its end even when the caller's task is cancelled.
    ///
    /// - Throws: `tokenStoreFailed` where the system gives no thread.
    package func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(NetworkError) -> Result
    ) async throws(NetworkError) -> Result {
        let answer = await withCheckedContinuation {
            (continuation: CheckedContinuation<Swift.Result<Result, NetworkError>, Never>) in
            queue.add(
                WorkQueue.Work { [queue] in
                    let answer = Swift.Result<Result, NetworkError> { () throws(NetworkError) in try body() }
                    ThreadSanitizer.released(queue)
                    continuation.resume(returning: answer)
                } drop: {
                    continuation.resume(
                        returning: .failure(.storeFailed("The system cannot start another thread.")))
                })
        }
        ThreadSanitizer.acquired(queue)
        return try answer.get()
    }

    /// Runs something on the thread some time, without waiting for it.
    ///
    /// - Parameter drop: what to do instead if the system cannot start a thread.
    package func post(
        _ body: @escaping @Sendable () -> Void, orDrop drop: @escaping @Sendable () -> Void = {}
    ) {
        queue.add(WorkQueue.Work(run: body, drop: drop))
    }

    /// Runs something on the thread after a while, whatever threads of Swift's pool are busy with. It is forgotten when
    /// the last reference goes first.
    package func post(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.add(after: pause, body)
    }

    /// How much work waits for the thread.
    package var workCount: Int { queue.workCount }
}
