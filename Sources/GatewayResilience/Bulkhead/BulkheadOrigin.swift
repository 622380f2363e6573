import GatewayCore

/// An origin of a ``BulkheadStateMachine``.
struct BulkheadOrigin: Sendable {
    var origin: Origin?
    var isUsed = true
    var limit = 1
    var reportedLimit = 1
    var adaptive: AdaptiveLimitStateMachine?
    var active = 0
    /// The rank of its list of turns; negative if none of its waiters could start.
    var turn = -1
    /// The average time that a permit is held, in microseconds.
    var holdTime: Int64?
    var isOverloaded = false
}
