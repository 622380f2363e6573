import GatewayCore
import GatewaySQLite

extension QueueTable {
    /// Ends attempts.
    func finish(_ completions: [QueueCompletion], _ now: QueueTime) throws(SQLiteError) -> [Bool] {
        _ = try note(now)
        var results = [Bool](repeating: false, count: completions.count)
        var index = 0
        while index < completions.count {
            let end = completions[index...].firstIndex { !$0.isPlain } ?? completions.count
            if index < end {
                try finishPlain(completions, index..<end, now, &results)
                index = end
            } else {
                results[index] = try finish(completions[index], now)
                index += 1
            }
        }
        return results
    }

    private func finish(_ completion: QueueCompletion, _ now: QueueTime) throws(SQLiteError) -> Bool {
        let lease = completion.lease
        guard var row = try row(lease.id), row.entry.state == .leased, row.owner == lease.owner,
            row.entry.attempts == lease.attempt
        else { return false }
        if completion.result == .parked, let account = row.entry.account { try park(account, now) }
        row.finish(completion, isParked: try isParked(row.entry.account), now: now)
        try removeFromRun(lease.id)
        try save(row, after: .leased)
        return true
    }

    /// The attempts in progress of an owner that the owner does not know. Their items have no bodies.
    func strays(
        of owner: QueueOwner, unless isKnown: (QueueEntry.ID, Int) -> Bool
    ) throws(SQLiteError) -> [QueueLease] {
        var leased = try ids(
            "SELECT id FROM entry INDEXED BY entry_leased WHERE state = 5 AND owner = ?",
            .integer(Int64(bitPattern: owner.rawValue)))
        for run in try meta().runs where run.owner == owner {
            leased += try ids(
                "SELECT id FROM entry WHERE id BETWEEN ? AND ? AND state = 0",
                .integer(run.ids.lowerBound), .integer(run.ids.upperBound))
        }
        var strays: [QueueLease] = []
        for id in leased.sorted() {
            guard let row = try row(id), !isKnown(id, row.entry.attempts) else { continue }
            strays.append(row.currentLease(of: owner))
        }
        return strays
    }

    // MARK: Successes

    /// Ends successful attempts. Their rows are not read, and consecutive ones are changed together.
    private func finishPlain(
        _ completions: [QueueCompletion], _ range: Range<Int>, _ now: QueueTime, _ results: inout [Bool]
    ) throws(SQLiteError) {
        let order = range.sorted { completions[$0].lease.id < completions[$1].lease.id }
        let meta = try meta()
        var start = 0
        for index in order.indices {
            let completion = completions[order[index]]
            if index + 1 < order.count, completion.isFollowed(by: completions[order[index + 1]], meta) {
                continue
            }
            let group = order[start...index].map { completions[$0] }
            let areOurs = try finishGroup(group, now)
            for (place, isOurs) in zip(order[start...index], areOurs) { results[place] = isOurs }
            start = index + 1
        }
        for run in meta.runs
        where order.contains(where: { run.ids.contains(completions[$0].lease.id.rawValue) }) {
            try trim(run)
        }
    }

    /// Ends attempts of consecutive entries that are all in the same run, or in none.
    private func finishGroup(
        _ group: [QueueCompletion], _ now: QueueTime
    ) throws(SQLiteError) -> [Bool] {
        guard let first = group.first, let last = group.last else { return [] }
        let ids = first.lease.id.rawValue...last.lease.id.rawValue
        let meta = try meta()
        let run = meta.runIndex(of: ids.lowerBound).map { meta.runs[$0] }
        if let run, run.owner != first.lease.owner { return group.map { _ in false } }
        guard try count(of: first.lease, ids, run) == group.count else {
            guard group.count > 1 else { return [false] }
            var results: [Bool] = []
            for completion in group { results += try finishGroup([completion], now) }
            return results
        }
        let reason = SQLiteValue.text(orNull: first.reason)
        if let run {
            try connection.run(
                """
                UPDATE entry SET state = 6, changed = ?, reason = ?, attempts = attempts + 1,
                firstAttempt = CASE WHEN firstSent IS NULL THEN attempts + 1 ELSE firstAttempt END,
                firstSent = coalesce(firstSent, ?), repeatEnd = coalesce(repeatEnd, ?)
                WHERE id BETWEEN ? AND ? AND state = 0
                """, .integer(now.milliseconds), reason, .integer(run.firstSent.milliseconds),
                .integer(run.repeatEnd.milliseconds), .integer(ids.lowerBound), .integer(ids.upperBound))
        } else {
            try connection.run(
                """
                UPDATE entry SET state = 6, owner = NULL, changed = ?, reason = ? WHERE id BETWEEN ? AND ? AND state = 5
                """, .integer(now.milliseconds), reason, .integer(ids.lowerBound), .integer(ids.upperBound))
        }
        // Another number of changes means a damaged tree.
        guard connection.changes == group.count else { throw .corrupt }
        try connection.run(
            "DELETE FROM body WHERE id BETWEEN ? AND ?", .integer(ids.lowerBound), .integer(ids.upperBound))
        var bytes = 0
        for completion in group {
            let item = completion.lease.item
            bytes = bytes.addingClamped(item.byteCount)
            try dropValues(of: item, completion.lease.id)
            guard item.body.count > QueueBodies.largestInRow else { continue }
            try dropBody(of: completion.lease.id, isFile: true)
        }
        try count(group.count, bytes: bytes, from: .leased, to: .done)
        return group.map { _ in true }
    }

    /// The number of entries whose attempt with this owner and number is in progress.
    private func count(
        of lease: QueueLease, _ ids: ClosedRange<Int64>, _ run: QueueRun?
    ) throws(SQLiteError) -> Int {
        let range = (SQLiteValue.integer(ids.lowerBound), SQLiteValue.integer(ids.upperBound))
        let statement =
            if run != nil {
                try connection.statement(
                    "SELECT count(*) FROM entry WHERE id BETWEEN ? AND ? AND attempts = ? AND state = 0",
                    range.0, range.1, .integer(Int64(lease.attempt) - 1))
            } else {
                try connection.statement(
                    "SELECT count(*) FROM entry WHERE id BETWEEN ? AND ? AND attempts = ? AND state = 5 AND owner = ?",
                    range.0, range.1, .integer(Int64(lease.attempt)),
                    .integer(Int64(bitPattern: lease.owner.rawValue)))
            }
        defer { statement.reset() }
        return try statement.step() ? Int(clamping: statement.int64(0)) : 0
    }
}

extension QueueCompletion {
    /// Whether the attempt succeeded, which is the common case.
    fileprivate var isPlain: Bool { result == .done && mayHaveBeenSent && wasBegun }

    /// Whether the same statement ends both attempts.
    fileprivate func isFollowed(by other: QueueCompletion, _ meta: QueueMeta) -> Bool {
        lease.id.rawValue &+ 1 == other.lease.id.rawValue && lease.owner == other.lease.owner
            && lease.attempt == other.lease.attempt && reason == other.reason
            && meta.runIndex(of: lease.id.rawValue) == meta.runIndex(of: other.lease.id.rawValue)
    }
}
