public import GatewayCore

/// What a bulkhead does at one moment.
public struct BulkheadStatistics: Hashable, Sendable {
    /// The numbers of an origin, or of all.
    public struct Counts: Hashable, Sendable {
        /// The calls that may be in progress.
        public var limit: Int
        /// The calls in progress, until the body of their response has ended.
        public var inUse = 0
        /// The calls that wait, by their priority. Priorities without calls are left out.
        public var waiting: [CallPriority: Int] = [:]
        /// The average time that a call is in progress; `nil` before the first has ended, and for all origins together.
        public var holdTime: Duration?

        /// Makes numbers without calls.
        public init(limit: Int) { self.limit = limit }

        /// The calls that wait, of all priorities.
        public var waitingCount: Int { waiting.values.reduce(0, +) }
    }

    /// The numbers of all origins together.
    public private(set) var all: Counts
    /// The numbers by origin. Operations without an origin (``Bulkhead/execute(priority:for:until:isolation:_:)``) are in
    /// ``all`` only.
    public private(set) var origins: [Origin: Counts] = [:]

    /// Makes numbers without calls.
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
