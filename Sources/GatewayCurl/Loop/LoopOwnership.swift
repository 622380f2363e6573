/// Who may touch a loop: its thread, or, while nothing is under way, a caller who makes his exchange himself. Pure:
/// events in, actions out.
///
/// The driver takes the lock, feeds the event, lets go of the lock, and runs the action.
struct LoopOwnership {
    private enum Owner {
        /// The loop's thread, which is at work. → `sleepingThread`, `nobody`
        case thread
        /// The loop's thread, which waits for its sockets. → `thread`
        case sleepingThread
        /// Nothing is under way; the loop's thread waits to be called. → `thread`, `visitor`
        case nobody
        /// A caller, on his own thread. → `nobody`, `thread`
        case visitor(isCalled: Bool, isOverdue: Bool)
    }

    /// How many callers may come one after the other before the loop's thread has its turn: a task whose calls never
    /// wait keeps its thread of Swift's pool all the while.
    private let longestStreak: Int
    private var owner = Owner.thread
    private var streak = 0

    init(longestStreak: Int = 32) { self.longestStreak = longestStreak }

    /// Whom to wake.
    enum Call {
        case none
        /// Whoever waits for the loop's sockets has something to do.
        case interruptSleep
        /// The loop's thread has something to do.
        case endRest
    }

    /// Something is in the inbox, or the loop is to end.
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

    /// It will wait for its sockets.
    mutating func sleep() { owner = .sleepingThread }

    /// It is awake again.
    mutating func awake() {
        owner = .thread
        streak = 0
    }

    /// Nothing is under way: it will wait to be called.
    mutating func rest() { owner = .nobody }

    /// It was called, or its time to rest is over; `false` where it must wait for a caller to leave.
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

    /// A caller would make his exchange himself; `false` where the loop is not free.
    mutating func enter() -> Bool {
        guard case .nobody = owner, streak < longestStreak else { return false }
        streak += 1
        owner = .visitor(isCalled: false, isOverdue: false)
        return true
    }

    /// The caller leaves; `true` where the loop's thread has to be called.
    ///
    /// - Parameter isIdle: whether he leaves nothing behind.
    mutating func leave(isIdle: Bool) -> Bool {
        if isIdle, case .visitor(isCalled: false, isOverdue: false) = owner {
            owner = .nobody
            return false
        }
        owner = .thread
        return true
    }
}
