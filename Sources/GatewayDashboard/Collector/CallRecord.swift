import GatewayCore

/// A call with its steps, bounded in size.
struct CallRecord: Sendable {
    /// The maximum number of steps; further ones are counted.
    static let stepLimit = 24
    /// The maximum number of IDs of calls that joined; further ones are counted.
    static let joinedLimit = 20

    let id: UInt64
    let operation: Operation?
    let method: HTTPMethod
    let origin: Origin
    /// Nanoseconds from the start of the collector.
    let begin: UInt64
    private(set) var steps: [CallStep] = []
    private(set) var omittedSteps = 0
    /// The call whose response this one waits for, or got.
    private(set) var leader: UInt64?
    /// The calls that wait for the response of this one.
    private(set) var joined: [UInt64] = []
    private(set) var joinedCount = 0

    init(_ event: borrowing RequestEvent, begin: UInt64) {
        id = event.callID
        operation = event.operation
        method = event.method
        origin = event.origin
        self.begin = begin
    }

    mutating func add(_ step: CallStep) {
        guard steps.count < Self.stepLimit else {
            omittedSteps += 1
            return
        }
        if steps.isEmpty { steps.reserveCapacity(4) }
        steps.append(step)
    }

    mutating func join(_ leader: UInt64, at time: UInt64) {
        self.leader = leader
        add(CallStep(.joined(leader: leader), begin: time))
    }

    mutating func addFollower(_ id: UInt64) {
        joinedCount += 1
        if joined.count < Self.joinedLimit { joined.append(id) }
    }

    /// Ends the attempt with a number.
    mutating func endAttempt(_ number: Int, _ end: AttemptEnd, at time: UInt64) {
        guard let index = attempt(number) else { return }
        steps[index].nanoseconds = time - min(time, steps[index].begin)
        steps[index].result = CallStep.Result(end.outcome)
        steps[index].wasSent = end.duration != nil
        if let connection = end.connection { steps[index].connection = connection }
    }

    /// Adds the phases of the attempt with a number.
    mutating func note(_ timings: ExchangeTimings, ofAttempt number: Int) {
        guard let index = attempt(number) else { return }
        steps[index].phases = CallStep.Phases(timings)
        if let connection = timings.connection { steps[index].connection = connection }
    }

    private func attempt(_ number: Int) -> Int? {
        steps.lastIndex { step in
            if case .attempt(let info) = step.kind { info.number == number } else { false }
        }
    }

    /// Ends the steps that have not ended.
    mutating func close(at time: UInt64) {
        for index in steps.indices where steps[index].isOpen {
            steps[index].nanoseconds = time - min(time, steps[index].begin)
        }
    }
}

/// A call that has ended.
struct FinishedCall: Sendable {
    enum Outcome: Sendable {
        case status(Int)
        case error(FailureCause)
        case cancelled
    }

    let record: CallRecord
    let outcome: Outcome
    let attempts: Int
    let trace: TraceContext?
    /// The end, in nanoseconds from the start of the collector.
    let end: UInt64
    let nanoseconds: UInt64
    /// Its number in the order of the ends, from 1.
    let sequence: UInt64

    /// Whether it ended with an error, or with a status of 400 or more.
    var isFailed: Bool {
        switch outcome {
        case .status(let status): status >= 400
        case .error: true
        case .cancelled: false
        }
    }
}
