import GatewayCore

/// Wakes a loop at an instant of an injected clock, for which the kernel cannot wait. Belongs to the loop.
struct LoopAlarm {
    private let clock: LoopClock
    private let inbox: Inbox
    /// When it wakes the loop.
    private(set) var due = LoopClock.never
    private var task: Task<Void, Never>?

    /// `nil` for the system's clock.
    init?(_ clock: LoopClock, inbox: Inbox) {
        guard clock.isInjected else { return nil }
        self.clock = clock
        self.inbox = inbox
    }

    /// Sets the instant; ``LoopClock/never`` for none.
    mutating func set(_ due: Int64) {
        guard due != self.due else { return }
        self.due = due
        task?.cancel()
        task = nil
        guard due < LoopClock.never else { return }
        task = Task.detached { [clock, inbox] in
            if await clock.sleep(until: due) { _ = inbox.post(.wake) }
        }
    }
}
