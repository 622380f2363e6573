/// The owner of a loop: its thread or, while nothing is in progress, a caller that runs its exchange itself. Pure: events
/// in, actions out.
///
/// The driver takes the lock, feeds the event, releases the lock, and runs the action.
struct LoopOwnership {
    enum Owner: Hashable {
        /// The loop's thread, which is running. → `sleepingThread`, `nobody`
        case thread
        /// The loop's thread, which waits for its sockets. → `thread`
        case sleepingThread
        /// Nothing is in progress; the loop's thread waits to be called. → `thread`, `visitor`
        case nobody
        /// A caller, on its own thread. → `nobody`, `thread`
        case visitor(isCalled: Bool, isOverdue: Bool)
    }

    /// The maximum number of visits in a row before the loop's thread takes over: a task whose calls never suspend keeps
    /// its thread of Swift's pool.
    private let longestStreak: Int
    private(set) var owner = Owner.thread
    private var streak = 0

    init(longestStreak: Int = 32) { self.longestStreak = longestStreak }

    /// The thread to wake.
    enum Call {
        case none
        /// The thread that waits for the loop's sockets.
        case interruptSleep
        /// The loop's thread.
        case endRest
    }

    /// Called when the inbox has a command, or the loop must end.
    mutating func call() -> Call {
        switch owner {
        case .thread, .visitor(isCalled: true, _): return .none
        case .sleepingThread:
            owner = .thread
            return .interruptSleep
        case .nobody:
            owner = .thread
            return .endRest
        case .visitor(isCalled: false, let isOverdue):
            owner = .visitor(isCalled: true, isOverdue: isOverdue)
            return .interruptSleep
        }
    }

    // MARK: For the loop's thread

    /// The thread begins to wait for its sockets.
    mutating func sleep() { owner = .sleepingThread }

    /// The thread has stopped waiting.
    mutating func awake() {
        owner = .thread
        streak = 0
    }

    /// The thread begins to wait to be called, because nothing is in progress.
    mutating func rest() { owner = .nobody }

    /// The thread was called, or its wait has timed out; `false` if it must wait for a caller to leave.
    mutating func endRest() -> Bool {
        switch owner {
        case .thread: return true
        case .nobody, .sleepingThread:
            owner = .thread
            return true
        case .visitor(let isCalled, _):
            owner = .visitor(isCalled: isCalled, isOverdue: true)
            return false
        }
    }

    // MARK: For callers

    /// A caller enters to run its exchange; `false` if the loop is not free.
    mutating func enter() -> Bool {
        guard case .nobody = owner, streak < longestStreak else { return false }
        streak += 1
        owner = .visitor(isCalled: false, isOverdue: false)
        return true
    }

    /// The caller leaves; `true` if the loop's thread must be called.
    ///
    /// - Parameter isIdle: whether nothing is left in progress.
    mutating func leave(isIdle: Bool) -> Bool {
        if isIdle, case .visitor(isCalled: false, isOverdue: false) = owner {
            owner = .nobody
            return false
        }
        owner = .thread
        return true
    }
}
