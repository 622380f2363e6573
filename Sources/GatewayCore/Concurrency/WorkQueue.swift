#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Work for a thread of its own, which is done one by one and in order, since calls that block must not do so on a thread of
/// Swift's pool.
///
/// The thread begins with the first work and ends after ``finish()``.
package final class WorkQueue: Sendable {
    /// Something to do, and what is done in its place if there is no thread.
    package struct Work: Sendable {
        let run: @Sendable () -> Void
        let drop: @Sendable () -> Void

        /// - Parameters:
        ///   - run: runs on the thread.
        ///   - drop: runs instead, in the task that adds work, if the system cannot start a thread.
        package init(run: @escaping @Sendable () -> Void, drop: @escaping @Sendable () -> Void) {
            self.run = run
            self.drop = drop
        }
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

    /// - Parameter canStart: whether the system gives a thread; asked before each attempt.
    package init(canStart: @escaping @Sendable () -> Bool = { true }) { self.canStart = canStart }

    /// The number of pieces of work that wait for the thread.
    package var workCount: Int { state.withLock { $0.work.count } }

    /// Adds work.
    package func add(_ work: Work) { add { $0.work.append(work) } }

    /// Adds work that is due after a while. It is forgotten if ``finish()`` comes first.
    package func add(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
        let due = ContinuousClock.now.adding(pause)
        add { $0.timers.append((due, body)) }
    }

    private func add(_ change: (inout State) -> Void) {
        let mustStart = state.withLock { state in
            change(&state)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart, !canStart() || !BlockingThread.start({ self.work() }) else {
            return semaphore.signal()
        }
        // All who came meanwhile counted on this thread. Timers wait for the next attempt.
        while let dropped = takeDropped() {
            for work in dropped { work.drop() }
        }
    }

    /// The work that no thread will do. No thread is started while it is dropped, so that this is one by one, too.
    private func takeDropped() -> [Work]? {
        state.withLock { state in
            guard !state.work.isEmpty else {
                state.isRunning = false
                return nil
            }
            defer { state.work = [] }
            return state.work
        }
    }

    /// Ends the thread when all work is done.
    package func finish() {
        state.withLock { $0.isFinished = true }
        semaphore.signal()
    }

    private func work() {
        // No signal of the process is handled here, and writing into a closed connection is an error, no signal.
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
            unsafe sigdelset(&signals, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        // Woken, it does not take the processor from the thread that woke it, which would keep that one from its other work for
        // milliseconds. Without this it is only slower.
        var parameters = sched_param()
        // SCHED_BATCH, a macro that Swift does not import.
        _ = unsafe sched_setscheduler(0, 3, &parameters)
        while true {
            switch state.withLock({ $0.next(now: .now) }) {
            case .run(let body): body()
            case .wait(let limit): semaphore.wait(atMost: limit)
            case .end: return
            }
        }
    }
}
