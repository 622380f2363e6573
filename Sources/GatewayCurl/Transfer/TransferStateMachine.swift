/// The states of one transfer, shared by the waiting caller, its cancellation handler and the loop. A pure state
/// machine. The waiter is resumed exactly once, regardless of the order of events.
///
/// The driver takes the lock, sends the event, releases the lock, and runs the action.
struct TransferStateMachine<Waiter> {
    private enum State {
        /// No caller is waiting yet. → `submitted`, `cancelledBeforeWait`
        case created
        /// Cancelled before a caller waited. → `finished`
        case cancelledBeforeWait
        /// In the inbox; the loop has not taken it. → `onLoop`, `finished`
        case submitted(Waiter)
        /// In the loop. → `cancelling`, `finished`
        case onLoop(Waiter)
        /// The loop was told to end the transfer, but has not ended it yet. → `finished`
        case cancelling(Waiter)
        /// The waiter was resumed, and nothing is in progress.
        case finished
    }

    private var state = State.created

    /// Whether the waiter was resumed, and nothing is in progress.
    var isFinished: Bool {
        if case .finished = state { return true }
        return false
    }

    enum WaitAction {
        /// Submit the transfer to the loop.
        case submit
        /// The transfer is already cancelled: resume the waiter.
        case resumeCancelled(Waiter)
    }

    /// Registers the waiter. Called once, before all other events except a cancellation.
    mutating func wait(_ waiter: Waiter) -> WaitAction {
        switch state {
        case .created:
            state = .submitted(waiter)
            return .submit
        case .cancelledBeforeWait:
            state = .finished
            return .resumeCancelled(waiter)
        case .submitted, .onLoop, .cancelling, .finished:
            preconditionFailure("wait: a transfer is waited for once")
        }
    }

    enum CancelAction {
        case none
        /// The loop has not taken the transfer: resume the waiter.
        case resumeCancelled(Waiter)
        /// The loop has the transfer, and resumes the waiter after it has ended it.
        case tellLoop
    }

    /// Cancels the transfer. May be called at any time and more than once.
    mutating func cancel() -> CancelAction {
        switch state {
        case .created:
            state = .cancelledBeforeWait
            return .none
        case .submitted(let waiter):
            state = .finished
            return .resumeCancelled(waiter)
        case .onLoop(let waiter):
            state = .cancelling(waiter)
            return .tellLoop
        case .cancelledBeforeWait, .cancelling, .finished:
            return .none
        }
    }

    /// Called when the loop takes the transfer out of the inbox; `false` if it was cancelled before.
    mutating func take() -> Bool {
        switch state {
        case .submitted(let waiter):
            state = .onLoop(waiter)
            return true
        case .finished:
            return false
        case .created, .cancelledBeforeWait, .onLoop, .cancelling:
            preconditionFailure("take: a transfer is taken once, from the inbox")
        }
    }

    /// Ends the transfer: with a response, an error or a timeout, or because the loop is closing or rejected it.
    ///
    /// - Returns: the waiter to resume; `nil` if it was already resumed.
    mutating func finish() -> Waiter? {
        switch state {
        case .submitted(let waiter), .onLoop(let waiter), .cancelling(let waiter):
            state = .finished
            return waiter
        case .created, .cancelledBeforeWait, .finished:
            return nil
        }
    }
}
