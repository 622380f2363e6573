import GatewayCore
import GatewaySQLite

extension QueueTable {
    /// Reads a row; `nil` if there is none, or if its item is damaged.
    func row(_ id: QueueEntry.ID) throws(SQLiteError) -> QueueRow? {
        let statement = try connection.statement(
            """
            SELECT id, state, account, expires, changed, notBefore, firstSent, firstAttempt, attempts, owner, reason,
            item, stored FROM entry WHERE id = ?
            """)
        try statement.bind(.integer(id.rawValue))
        defer { statement.reset() }
        return try statement.step() ? QueueRow(statement) : nil
    }

    /// The selected rows, the oldest first. Rows whose item is damaged are not among them.
    func rows(
        _ selection: QueueSelection, where isMeant: (QueueEntry) -> Bool
    ) throws(SQLiteError) -> [QueueRow] {
        let limit = max(0, selection.limit ?? .max)
        let statement = try connection.statement(
            """
            SELECT id, state, account, expires, changed, notBefore, firstSent, firstAttempt, attempts, owner, reason,
            item, stored FROM entry ORDER BY id
            """)
        defer { statement.reset() }
        var rows: [QueueRow] = []
        var count = 0
        while count < limit, try statement.step() {
            guard let row = QueueRow(statement),
                selection.contains(row.entry, deduplicationKey: row.item.deduplicationKey)
            else { continue }
            count += 1
            if isMeant(row.entry) { rows.append(row) }
        }
        return rows
    }

    /// Writes what changes of a row.
    func save(_ row: QueueRow) throws(SQLiteError) {
        try run(
            """
            UPDATE entry SET state = ?, account = ?, expires = ?, changed = ?, notBefore = ?, firstSent = ?,
            firstAttempt = ?, repeatEnd = ?, attempts = ?, owner = ?, reason = ? WHERE id = ?
            """, .integer(Int64(row.entry.state.rawValue)), .text(orNull: row.entry.account?.name),
            .integer(row.entry.expires.milliseconds), .integer(row.changed.milliseconds),
            .integer(orNull: row.entry.notBefore?.milliseconds),
            .integer(orNull: row.entry.firstSent?.milliseconds), .integer(Int64(row.firstSentAttempt)),
            .integer(orNull: row.repeatEnd?.milliseconds), .integer(Int64(row.entry.attempts)),
            .integer(orNull: row.owner.map { Int64(bitPattern: $0.rawValue) }),
            .text(orNull: row.entry.reason), .integer(row.entry.id.rawValue))
    }
}

extension QueueRow {
    init?(_ statement: SQLiteStatement) {
        let number = statement.int64(0)
        guard let state = QueueEntry.State(rawValue: statement.int64(1)),
            let item = QueueItem(statement.bytes(11), salt: UInt64(bitPattern: number))
        else { return nil }
        self.init(
            id: QueueEntry.ID(number), item: item, state: state,
            now: QueueTime(milliseconds: statement.int64(4)),
            stored: QueueTime(milliseconds: statement.int64(12)))
        if let account = statement.text(2).map(QueueAccount.init), account != item.account { rename(account) }
        entry.expires = QueueTime(milliseconds: statement.int64(3))
        entry.notBefore = statement.optionalInt64(5).map { QueueTime(milliseconds: $0) }
        entry.firstSent = statement.optionalInt64(6).map { QueueTime(milliseconds: $0) }
        firstSentAttempt = Int(clamping: statement.int64(7))
        entry.attempts = Int(clamping: statement.int64(8))
        owner = statement.optionalInt64(9).map { QueueOwner(UInt64(bitPattern: $0)) }
        entry.reason = statement.text(10)
    }
}
