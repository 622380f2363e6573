/// The life of one transfer, as its three parties see it: the caller who waits, whoever cancels him, and the
/// loop. Pure: events in, actions out. Whatever races, the waiter is resumed exactly once.
///
/// The driver takes the lock, feeds the event, lets go of the lock, and runs the action.
struct TransferStateMachine<Waiter> {
    private enum State {
        /// Nobody waits yet. → `submitted`, `cancelledBeforeWait`
        case created
        /// Cancelled before anybody waited. → `finished`
        case cancelledBeforeWait
        /// In the inbox; the loop has not seen it. → `onLoop`, `finished`
        case submitted(Waiter)
        /// With the loop: queued or on the wire. → `cancelling`, `finished`
        case onLoop(Waiter)
        /// The loop has been told to give it up, and has not yet. → `finished`
        case cancelling(Waiter)
        /// The waiter was resumed.
        case finished
    }

    private var state = State.created

    /// Whether the waiter was resumed.
    var isFinished: Bool {
        if case .finished = state { return true }
        return false
    }

    enum WaitAction {
        /// Hand the transfer to the loop.
        case submit
        /// It is cancelled already: resume the waiter.
        case resumeCancelled(Waiter)
    }

    /// The caller waits. Happens once, first of all but a cancellation.
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
        /// The loop never saw it: resume the waiter.
        case resumeCancelled(Waiter)
        /// The loop has it, and resumes the waiter when it has let go.
        case tellLoop
    }

    /// The caller's task was cancelled. May happen at any time and more than once.
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

    enum TakeAction {
        /// The loop has it now.
        case accept
        /// It was cancelled on the way: drop it.
        case drop
    }

    /// The loop takes it out of the inbox.
    mutating func take() -> TakeAction {
        switch state {
        case .submitted(let waiter):
            state = .onLoop(waiter)
            return .accept
        case .finished:
            return .drop
        case .created, .cancelledBeforeWait, .onLoop, .cancelling:
            preconditionFailure("take: a transfer is taken once, from the inbox")
        }
    }

    /// It is over: a response, an error, a timeout, the loop closing, or the loop refusing it.
    ///
    /// - Returns: whom to resume; `nil` where somebody was faster.
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
