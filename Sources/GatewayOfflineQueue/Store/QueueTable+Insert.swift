import GatewayCore
import GatewaySQLite

extension QueueTable {
    /// The number and the size of the entries that count for the limits.
    struct Use {
        var count: Int
        var bytes: Int
    }

    func use() throws(SQLiteError) -> Use {
        let statement = try connection.statement(
            "SELECT count(*), coalesce(sum(size), 0) FROM entry WHERE state <= 4")
        defer { statement.reset() }
        guard try statement.step() else { return Use(count: 0, bytes: 0) }
        return Use(count: Int(clamping: statement.int64(0)), bytes: Int(clamping: statement.int64(1)))
    }

    func insert(
        _ item: QueueItem, _ limits: QueueLimits, _ use: inout Use, _ now: QueueTime
    ) throws(SQLiteError) -> QueueInsertion {
        let account = SQLiteValue.text(orNull: item.account?.name)
        let same = try ids(
            """
            SELECT max(id) FROM entry WHERE idempotency = ? AND origin = ? AND account IS ?
            AND (state <= 4 OR state = 6) HAVING max(id) IS NOT NULL
            """, .text(item.idempotencyKey), .text(item.origin.description), account)
        if let other = same.first { return .duplicate(other) }
        var superseded: [QueueEntry.ID] = []
        if let key = item.deduplicationKey {
            if item.supersedes {
                superseded = try ids(
                    """
                    SELECT id FROM entry WHERE deduplication = ? AND account IS ? AND state IN (0, 1, 3) ORDER BY id
                    """, .text(key), account)
            } else {
                let others = try ids(
                    """
                    SELECT max(id) FROM entry WHERE deduplication = ? AND account IS ? AND state <= 4
                    HAVING max(id) IS NOT NULL
                    """, .text(key), account)
                if let other = others.first { return .duplicate(other) }
            }
        }
        var remaining = use
        for id in superseded { remaining.remove(try size(id)) }
        guard let dropped = try dropped(for: item, superseded, limits, &remaining) else { return .full }
        for id in superseded { try move(id, to: .superseded, now) }
        for id in dropped { try move(id, to: .dropped, now) }
        use = Use(count: remaining.count + 1, bytes: remaining.bytes.addingClamped(item.byteCount))
        return .stored(try add(item, now), superseded: superseded, dropped: dropped)
    }

    private func size(_ id: QueueEntry.ID) throws(SQLiteError) -> Int {
        let statement = try connection.statement("SELECT size FROM entry WHERE id = ?")
        try statement.bind(.integer(id.rawValue))
        defer { statement.reset() }
        return try statement.step() ? Int(clamping: statement.int64(0)) : 0
    }

    /// The entries that give way to a new one; `nil` if it is refused.
    private func dropped(
        for item: QueueItem, _ superseded: [QueueEntry.ID], _ limits: QueueLimits, _ use: inout Use
    ) throws(SQLiteError) -> [QueueEntry.ID]? {
        var room = QueueRoom(limits, count: use.count, bytes: use.bytes)
        var dropped: [QueueEntry.ID] = []
        if !room.fits(item.byteCount), limits.policy != .refuse {
            let isOldest = limits.policy == .dropOldest
            let statement = try connection.statement(
                """
                SELECT id, size FROM entry WHERE state IN (0, 1, 3) AND firstSent IS NULL AND (?1 OR priority < ?2)
                ORDER BY CASE WHEN ?1 THEN 0 ELSE priority END, id
                """)
            try statement.bind(.integer(isOldest ? 1 : 0), .integer(Int64(item.priority.rank)))
            defer { statement.reset() }
            while !room.fits(item.byteCount), try statement.step() {
                let id = QueueEntry.ID(statement.int64(0))
                guard !superseded.contains(id) else { continue }
                let size = Int(clamping: statement.int64(1))
                room.remove(size)
                use.remove(size)
                dropped.append(id)
            }
        }
        return room.fits(item.byteCount) ? dropped : nil
    }

    private func add(_ item: QueueItem, _ now: QueueTime) throws(SQLiteError) -> QueueEntry.ID {
        let id = try connection.number("SELECT lastID FROM meta").addingClamped(1)
        try run("UPDATE meta SET lastID = ?", .integer(id))
        let newest = SQLiteValue.integer(try connection.number("SELECT newest FROM meta"))
        let state: QueueEntry.State = try isParked(item.account) ? .parked : .waiting
        try run(
            """
            INSERT INTO entry (id, state, priority, account, origin, idempotency, deduplication, ordering, size,
            stored, expires, changed, firstAttempt, attempts, item)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?)
            """, .integer(id), .integer(Int64(state.rawValue)), .integer(Int64(item.priority.rank)),
            .text(orNull: item.account?.name), .text(item.origin.description), .text(item.idempotencyKey),
            .text(orNull: item.deduplicationKey), .text(orNull: item.orderingKey),
            .integer(Int64(item.byteCount)), newest,
            .integer(item.expires.milliseconds), .integer(now.milliseconds),
            .bytes(item.encoded(salt: UInt64(bitPattern: id))))
        return QueueEntry.ID(id)
    }
}

extension QueueTable.Use {
    mutating func remove(_ size: Int) {
        count -= 1
        bytes = bytes.subtractingClamped(size)
    }
}
