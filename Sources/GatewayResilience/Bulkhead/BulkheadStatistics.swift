public import GatewayCore

/// The counts of a bulkhead at one moment.
public struct BulkheadStatistics: Hashable, Sendable {
    /// The counts of an origin, or of all origins.
    public struct Counts: Hashable, Sendable {
        /// The maximum number of calls in progress.
        public var limit: Int
        /// The calls in progress. A call is in progress until the body of its response has ended.
        public var inUse = 0
        /// The waiting calls by priority. Priorities without calls are omitted.
        public var waiting: [CallPriority: Int] = [:]
        /// The average time that a permit is held; `nil` before the first permit is returned, and for all
        /// origins together.
        public var holdTime: Duration?

        /// Makes counts without calls.
        public init(limit: Int) { self.limit = limit }

        /// The number of waiting calls of all priorities.
        public var waitingCount: Int { waiting.values.reduce(0, +) }
    }

    /// The counts of all origins together.
    public private(set) var all: Counts
    /// The counts by origin. Operations without an origin
    /// (``Bulkhead/execute(priority:for:until:isolation:_:)``) are in ``all`` only.
    public private(set) var origins: [Origin: Counts] = [:]

    init(limit: Int) { all = Counts(limit: limit) }

    mutating func add(_ counts: Counts, of origin: Origin?) {
        all.inUse += counts.inUse
        if let origin { origins[origin] = counts }
    }

    mutating func addWaiter(_ priority: CallPriority, of origin: Origin?) {
        all.waiting[priority, default: 0] += 1
        if let origin { origins[origin]?.waiting[priority, default: 0] += 1 }
    }
}
