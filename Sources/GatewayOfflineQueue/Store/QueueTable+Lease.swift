import GatewayCore
import GatewaySQLite

extension QueueTable {
    /// The number of body bytes at which a lease ends with fewer entries than requested.
    static let mostBytes = 16 << 20
    /// How long an entry with a temporarily unreadable body is postponed.
    static let unreadablePause = Duration.seconds(5)

    private struct Candidate {
        let id: QueueEntry.ID
        let rank: Int
        let size: Int
    }

    func lease(_ request: QueueLeaseRequest) throws(SQLiteError) -> QueueLeaseResult {
        let now = request.now
        let (isBehind, time) = try note(now)
        var result = QueueLeaseResult(
            ambiguous: try moveDue(now, isBehind, time), newest: isBehind ? time : nil)
        // Entries that do not fit into memory are leased by a later request.
        var room = Self.mostBytes
        var skipped = request.skippedEntries
        // An unreadable entry is replaced by the next one.
        while result.leases.count < request.count {
            var left = room
            let wanted = request.count - result.leases.count
            let candidates = try candidates(request, isBehind, time, wanted, skipped)
                .prefix { candidate in
                    defer { left = left.subtractingClamped(max(0, candidate.size)) }
                    return left > 0
                }
            guard !candidates.isEmpty else { break }
            var rows: [QueueRow] = []
            for ids in Self.ranges(candidates) {
                var number = ids.lowerBound
                for read in try wholeRows(ids) {
                    let id = QueueEntry.ID(number)
                    defer { number &+= 1 }
                    switch read {
                    case .whole(var row):
                        result.leases.append(row.lease(to: request.owner, now: now, time: time))
                        rows.append(row)
                        room = room.subtractingClamped(row.byteCount)
                    case .damaged:
                        skipped.insert(id)
                        result.damaged.append(id)
                        try connection.run(
                            "UPDATE entry SET reason = 'damaged' WHERE id = ?", .integer(number))
                        try move(id, to: .poison, now)
                    case .unreadable(var row):
                        skipped.insert(id)
                        result.unreadable.append(id)
                        row.postponeUnreadable(until: now.adding(Self.unreadablePause), now: now)
                        try save(row, after: .waiting)
                    }
                }
            }
            try saveLeases(rows, time)
        }
        return result
    }

    /// Makes due entries wait.
    ///
    /// - Returns: the entries that became ambiguous.
    private func moveDue(
        _ now: QueueTime, _ isBehind: Bool, _ time: QueueTime
    ) throws(SQLiteError) -> [QueueEntry.ID] {
        let due = try ids(
            "SELECT id FROM entry INDEXED BY entry_due WHERE state = 1 AND notBefore <= ?",
            .integer(now.milliseconds))
        for id in due { try move(id, to: .waiting, now) }
        if isBehind {
            let stale = try ids(
                "SELECT id FROM entry INDEXED BY entry_due WHERE state = 1 AND ? < changed",
                .integer(now.milliseconds))
            for id in stale { try move(id, to: .waiting, now) }
            return []
        }
        let runs = try meta()
        let over = try ids(
            "SELECT id FROM entry INDEXED BY entry_repeat WHERE state = 0 AND repeatEnd <= ?",
            .integer(time.milliseconds)
        ).filter { runs.runIndex(of: $0.rawValue) == nil }.sorted()
        for id in over { try move(id, to: .ambiguous, now) }
        return over
    }

    /// The candidates in order, consecutive identifiers together.
    private static func ranges(_ candidates: ArraySlice<Candidate>) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for candidate in candidates {
            let id = candidate.id.rawValue
            if let last = ranges.last, last.upperBound == id &- 1 {
                ranges[ranges.count - 1] = last.lowerBound...id
            } else {
                ranges.append(id...id)
            }
        }
        return ranges
    }

    /// The next entries: of each priority as many as requested, because older ones never age less.
    private func candidates(
        _ request: QueueLeaseRequest, _ isBehind: Bool, _ time: QueueTime, _ count: Int,
        _ skipped: Set<QueueEntry.ID>
    ) throws(SQLiteError) -> [Candidate] {
        let ageing = request.isNewestFirst ? nil : request.ageing
        let skippedOrigins = Set(request.skippedOrigins.map(\.description))
        let meta = try meta()
        var all: [Candidate] = []
        for priority in CallPriority.all {
            var found = 0
            // Entries in a run are not examined: the search continues after the run.
            var start: Int64? = request.isNewestFirst ? .max : 0
            while let from = start {
                start = nil
                let statement = try waiting(isNewestFirst: request.isNewestFirst)
                try statement.bind(
                    .integer(Int64(priority.rank)), .integer(from), .integer(time.milliseconds),
                    .integer(isBehind ? 0 : 1))
                defer { statement.reset() }
                while found < count, try statement.step() {
                    let number = statement.int64(0)
                    if let index = meta.runIndex(of: number) {
                        let run = meta.runs[index].ids
                        let next = request.isNewestFirst ? run.lowerBound : run.upperBound
                        // An index that goes back is damaged.
                        guard request.isNewestFirst ? next < from : next > from else { throw .corrupt }
                        start = next
                        break
                    }
                    let id = QueueEntry.ID(number)
                    guard !skipped.contains(id), !isSkipped(statement, request, skippedOrigins) else {
                        continue
                    }
                    let stored = QueueTime(milliseconds: statement.int64(2))
                    all.append(
                        Candidate(
                            id: id, rank: QueueRow.rank(priority, stored: stored, at: time, ageing: ageing),
                            size: Int(clamping: statement.int64(4))))
                    found += 1
                }
            }
        }
        all.sort { a, b in
            guard a.rank == b.rank else { return a.rank > b.rank }
            return request.isNewestFirst ? a.id > b.id : a.id < b.id
        }
        return Array(all.prefix(count))
    }

    /// Whether the account or the origin of an entry is skipped.
    private func isSkipped(
        _ statement: SQLiteStatement, _ request: QueueLeaseRequest, _ origins: Set<String>
    ) -> Bool {
        if !request.skippedAccounts.isEmpty, let account = statement.text(1),
            request.skippedAccounts.contains(QueueAccount(account))
        {
            return true
        }
        guard !origins.isEmpty, let origin = statement.text(3) else { return false }
        return origins.contains(origin)
    }

    private func waiting(isNewestFirst: Bool) throws(SQLiteError) -> SQLiteStatement {
        if isNewestFirst {
            return try connection.statement(
                """
                SELECT id, account, stored, origin, size FROM entry e WHERE state = 0 AND state <= 4 AND priority = ? AND id < ?
                AND expires > ? AND (? OR firstSent IS NULL) AND (ordering IS NULL OR NOT EXISTS (SELECT 1 FROM entry o WHERE
                o.ordering = e.ordering AND o.account IS e.account AND o.state <= 5 AND o.state <> 4 AND o.id < e.id)) ORDER BY id DESC
                """)
        }
        return try connection.statement(
            """
            SELECT id, account, stored, origin, size FROM entry e WHERE state = 0 AND state <= 4 AND priority = ? AND id > ?
            AND expires > ? AND (? OR firstSent IS NULL) AND (ordering IS NULL OR NOT EXISTS (SELECT 1 FROM entry o WHERE
            o.ordering = e.ordering AND o.account IS e.account AND o.state <= 5 AND o.state <> 4 AND o.id < e.id)) ORDER BY id
            """)
    }
}
