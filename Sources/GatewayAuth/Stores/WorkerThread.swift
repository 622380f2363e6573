package import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

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

/// What a thread is to do, and the thread.
private final class WorkQueue: Sendable {
    /// Something to do, and what is done in its place where there is no thread.
    struct Work: Sendable {
        let run: @Sendable () -> Void
        let drop: @Sendable () -> Void
    }

    private struct State {
        var work: [Work] = []
        var timers: [(due: ContinuousClock.Instant, body: @Sendable () -> Void)] = []
        var isRunning = false
        var isFinished = false

        /// What comes next: timers that are due first, since they came first.
        mutating func next(now: ContinuousClock.Instant) -> Step {
            let first = timers.indices.min { timers[$0].due < timers[$1].due }
            if let first, timers[first].due <= now, !isFinished { return .run(timers.remove(at: first).body) }
            if !work.isEmpty { return .run(work.removeFirst().run) }
            return isFinished ? .end : .wait(first.map { now.duration(to: timers[$0].due) })
        }
    }

    private enum Step {
        case run(@Sendable () -> Void)
        case wait(Duration?)
        case end
    }

    private let state = Locked(State())
    private let semaphore = TimedSemaphore()

    private let canStart: @Sendable () -> Bool

    init(canStart: @escaping @Sendable () -> Bool) { self.canStart = canStart }

    var workCount: Int { state.withLock { $0.work.count } }

    func add(_ work: Work) { add { $0.work.append(work) } }

    func add(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
        let due = ContinuousClock.now.adding(pause)
        add { $0.timers.append((due, body)) }
    }

    private func add(_ change: (inout State) -> Void) {
        let mustStart = state.withLock { state in
            change(&state)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart, !canStart() || !start() else { return semaphore.signal() }
        // All who came meanwhile counted on this thread. Timers wait for the next attempt.
        let dropped = state.withLock { state in
            state.isRunning = false
            defer { state.work = [] }
            return state.work
        }
        for work in dropped { work.drop() }
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        semaphore.signal()
    }

    private func start() -> Bool {
        var thread = pthread_t()
        let queue = unsafe Unmanaged.passRetained(self)
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<WorkQueue>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            }, queue.toOpaque())
        guard code == 0 else {
            unsafe queue.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func work() {
        // No signal of the process is handled here, and writing into a closed connection is an error, no signal.
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
            unsafe sigdelset(&signals, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        while true {
            switch state.withLock({ $0.next(now: .now) }) {
            case .run(let body): body()
            case .wait(let limit): semaphore.wait(atMost: limit)
            case .end: return
            }
        }
    }
}
