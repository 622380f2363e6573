import GatewayCore

/// The calls that are kept after their end: the latest, the latest failed ones, and the slowest of ten minutes.
struct KeptCalls: Sendable {
    static let recentLimit = 500
    static let failedLimit = 100
    static let slowestLimit = 50

    private var recent = Ring(limit: recentLimit)
    private var failed = Ring(limit: failedLimit)
    /// In ascending order of their durations.
    private(set) var slowest: [CallRecord] = []
    /// The number of the latest call; 0 before the first one.
    private(set) var lastSequence: UInt64 = 0

    /// A list with the latest elements.
    private struct Ring: Sendable {
        let limit: Int
        private var calls: [CallRecord] = []
        private var next = 0

        init(limit: Int) { self.limit = limit }

        /// Adds a call.
        ///
        /// - Returns: the one that has no room any more.
        mutating func add(_ call: CallRecord) -> CallRecord? {
            guard calls.count >= limit else {
                calls.append(call)
                return nil
            }
            var call = call
            swap(&call, &calls[next])
            next = next + 1 == limit ? 0 : next + 1
            return call
        }

        /// Newest first.
        var newestFirst: some Sequence<CallRecord> {
            (0..<calls.count).lazy.map { calls[(next + calls.count - 1 - $0) % calls.count] }
        }

        mutating func replace(_ call: CallRecord, by other: CallRecord) {
            if let index = calls.firstIndex(where: { $0 === call }) { calls[index] = other }
        }
    }

    /// Adds a call that has ended.
    ///
    /// - Returns: a call that nobody has any more: its record can be used for another one. `nil` if there is none.
    mutating func add(_ call: CallRecord) -> CallRecord? {
        lastSequence += 1
        call.number(lastSequence)
        if call.isFailed { _ = failed.add(call) }
        if slowest.count < Self.slowestLimit || slowest[0].end.nanoseconds < call.end.nanoseconds
            || slowest[0].isOutdated(at: call.end.time)
        {
            addSlow(call)
        }
        var dropped = recent.add(call)
        return isKnownUniquelyReferenced(&dropped) ? dropped : nil
    }

    @inline(never)
    private mutating func addSlow(_ call: CallRecord) {
        slowest.removeAll { $0.isOutdated(at: call.end.time) }
        let place = slowest.firstIndex { $0.end.nanoseconds > call.end.nanoseconds } ?? slowest.count
        slowest.insert(call, at: place)
        if slowest.count > Self.slowestLimit { slowest.removeFirst() }
    }

    /// Adds a step to the latest call with an ID that a condition holds for. Who has read the call does not see the step.
    mutating func add(_ step: CallStep, to id: UInt64, where condition: (CallRecord) -> Bool) {
        func isWanted(_ call: CallRecord) -> Bool { call.id == id && condition(call) }
        guard
            let call = recent.newestFirst.first(where: isWanted) ?? failed.newestFirst.first(where: isWanted)
        else { return }
        let changed = CallRecord(call)
        changed.add(step)
        recent.replace(call, by: changed)
        failed.replace(call, by: changed)
        if let index = slowest.firstIndex(where: { $0 === call }) { slowest[index] = changed }
    }

    // MARK: Reading

    /// A call with the lists that it belongs to.
    struct Listed: Sendable {
        let call: CallRecord
        let isRecent: Bool
        let isFailed: Bool
        let isSlow: Bool

        /// Failed calls are sent first, then slow ones.
        fileprivate var rank: Int { isFailed ? 0 : isSlow ? 1 : 2 }
    }

    /// All calls that are kept, in the order of their ends.
    var listed: [Listed] {
        let failedNumbers = Set(failed.newestFirst.map(\.sequence))
        let slowNumbers = Set(slowest.map(\.sequence))
        let oldest = lastSequence.subtractingClamped(UInt64(Self.recentLimit))
        let notable = (Array(failed.newestFirst) + slowest).filter { $0.sequence <= oldest }
        var seen: Set<UInt64> = []
        let older = notable.filter { seen.insert($0.sequence).inserted }.sorted { $0.sequence < $1.sequence }
        return (older + recent.newestFirst.reversed()).map { call in
            Listed(
                call: call, isRecent: call.sequence > oldest, isFailed: failedNumbers.contains(call.sequence),
                isSlow: slowNumbers.contains(call.sequence))
        }
    }
}

extension [KeptCalls.Listed] {
    /// The failed calls, then the slow ones, then the others, the latest ones of each first.
    var byRank: Self {
        sorted { ($0.rank, $1.call.sequence) < ($1.rank, $0.call.sequence) }
    }
}

extension CallRecord {
    /// Whether it ended more than ten minutes ago.
    fileprivate func isOutdated(at time: UInt64) -> Bool { end.time.addingClamped(History.span) < time }
}
