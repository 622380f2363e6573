import GatewayCore
import GatewaySQLite

extension QueueTable {
    /// Whether an entry whose row has the state waiting is leased.
    func isInRun(_ id: QueueEntry.ID) throws(SQLiteError) -> Bool {
        try meta().runIndex(of: id.rawValue) != nil
    }

    /// Records that entries are leased: by runs, or in their rows if the runs would be short.
    ///
    /// - Parameter time: the start of the first attempt for entries without an earlier one.
    func saveLeases(_ rows: [QueueRow], _ time: QueueTime) throws(SQLiteError) {
        let isSorted = zip(rows, rows.dropFirst()).allSatisfy { $0.entry.id < $1.entry.id }
        let rows = isSorted ? rows : rows.sorted { $0.entry.id < $1.entry.id }
        var meta = try meta()
        var (start, bytes) = (0, 0)
        for index in rows.indices {
            bytes = bytes.addingClamped(rows[index].byteCount)
            if index + 1 < rows.count, rows[index].isFollowed(by: rows[index + 1]) { continue }
            let group = rows[start...index]
            start = index + 1
            if let run = QueueRun(group, time), meta.runs.count < QueueRun.most {
                meta.runs.append(run)
            } else {
                for row in group { try saveLease(row) }
            }
        }
        set(meta)
        try count(rows.count, bytes: bytes, from: .waiting, to: .leased)
    }

    /// Writes the changes of a lease. Columns that are not named cause no index updates.
    private func saveLease(_ row: QueueRow) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE entry SET state = 5, changed = ?, notBefore = NULL, firstSent = ?, firstAttempt = ?, repeatEnd = ?,
            attempts = ?, owner = ? WHERE id = ?
            """, .integer(row.changed.milliseconds), .integer(orNull: row.entry.firstSent?.milliseconds),
            .integer(Int64(row.firstSentAttempt)), .integer(orNull: row.repeatEnd?.milliseconds),
            .integer(Int64(row.entry.attempts)),
            .integer(orNull: row.owner.map { Int64(bitPattern: $0.rawValue) }),
            .integer(row.entry.id.rawValue))
    }

    /// Removes an entry from its run, if it is in one, before its row is saved.
    func removeFromRun(_ id: QueueEntry.ID) throws(SQLiteError) {
        var meta = try meta()
        guard let index = meta.runIndex(of: id.rawValue) else { return }
        let run = meta.runs[index]
        let (number, first, last) = (id.rawValue, run.ids.lowerBound, run.ids.upperBound)
        guard meta.runs.count < QueueRun.most || number == first || number == last else {
            return try writeRows(of: run)
        }
        meta.runs.remove(at: index)
        set(meta)
        if first < number { try keep(run, first...(number - 1)) }
        if number < last { try keep(run, (number + 1)...last) }
    }

    /// Removes the final entries at the beginning of a run, or the whole run if all are final.
    func trim(_ run: QueueRun) throws(SQLiteError) {
        var meta = try meta()
        guard let index = meta.runs.firstIndex(of: run) else { return }
        meta.runs.remove(at: index)
        set(meta)
        try keep(run, run.ids)
    }

    /// Adds the part of a run from its first leased entry.
    private func keep(_ run: QueueRun, _ ids: ClosedRange<Int64>) throws(SQLiteError) {
        let leased = try self.ids(
            "SELECT id FROM entry WHERE id BETWEEN ? AND ? AND state = 0 ORDER BY id LIMIT 1",
            .integer(ids.lowerBound), .integer(ids.upperBound))
        guard let first = leased.first else { return }
        var (meta, run) = (try meta(), run)
        run.ids = first.rawValue...ids.upperBound
        meta.runs.append(run)
        set(meta)
    }

    /// Writes the leases of runs into the rows.
    ///
    /// - Parameter owners: the owners of the runs; `nil` for all.
    func writeRowsOfRuns(of owners: Set<QueueOwner>? = nil) throws(SQLiteError) {
        for run in try meta().runs where owners?.contains(run.owner) ?? true { try writeRows(of: run) }
    }

    func writeRows(of run: QueueRun) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE entry SET state = 5, changed = ?, owner = ?, attempts = attempts + 1,
            firstAttempt = CASE WHEN firstSent IS NULL THEN attempts + 1 ELSE firstAttempt END,
            firstSent = coalesce(firstSent, ?), repeatEnd = coalesce(repeatEnd, ?)
            WHERE id BETWEEN ? AND ? AND state = 0
            """, .integer(run.begun.milliseconds), .integer(Int64(bitPattern: run.owner.rawValue)),
            .integer(run.firstSent.milliseconds), .integer(run.repeatEnd.milliseconds),
            .integer(run.ids.lowerBound), .integer(run.ids.upperBound))
        var meta = try meta()
        meta.runs.removeAll { $0 == run }
        set(meta)
    }
}

extension QueueRow {
    /// Whether an entry that was leased together with this one can be in the same run.
    fileprivate func isFollowed(by other: QueueRow) -> Bool {
        entry.id.rawValue &+ 1 == other.entry.id.rawValue && item.repeatWindow == other.item.repeatWindow
    }
}

extension QueueRun {
    /// A run of rows that were leased together; `nil` if there are too few.
    fileprivate init?(_ rows: ArraySlice<QueueRow>, _ time: QueueTime) {
        guard rows.count >= Self.shortest, let first = rows.first, let last = rows.last,
            let owner = first.owner,
            // SQLite increments the number of an attempt, and has no integers beyond 64 bits.
            rows.allSatisfy({ $0.entry.attempts < 1 << 32 })
        else { return nil }
        self.init(
            ids: first.entry.id.rawValue...last.entry.id.rawValue, owner: owner, begun: first.changed,
            firstSent: time, repeatEnd: time.adding(first.item.repeatWindow))
    }
}
