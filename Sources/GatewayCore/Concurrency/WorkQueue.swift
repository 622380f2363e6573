private import GatewayLibC

/// Runs blocking work in order on a separate thread, so that it does not block a thread of Swift's pool.
///
/// The thread starts with the first work and ends after ``finish()``.
package final class WorkQueue: Sendable {
    /// A piece of work, and a replacement if there is no thread.
    package struct Work: Sendable {
        let run: @Sendable () -> Void
        let drop: @Sendable () -> Void

        /// - Parameters:
        ///   - run: runs on the thread.
        ///   - drop: runs instead, in the task that adds the work, if the system cannot start a thread.
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

        /// The next step. Due timers run before other work.
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

    /// - Parameter canStart: whether a thread may be started, for tests of thread shortage. Called before each attempt.
    package init(canStart: @escaping @Sendable () -> Bool = { true }) { self.canStart = canStart }

    /// The number of pieces of work that are waiting for the thread.
    package var workCount: Int { state.withLock { $0.work.count } }

    /// Adds work.
    package func add(_ work: Work) { add { $0.work.append(work) } }

    /// Adds work that runs after a delay. It is dropped if ``finish()`` is called before.
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

    /// The work that no thread will run. No thread is started while work is dropped, so this is sequential, too.
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

    /// Ends the thread after all work is done.
    package func finish() {
        state.withLock { $0.isFinished = true }
        semaphore.signal()
    }

    private func work() {
        // Signals of the process are not handled on this thread. Writing to a closed connection is then an error
        // instead of a signal.
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
            unsafe sigdelset(&signals, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        // With SCHED_BATCH, waking this thread does not preempt the thread that woke it, which could otherwise lose
        // milliseconds. If the call fails, the queue is only slower.
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
