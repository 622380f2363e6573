import GatewayCore
import GatewaySQLite

extension QueueTable {
    func insert(
        _ item: QueueItem, _ limits: QueueLimits, _ now: QueueTime
    ) throws(SQLiteError) -> QueueInsertion {
        let account = SQLiteValue.text(orNull: item.account?.name)
        if let other = try withSameKey(item) {
            return other.sends(item) ? .duplicate(other.entry.id) : .conflict(other.entry.id)
        }
        var superseded: [QueueEntry.ID] = []
        if let key = item.deduplicationKey {
            let runs = try meta()
            if item.supersedes {
                superseded = try ids(
                    """
                    SELECT id FROM entry WHERE deduplication = ? AND account IS ? AND state <= 2
                    """, .text(key), account
                ).filter { runs.runIndex(of: $0.rawValue) == nil }.sorted()
            } else {
                let others = try ids(
                    """
                    SELECT id FROM entry WHERE deduplication = ? AND account IS ? AND state <= 3
                    """, .text(key), account
                ).filter { runs.runIndex(of: $0.rawValue) == nil }
                if let other = others.max() { return .duplicate(other) }
            }
        }
        var remaining = try meta().active
        for id in superseded { remaining.remove(try size(id)) }
        guard let dropped = try dropped(for: item, superseded, limits, remaining) else { return .full }
        for id in superseded { try move(id, to: .superseded, now) }
        for id in dropped { try move(id, to: .dropped, now) }
        return .stored(try add(item, now), superseded: superseded, dropped: dropped)
    }

    /// The last entry that an item would duplicate.
    private func withSameKey(_ item: QueueItem) throws(SQLiteError) -> QueueRow? {
        // Rows that have the digest of the key. Keys are random by default: an index of digests is smaller.
        let known = try ids(
            "SELECT id FROM entry WHERE keyDigest = ? AND state <= 6 AND state <> 4 ORDER BY id DESC",
            .integer(Self.digest(item)))
        for id in known {
            guard let row = try row(id), row.item.idempotencyKey == item.idempotencyKey,
                row.item.origin == item.origin, row.entry.account == item.account
            else { continue }
            return row
        }
        return nil
    }

    static func digest(_ item: QueueItem) -> Int64 {
        var writer = ByteWriter()
        writer.append(item.idempotencyKey)
        writer.append(item.origin.description)
        return Int64(bitPattern: ByteWriter.checksum(of: writer.bytes, salt: 0))
    }

    private func size(_ id: QueueEntry.ID) throws(SQLiteError) -> Int {
        let statement = try connection.statement(
            "SELECT size FROM entry WHERE id = ?", .integer(id.rawValue))
        defer { statement.reset() }
        return try statement.step() ? Int(clamping: statement.int64(0)) : 0
    }

    /// The entries to drop for a new one; `nil` if the new one is rejected.
    private func dropped(
        for item: QueueItem, _ superseded: [QueueEntry.ID], _ limits: QueueLimits,
        _ use: QueueMeta.Total
    ) throws(SQLiteError) -> [QueueEntry.ID]? {
        guard !QueueRoom(limits, count: use.count, bytes: use.bytes).fits(item.byteCount) else { return [] }
        guard limits.policy != .refuse else { return nil }
        try writeRowsOfRuns()
        let isOldest = limits.policy == .dropOldest
        let priorities = isOldest ? CallPriority.all : CallPriority.all.filter { $0 < item.priority }
        // The first candidates are usually enough.
        var wanted = 8
        while true {
            var remaining = use
            var dropped: [QueueEntry.ID] = []
            let (candidates, areAll) = try candidates(priorities, isOldest, count: wanted)
            for (id, size) in candidates where !superseded.contains(id) {
                remaining.remove(size)
                dropped.append(id)
                if QueueRoom(limits, count: remaining.count, bytes: remaining.bytes).fits(item.byteCount) {
                    return dropped
                }
            }
            if areAll { return nil }
            wanted *= 8
        }
    }

    /// The entries that may be dropped, in the order of dropping.
    ///
    /// - Returns: at least as many as requested, and whether there are no more.
    private func candidates(
        _ priorities: [CallPriority], _ isOldest: Bool, count: Int
    ) throws(SQLiteError) -> (candidates: [(id: QueueEntry.ID, size: Int)], areAll: Bool) {
        typealias Candidate = (id: QueueEntry.ID, size: Int)
        var all: [Candidate] = []
        var areAll = true
        for group in isOldest ? [priorities] : priorities.sorted().map({ [$0] }) where isOldest || areAll {
            var found: [Candidate] = []
            for priority in group {
                for state: QueueEntry.State in [.waiting, .postponed, .parked] {
                    let statement = try connection.statement(
                        """
                        SELECT id, size FROM entry WHERE state = ? AND state <= 4 AND priority = ? AND firstSent IS NULL
                        ORDER BY id LIMIT ?
                        """, .integer(Int64(state.rawValue)), .integer(Int64(priority.rank)),
                        .integer(Int64(count)))
                    defer { statement.reset() }
                    var rows = 0
                    while try statement.step() {
                        found.append((QueueEntry.ID(statement.int64(0)), Int(clamping: statement.int64(1))))
                        rows += 1
                    }
                    areAll = areAll && rows < count
                }
            }
            found.sort { $0.id < $1.id }
            // Beyond these there may be others of a list that was not read completely.
            all += areAll ? found[...] : found.prefix(count)
        }
        return (all, areAll)
    }

    private func add(_ item: QueueItem, _ now: QueueTime) throws(SQLiteError) -> QueueEntry.ID {
        var meta = try meta()
        meta.lastID = meta.lastID.addingClamped(1)
        let id = meta.lastID
        let state: QueueEntry.State = try isParked(item.account) ? .parked : .waiting
        meta.add(1, state, bytes: item.byteCount)
        set(meta)
        let (salt, isFile) = (UInt64(bitPattern: id), item.body.count > QueueBodies.largestInRow)
        if isFile {
            try bodies.store(item.body, for: QueueEntry.ID(id))
        } else if !item.body.isEmpty {
            try connection.run("INSERT OR REPLACE INTO body VALUES (?, ?)", .integer(id), .bytes(item.body))
        }
        try connection.run(
            """
            INSERT INTO entry (id, state, priority, account, keyDigest, deduplication, ordering, size, file,
            stored, expires, changed, firstAttempt, attempts, head, origin)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)
            """, .integer(id), .integer(Int64(state.rawValue)), .integer(Int64(item.priority.rank)),
            .text(orNull: item.account?.name), .integer(Self.digest(item)),
            .text(orNull: item.deduplicationKey), .text(orNull: item.orderingKey),
            .integer(Int64(item.byteCount)), .integer(isFile ? 1 : 0),
            .integer(meta.newest.milliseconds),
            .integer(item.expiry(storedAt: now, newest: meta.newest).milliseconds),
            .integer(now.milliseconds),
            .bytes(QueueItemHead(of: item, salt: salt).encoded(salt: salt)),
            .text(item.origin.description))
        return QueueEntry.ID(id)
    }
}

extension QueueMeta.Total {
    mutating func remove(_ size: Int) {
        count -= 1
        bytes = bytes.subtractingClamped(size)
    }
}
