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
        let due = try ids(
            "SELECT id FROM entry INDEXED BY entry_due WHERE state = 1 AND notBefore <= ?",
            .integer(now.milliseconds))
        for id in due { try move(id, to: .waiting, now) }
        if isBehind {
            let stale = try ids(
                "SELECT id FROM entry INDEXED BY entry_due WHERE state = 1 AND ? < changed",
                .integer(now.milliseconds))
            for id in stale { try move(id, to: .waiting, now) }
        } else {
            let over = try ids(
                "SELECT id FROM entry INDEXED BY entry_repeat WHERE state = 0 AND repeatEnd <= ?",
                .integer(time.milliseconds))
            for id in over { try move(id, to: .ambiguous, now) }
        }
        var leases: [QueueLease] = []
        var skipped: Set<QueueEntry.ID> = []
        // A damaged row gives its place to the next one.
        while leases.count < request.count {
            let candidates = try candidates(request, isBehind, time, request.count - leases.count, skipped)
            guard !candidates.isEmpty else { break }
            for candidate in candidates {
                guard var row = try wholeRow(candidate.id) else {
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
                SELECT id, account, stored, origin FROM entry e WHERE state = 0 AND state <= 4 AND priority = ? AND expires > ?
                AND (? OR firstSent IS NULL) AND (ordering IS NULL OR NOT EXISTS (SELECT 1 FROM entry o WHERE
                o.ordering = e.ordering AND o.account IS e.account AND o.state <= 5 AND o.state <> 4 AND o.id < e.id)) ORDER BY id DESC
                """)
        }
        return try connection.statement(
            """
            SELECT id, account, stored, origin FROM entry e WHERE state = 0 AND state <= 4 AND priority = ? AND expires > ?
            AND (? OR firstSent IS NULL) AND (ordering IS NULL OR NOT EXISTS (SELECT 1 FROM entry o WHERE
            o.ordering = e.ordering AND o.account IS e.account AND o.state <= 5 AND o.state <> 4 AND o.id < e.id)) ORDER BY id
            """)
    }

    /// Writes what a lease changes. Columns that are not named cost nothing in their indexes.
    private func saveLease(_ row: QueueRow) throws(SQLiteError) {
        let statement = try connection.statement(
            """
            UPDATE entry SET state = 5, changed = ?, notBefore = NULL, firstSent = ?, firstAttempt = ?, repeatEnd = ?,
            attempts = ?, owner = ? WHERE id = ?
            """)
        try statement.bind(row.changed.milliseconds, at: 1)
        if let first = row.entry.firstSent { try statement.bind(first.milliseconds, at: 2) }
        try statement.bind(Int64(row.firstSentAttempt), at: 3)
        if let end = row.repeatEnd { try statement.bind(end.milliseconds, at: 4) }
        try statement.bind(Int64(row.entry.attempts), at: 5)
        if let owner = row.owner { try statement.bind(Int64(bitPattern: owner.rawValue), at: 6) }
        try statement.bind(row.entry.id.rawValue, at: 7)
        try statement.run()
        try count(row.byteCount, from: .waiting, to: .leased)
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
        try save(row, after: .leased)
        return true
    }

    /// Most attempts end so: nothing of the row is read.
    private func finishDone(_ completion: QueueCompletion, _ now: QueueTime) throws(SQLiteError) -> Bool {
        let lease = completion.lease
        let statement = try connection.statement(
            """
            UPDATE entry SET state = 6, notBefore = NULL, owner = NULL, changed = ?, reason = ?
            WHERE id = ? AND owner = ? AND attempts = ? AND state = 5
            """)
        try statement.bind(now.milliseconds, at: 1)
        if let reason = completion.reason { try statement.bind(reason, at: 2) }
        try statement.bind(lease.id.rawValue, at: 3)
        try statement.bind(Int64(bitPattern: lease.owner.rawValue), at: 4)
        try statement.bind(Int64(lease.attempt), at: 5)
        try statement.run()
        guard connection.changes == 1 else { return false }
        try count(lease.item.byteCount, from: .leased, to: .done)
        if !lease.item.body.isEmpty {
            try dropBody(of: lease.id, isFile: lease.item.body.count > QueueBodies.largestInRow)
        }
        return true
    }
}
