package import GatewayCore

/// A thread for blocking calls, so that they do not block a thread of Swift's pool. Work items run one at a time, in
/// order.
package final class WorkerThread: Sendable {
    private let queue: WorkQueue

    /// Creates a worker. The thread starts with the first work item and ends after the last reference is released.
    ///
    /// - Parameter canStart: whether the thread may be started; called before each attempt.
    package init(canStart: @escaping @Sendable () -> Bool = { true }) {
        queue = WorkQueue(canStart: canStart)
    }

    deinit { queue.finish() }

    /// Runs a closure on the thread, to its end even if the caller's task is cancelled.
    ///
    /// - Throws: `tokenStoreFailed` if the thread cannot be started.
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

    /// Runs a closure on the thread later, without waiting for it.
    ///
    /// - Parameter drop: called instead if the thread cannot be started.
    package func post(
        _ body: @escaping @Sendable () -> Void, orDrop drop: @escaping @Sendable () -> Void = {}
    ) {
        queue.add(WorkQueue.Work(run: body, drop: drop))
    }

    /// Runs a closure on the thread after a delay, even if all threads of Swift's pool are busy. It is dropped if the
    /// last reference is released before.
    package func post(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.add(after: pause, body)
    }

    /// The number of waiting work items.
    package var workCount: Int { queue.workCount }
}
