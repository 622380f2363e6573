import GatewayCore

extension BulkheadStateMachine {
    /// The result of ``BulkheadStateMachine/enter(_:to:priority:isReplay:until:at:)``.
    enum Entry: Hashable, Sendable {
        /// It has a permit, of the origin with this number.
        case admitted(Int)
        case waits(WaiterID)
        case rejected(Rejection)
    }

    /// The result of an event for a waiter.
    enum Action: Sendable {
        /// It has a permit from now on, of the origin with this number.
        case admit(Waiter, Int)
        case reject(Waiter, Rejection)
    }

    /// A reported change.
    enum Change: Hashable, Sendable {
        /// The first rejection since the last recovery.
        case overloaded(Origin?, limit: Int, waiting: Int)
        /// No call waits any more, and a quarter of the permits is free.
        case recovered(Origin?)
        /// The limit was halved or doubled, or has reached a bound, since the last report.
        case limit(Origin?, from: Int, to: Int)
    }

    /// A latency sample of a call.
    enum Sample: Sendable {
        case response(after: Duration, operation: String)
        case dropped(after: Duration)
    }
}
