import GatewayCore

/// A call with its steps, bounded in size.
///
/// `@unchecked`: in progress, it is used only within the lock of its part of ``OpenCalls``. After its end it does not change
/// until nobody has it any more (``KeptCalls/add(_:)``). Then it is used for another call.
final class CallRecord: @unchecked Sendable {
    /// The maximum number of steps; further ones are counted.
    static let stepLimit = 24
    /// The maximum number of IDs of calls that joined; further ones are counted.
    static let joinedLimit = 20

    enum Outcome: Sendable {
        case status(Int)
        // Indirect, because it is large and rare.
        indirect case error(FailureCause)
        case cancelled
    }

    /// What is known of a call that has ended.
    struct End: Sendable {
        var outcome = Outcome.cancelled
        var attempts = 0
        /// The halves of the trace ID; both are 0 without a trace.
        var trace: (high: UInt64, low: UInt64) = (0, 0)
        /// Nanoseconds from the start of the collector.
        var time: UInt64 = 0
        var nanoseconds: UInt64 = 0
    }

    private(set) var id: UInt64
    private(set) var operation: Operation?
    private(set) var method: HTTPMethod
    private(set) var origin: Origin
    /// Nanoseconds from the start of the collector.
    private(set) var begin: UInt64
    private(set) var steps: [CallStep] = []
    private(set) var omittedSteps = 0
    private var hasMissed = false
    /// The call whose response this one waits for, or got.
    private(set) var leader: UInt64?
    /// The calls that wait for the response of this one.
    private(set) var joined: [UInt64] = []
    private(set) var joinedCount = 0
    private(set) var end = End()
    /// Its number in the order of the ends, from 1; 0 in progress.
    private(set) var sequence: UInt64 = 0

    init(_ event: borrowing RequestEvent, begin: UInt64) {
        id = event.callID
        operation = event.operation
        method = event.method
        origin = event.origin
        self.begin = begin
    }

    /// A copy for somebody who reads it without the lock.
    init(_ other: CallRecord) {
        (id, operation, method, origin) = (other.id, other.operation, other.method, other.origin)
        (begin, steps, omittedSteps) = (other.begin, other.steps, other.omittedSteps)
        (leader, joined, joinedCount) = (other.leader, other.joined, other.joinedCount)
        hasMissed = other.hasMissed
        (end, sequence) = (other.end, other.sequence)
    }

    /// Uses the record, and the memory of its steps, for another call.
    func restart(_ event: borrowing RequestEvent, begin: UInt64) {
        id = event.callID
        operation = event.operation
        method = event.method
        origin = event.origin
        self.begin = begin
        steps.removeAll(keepingCapacity: true)
        omittedSteps = 0
        hasMissed = false
        if joinedCount > 0 { (joined, joinedCount) = ([], 0) }
        leader = nil
        sequence = 0
    }

    func add(_ step: CallStep) {
        guard steps.count < Self.stepLimit else {
            omittedSteps += 1
            return
        }
        if steps.capacity == 0 { steps.reserveCapacity(4) }
        steps.append(step)
    }

    /// Adds what the cache has for the call.
    ///
    /// - Returns: whether it had nothing before, too: a request that is replayed is looked up again.
    func lookUp(_ result: CacheResult, at time: UInt64) -> Bool {
        defer {
            add(CallStep(.cache(result), begin: time))
            hasMissed = hasMissed || result == .miss
        }
        return hasMissed && result == .miss
    }

    func join(_ leader: UInt64, at time: UInt64) {
        self.leader = leader
        add(CallStep(.joined(leader: leader), begin: time))
    }

    func addFollower(_ id: UInt64) {
        joinedCount += 1
        if joined.count < Self.joinedLimit { joined.append(id) }
    }

    /// Ends the attempt with a number.
    func endAttempt(_ number: Int, _ end: AttemptEnd, at time: UInt64) {
        guard let index = attempt(number) else { return }
        steps[index].end(end, at: time)
    }

    /// Adds the phases of the attempt with a number.
    func note(_ timings: ExchangeTimings, ofAttempt number: Int) {
        guard let index = attempt(number) else { return }
        steps[index].phases = CallStep.Phases(timings)
        if let connection = timings.connection { steps[index].connection = connection }
    }

    private func attempt(_ number: Int) -> Int? {
        var index = steps.count
        while index > 0 {
            index -= 1
            if case .attempt(let info) = steps[index].kind, info.number == number { return index }
        }
        return nil
    }

    /// Ends the call, and the steps that have not ended.
    func close(_ end: End) {
        self.end = end
        for index in steps.indices where steps[index].isOpen { steps[index].end(at: end.time) }
    }

    /// Numbers a call that has ended.
    func number(_ sequence: UInt64) { self.sequence = sequence }

    /// Whether it ended with an error, or with a status of 400 or more.
    var isFailed: Bool {
        switch end.outcome {
        case .status(let status): status >= 400
        case .error: true
        case .cancelled: false
        }
    }
}
