internal import GatewayCore

/// Runs the jobs of an actor on a thread of its own, since SQLite blocks and no thread of Swift's pool may.
///
/// If the system gives no thread, the task that adds a job runs it.
package final class DiskThread: SerialExecutor {
    private let queue: WorkQueue

    /// - Parameter canStart: whether the system gives a thread; asked before each attempt.
    package init(canStart: @escaping @Sendable () -> Bool = { true }) {
        queue = WorkQueue(canStart: canStart)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let run: @Sendable () -> Void = { [self] in
            unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        }
        queue.add(WorkQueue.Work(run: run, drop: run))
    }

    /// Ends the thread when all jobs are done.
    package func finish() { queue.finish() }
}
