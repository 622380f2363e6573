/// The exchange of an attempt that may have a hedge. Pure.
///
/// Transitions: none → in progress → none; in progress → abandoned, which is final.
@usableFromInline
struct AttemptExchange: Sendable {
    private enum State: Sendable {
        case none
        case inProgress(any AbandonableExchange)
        case abandoned(Abandonment)
    }

    private var state = State.none

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

    /// The call goes on without the attempt. Returns the exchange to tell; `nil` if there is none: the attempt ends by itself.
    mutating func abandon(_ abandonment: Abandonment) -> (any AbandonableExchange)? {
        guard case .inProgress(let exchange) = state else { return nil }
        state = .abandoned(abandonment)
        return exchange
    }
}
