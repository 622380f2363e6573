import GatewayCore
import GatewaySQLite

extension QueueTable {
    private struct Candidate {
        let id: QueueEntry.ID
        let rank: Int
    }

    func lease(_ request: QueueLeaseRequest) throws(SQLiteError) -> [QueueLease] {
        let now = request.now
        let (isBehind, time) = try note(now)
        try run(
            """
            UPDATE entry INDEXED BY entry_due SET state = 0, notBefore = NULL, owner = NULL, changed = ?1
            WHERE state = 1 AND notBefore <= ?1
            """, .integer(now.milliseconds))
        if isBehind {
            try run(
                """
                UPDATE entry SET state = 0, notBefore = NULL, owner = NULL, changed = ?1
                WHERE state = 1 AND ?1 < changed
                """, .integer(now.milliseconds))
        } else {
            try run(
                """
                UPDATE entry INDEXED BY entry_repeat SET state = 4, notBefore = NULL, owner = NULL, changed = ?
                WHERE state = 0 AND repeatEnd <= ?
                """, .integer(now.milliseconds), .integer(time.milliseconds))
        }
        var leases: [QueueLease] = []
        var skipped: Set<QueueEntry.ID> = []
        // A damaged row gives its place to the next one.
        while leases.count < request.count {
            let candidates = try candidates(request, isBehind, time, request.count - leases.count, skipped)
            guard !candidates.isEmpty else { break }
            for candidate in candidates {
                guard var row = try row(candidate.id), let body = try body(of: row), row.attach(body) else {
                    skipped.insert(candidate.id)
                    try run(
                        "UPDATE entry SET reason = 'damaged' WHERE id = ?", .integer(candidate.id.rawValue))
                    try move(candidate.id, to: .poison, now)
                    continue
                }
                leases.append(row.lease(to: request.owner, now: now, time: time))
                try saveLease(row)
            }
        }
        return leases
    }

    /// The entries that come next: of each priority as many as are wanted, since older ones never age less.
    private func candidates(
        _ request: QueueLeaseRequest, _ isBehind: Bool, _ time: QueueTime, _ count: Int,
        _ skipped: Set<QueueEntry.ID>
    ) throws(SQLiteError) -> [Candidate] {
        let ageing = request.isNewestFirst ? nil : request.ageing
        let skippedOrigins = Set(request.skippedOrigins.map(\.description))
        var all: [Candidate] = []
        for priority in CallPriority.all {
            let statement = try waiting(isNewestFirst: request.isNewestFirst)
            try statement.bind(
                .integer(Int64(priority.rank)), .integer(time.milliseconds), .integer(isBehind ? 0 : 1))
            defer { statement.reset() }
            var found = 0
            while found < count, try statement.step() {
                let id = QueueEntry.ID(statement.int64(0))
                if let account = statement.text(1), request.skippedAccounts.contains(QueueAccount(account)) {
                    continue
                }
                guard !skipped.contains(id) else { continue }
                if !skippedOrigins.isEmpty, let origin = statement.text(3), skippedOrigins.contains(origin) {
                    continue
                }
                let stored = QueueTime(milliseconds: statement.int64(2))
                all.append(
                    Candidate(
                        id: id, rank: QueueRow.rank(priority, stored: stored, at: time, ageing: ageing)))
                found += 1
            }
        }
        all.sort { a, b in
            guard a.rank == b.rank else { return a.rank > b.rank }
            return request.isNewestFirst ? a.id > b.id : a.id < b.id
        }
        return Array(all.prefix(count))
    }

    private func waiting(isNewestFirst: Bool) throws(SQLiteError) -> SQLiteStatement {
        if isNewestFirst {
            return try connection.statement(
                """
                SELECT id, account, stored, origin FROM entry e WHERE state = 0 AND priority = ? AND expires > ?
                AND (? OR firstSent IS NULL) AND (ordering IS NULL OR NOT EXISTS (SELECT 1 FROM entry o WHERE
                o.ordering = e.ordering AND o.account IS e.account AND o.state <= 4 AND o.id < e.id)) ORDER BY id DESC
                """)
        }
        return try connection.statement(
            """
            SELECT id, account, stored, origin FROM entry e WHERE state = 0 AND priority = ? AND expires > ?
            AND (? OR firstSent IS NULL) AND (ordering IS NULL OR NOT EXISTS (SELECT 1 FROM entry o WHERE
            o.ordering = e.ordering AND o.account IS e.account AND o.state <= 4 AND o.id < e.id)) ORDER BY id
            """)
    }

    /// Writes what a lease changes. Columns that are not named cost nothing in their indexes.
    private func saveLease(_ row: QueueRow) throws(SQLiteError) {
        try run(
            """
            UPDATE entry SET state = ?, changed = ?, notBefore = NULL, firstSent = ?, firstAttempt = ?, repeatEnd = ?,
            attempts = ?, owner = ? WHERE id = ?
            """, .integer(Int64(row.entry.state.rawValue)), .integer(row.changed.milliseconds),
            .integer(orNull: row.entry.firstSent?.milliseconds), .integer(Int64(row.firstSentAttempt)),
            .integer(orNull: row.repeatEnd?.milliseconds), .integer(Int64(row.entry.attempts)),
            .integer(orNull: row.owner.map { Int64(bitPattern: $0.rawValue) }),
            .integer(row.entry.id.rawValue))
    }

    func finish(_ completions: [QueueCompletion], _ now: QueueTime) throws(SQLiteError) -> [Bool] {
        _ = try note(now)
        var results: [Bool] = []
        for completion in completions { results.append(try finish(completion, now)) }
        return results
    }

    private func finish(_ completion: QueueCompletion, _ now: QueueTime) throws(SQLiteError) -> Bool {
        let lease = completion.lease
        if completion.result == .done, completion.mayHaveBeenSent { return try finishDone(completion, now) }
        guard var row = try row(lease.id), row.entry.state == .leased, row.owner == lease.owner,
            row.entry.attempts == lease.attempt
        else { return false }
        if completion.result == .parked, let account = row.entry.account { try park(account, now) }
        row.finish(completion, isParked: try isParked(row.entry.account), now: now)
        try save(row)
        return true
    }

    /// Most attempts end so: nothing of the row is read.
    private func finishDone(_ completion: QueueCompletion, _ now: QueueTime) throws(SQLiteError) -> Bool {
        let lease = completion.lease
        try run(
            """
            UPDATE entry SET state = 6, notBefore = NULL, owner = NULL, changed = ?, reason = ?
            WHERE id = ? AND owner = ? AND attempts = ? AND state = 2
            """, .integer(now.milliseconds), .text(orNull: completion.reason), .integer(lease.id.rawValue),
            .integer(Int64(bitPattern: lease.owner.rawValue)), .integer(Int64(lease.attempt)))
        return connection.changes == 1
    }
}
