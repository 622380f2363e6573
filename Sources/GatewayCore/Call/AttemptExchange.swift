/// The exchange of an attempt that may have a hedge. Pure.
///
/// Transitions: none → in progress → none, as often as the request is passed to the transport; in progress → abandoned,
/// which is final. A hedge is under way from ``beginHedge()``, which needs an exchange in progress, to ``endHedge()``: an
/// attempt that is given back by the transport meanwhile does not wait, since nothing could let its caller go.
@usableFromInline
struct AttemptExchange: Sendable {
    private enum State: Sendable {
        case none
        case inProgress(any AbandonableExchange)
        case abandoned(Abandonment)
    }

    private var state = State.none
    /// Whether a hedge is in progress, or has won.
    private(set) var isHedged = false

    /// What is to be done when the exchange ends; `nil` unless it was abandoned.
    var abandonment: Abandonment? {
        if case .abandoned(let abandonment) = state { return abandonment }
        return nil
    }

    /// Whether the caller waits for the transport.
    var isInProgress: Bool {
        if case .inProgress = state { return true }
        return false
    }

    /// The caller waits for the transport.
    mutating func begin(_ exchange: any AbandonableExchange) {
        if case .none = state { state = .inProgress(exchange) }
    }

    /// The caller does not wait for an exchange any more. Does nothing for another one, within that in progress.
    mutating func end(_ exchange: any AbandonableExchange) {
        if case .inProgress(let current) = state, current === exchange { state = .none }
    }

    /// A hedge is to be sent. Returns whether it may.
    mutating func beginHedge() -> Bool {
        guard isInProgress, !isHedged else { return false }
        isHedged = true
        return true
    }

    /// The hedge was not sent.
    mutating func endHedge() { isHedged = false }

    /// The call goes on without the attempt. Returns the exchange to tell; `nil` if there is none: the attempt ends by itself.
    mutating func abandon(_ abandonment: Abandonment) -> (any AbandonableExchange)? {
        guard case .inProgress(let exchange) = state else { return nil }
        state = .abandoned(abandonment)
        return exchange
    }
}
