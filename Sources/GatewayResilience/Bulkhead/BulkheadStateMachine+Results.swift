import GatewayCore

extension BulkheadStateMachine {
    /// What becomes of a call that comes.
    enum Entry: Hashable, Sendable {
        /// It has a permit, of the origin with this number.
        case admitted(Int)
        case waits(WaiterID)
        case rejected(Rejection)
    }

    /// What follows from an event for a waiter.
    enum Action: Sendable {
        /// It has a permit from now on, of the origin with this number.
        case admit(Waiter, Int)
        case reject(Waiter, Rejection)
    }

    /// What is reported.
    enum Change: Hashable, Sendable {
        /// The first call since the last recovery was turned away.
        case overloaded(Origin?, limit: Int, waiting: Int)
        /// No call waits any more, and a quarter of the permits is free.
        case recovered(Origin?)
        /// The limit was halved or doubled, or has reached a bound, since it was last reported.
        case limit(Origin?, from: Int, to: Int)
    }

    /// What a call says about the latency of its origin.
    enum Sample: Sendable {
        case response(after: Duration, operation: String)
        case dropped(after: Duration)
    }
}
