import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Runs the jobs of an actor on a thread of its own, since SQLite blocks and no thread of Swift's pool may.
///
/// The thread starts with the first job and ends after ``finish()``. If the system gives no thread, the task that asks runs
/// the jobs.
@safe final class DiskThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isRunning = false
        var isFinished = false
    }

    private let state = Locked(State())
    nonisolated(unsafe) private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        unsafe semaphore = .allocate(capacity: 1)
        unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustStart = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart else {
            unsafe sem_post(semaphore)
            return
        }
        if !start() {
            while runAll() {}
        }
    }

    /// Ends the thread when all jobs are done.
    func finish() {
        state.withLock { $0.isFinished = true }
        unsafe sem_post(semaphore)
    }

    /// Runs the jobs that wait.
    ///
    /// - Returns: whether there were any; otherwise the next job starts a thread again.
    private func runAll() -> Bool {
        let jobs = takeJobs(stopping: true)
        for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
        return !jobs.isEmpty
    }

    private func takeJobs(stopping isStopping: Bool) -> [UnownedJob] {
        state.withLock { state in
            if isStopping, state.jobs.isEmpty { state.isRunning = false }
            defer { state.jobs = [] }
            return state.jobs
        }
    }

    private func start() -> Bool {
        var thread = pthread_t()
        let retained = unsafe Unmanaged.passRetained(self)
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<DiskThread>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            }, retained.toOpaque())
        guard code == 0 else {
            unsafe retained.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func work() {
        // No signal of the process is handled here.
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
            unsafe sigdelset(&signals, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        while true {
            let jobs = takeJobs(stopping: false)
            for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
            guard jobs.isEmpty else { continue }
            if state.withLock({ $0.isFinished && $0.jobs.isEmpty }) { return }
            unsafe sem_wait(semaphore)
        }
    }
}
