import GatewayCore

/// The calls that are kept after their end: the latest, the latest failed ones, and the slowest of ten minutes.
struct KeptCalls: Sendable {
    static let recentLimit = 500
    static let failedLimit = 100
    static let slowestLimit = 50

    private var recent = Ring(limit: recentLimit)
    private var failed = Ring(limit: failedLimit)
    /// In ascending order of their durations.
    private(set) var slowest: [FinishedCall] = []
    /// The number of the latest call; 0 before the first one.
    private(set) var lastSequence: UInt64 = 0

    /// A list with the latest elements.
    private struct Ring: Sendable {
        let limit: Int
        private var calls: [FinishedCall] = []
        private var next = 0

        init(limit: Int) { self.limit = limit }

        mutating func add(_ call: FinishedCall) {
            if calls.count < limit {
                calls.append(call)
            } else {
                calls[next] = call
                next = (next + 1) % limit
            }
        }

        /// Newest first.
        var newestFirst: some Sequence<FinishedCall> {
            (0..<calls.count).lazy.map { calls[(next + calls.count - 1 - $0) % calls.count] }
        }
    }

    /// Adds a call that has ended.
    mutating func add(
        _ record: CallRecord, _ outcome: FinishedCall.Outcome, attempts: Int, trace: TraceContext?,
        end: UInt64, nanoseconds: UInt64
    ) {
        lastSequence += 1
        let call = FinishedCall(
            record: record, outcome: outcome, attempts: attempts, trace: trace, end: end,
            nanoseconds: nanoseconds, sequence: lastSequence)
        recent.add(call)
        if call.isFailed { failed.add(call) }
        if let fastest = slowest.first, slowest.count >= Self.slowestLimit,
            fastest.nanoseconds >= nanoseconds, !fastest.isOutdated(at: end)
        {
            return
        }
        addSlow(call)
    }

    @inline(never)
    private mutating func addSlow(_ call: FinishedCall) {
        slowest.removeAll { $0.isOutdated(at: call.end) }
        let place = slowest.firstIndex { $0.nanoseconds > call.nanoseconds } ?? slowest.count
        slowest.insert(call, at: place)
        if slowest.count > Self.slowestLimit { slowest.removeFirst() }
    }

    /// A call with the lists that it belongs to.
    struct Listed: Sendable {
        let call: FinishedCall
        let isRecent: Bool
        let isSlow: Bool
    }

    /// The calls after a number, in the order of their ends: of the failed and slow ones the latest `notable` of each,
    /// and the latest others.
    ///
    /// - Parameters:
    ///   - sequence: the number of the call before the first one.
    ///   - notable: the maximum number of failed and of slow calls.
    ///   - others: the maximum number of recent calls.
    func calls(after sequence: UInt64, notable: Int = .max, others: Int = .max) -> [Listed] {
        let isNew = { (call: FinishedCall) in call.sequence > sequence }
        let slow = Set(slowest.map(\.sequence))
        var chosen: [UInt64: FinishedCall] = [:]
        for call in failed.newestFirst.prefix(while: isNew).prefix(notable) { chosen[call.sequence] = call }
        for call in slowest.filter(isNew).sorted(by: { $0.sequence > $1.sequence }).prefix(notable) {
            chosen[call.sequence] = call
        }
        for call in recent.newestFirst.prefix(while: isNew).prefix(others) { chosen[call.sequence] = call }
        return chosen.values.sorted { $0.sequence < $1.sequence }.map { call in
            Listed(
                call: call, isRecent: call.sequence + UInt64(Self.recentLimit) > lastSequence,
                isSlow: slow.contains(call.sequence))
        }
    }
}

extension FinishedCall {
    /// Whether it ended more than ten minutes ago.
    fileprivate func isOutdated(at time: UInt64) -> Bool { end.addingClamped(History.span) < time }
}
