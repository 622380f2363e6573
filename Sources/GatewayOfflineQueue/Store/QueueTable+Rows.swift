import GatewayCore
import GatewaySQLite

extension QueueTable {
    /// Reads a row; `nil` if there is none, or if its head is damaged.
    func row(_ id: QueueEntry.ID) throws(SQLiteError) -> QueueRow? {
        let statement = try connection.statement(
            """
            SELECT id, state, account, expires, changed, notBefore, firstSent, firstAttempt, attempts, owner, reason,
            head, stored FROM entry WHERE id = ?
            """, .integer(id.rawValue))
        defer { statement.reset() }
        return try statement.step() ? QueueRow(statement, transaction, try meta()) : nil
    }

    /// The result of reading an entry.
    enum Reading {
        /// The row with its body.
        case whole(QueueRow)
        /// The row or its body is missing or damaged.
        case damaged
        /// The row without its body, which is temporarily unreadable.
        case unreadable(QueueRow)
    }

    /// Reads rows with their bodies.
    func wholeRows(_ ids: ClosedRange<Int64>) throws(SQLiteError) -> [Reading] {
        let statement = try connection.statement(
            """
            SELECT entry.id, state, account, expires, changed, notBefore, firstSent, firstAttempt, attempts, owner, reason,
            head, stored, body.bytes FROM entry LEFT JOIN body ON body.id = entry.id
            WHERE entry.id BETWEEN ? AND ? ORDER BY entry.id
            """, .integer(ids.lowerBound), .integer(ids.upperBound))
        defer { statement.reset() }
        let meta = try meta()
        var rows: [Reading] = []
        rows.reserveCapacity(ids.count)
        func fill(upTo place: Int) { while rows.count < place { rows.append(.damaged) } }
        while try statement.step() {
            guard var row = QueueRow(statement, transaction, meta) else { continue }
            // Other rows or another order mean a damaged tree.
            guard ids.contains(row.entry.id.rawValue) else { throw .corrupt }
            let place = Int(row.entry.id.rawValue - ids.lowerBound)
            guard rows.count <= place else { throw .corrupt }
            fill(upTo: place)
            let count = row.entry.bodyBytes
            do throws(QueueBodies.Unreadable) {
                let body =
                    try count > QueueBodies.largestInRow
                    ? bodies.load(row.entry.id, count: count) : statement.bytes(13)
                if let body, row.attach(body) { rows.append(.whole(row)) }
            } catch { rows.append(.unreadable(row)) }
        }
        fill(upTo: ids.count)
        return rows
    }

    /// The selected rows, the oldest first. Rows with a damaged head are omitted.
    func rows(
        _ selection: QueueSelection, where isMeant: (QueueEntry) -> Bool
    ) throws(SQLiteError) -> [QueueRow] {
        let limit = max(0, selection.limit ?? .max)
        var rows: [QueueRow] = []
        var count = 0
        func add(_ row: QueueRow?) {
            guard let row, selection.contains(row.entry, deduplicationKey: row.item.deduplicationKey) else {
                return
            }
            count += 1
            if isMeant(row.entry) { rows.append(row) }
        }
        if let ids = try candidates(selection) {
            for id in ids where count < limit { add(try row(id)) }
            return rows
        }
        let statement = try connection.statement(
            """
            SELECT id, state, account, expires, changed, notBefore, firstSent, firstAttempt, attempts, owner, reason,
            head, stored FROM entry ORDER BY id
            """)
        defer { statement.reset() }
        let meta = try meta()
        while count < limit, try statement.step() { add(QueueRow(statement, transaction, meta)) }
        return rows
    }

    /// The identifiers that include the selected ones, in order; `nil` if all rows have to be read.
    private func candidates(_ selection: QueueSelection) throws(SQLiteError) -> [QueueEntry.ID]? {
        if let ids = selection.ids { return ids.sorted() }
        if let key = selection.deduplicationKey {
            return try ids("SELECT id FROM entry WHERE deduplication = ?", .text(key)).sorted()
        }
        if let account = selection.account {
            return try ids("SELECT id FROM entry WHERE account = ?", .text(account.name)).sorted()
        }
        guard let states = selection.states else { return nil }
        var all: [QueueEntry.ID] = []
        for state in states {
            let number = SQLiteValue.integer(Int64(state.rawValue))
            if state == .leased {
                all += try ids("SELECT id FROM entry INDEXED BY entry_leased WHERE state = 5")
                for run in try meta().runs {
                    all += try ids(
                        "SELECT id FROM entry WHERE id BETWEEN ? AND ? AND state = 0",
                        .integer(run.ids.lowerBound), .integer(run.ids.upperBound))
                }
            } else if state.isFinal {
                all += try ids(
                    "SELECT id FROM entry INDEXED BY entry_final WHERE state >= 6 AND state = ?", number)
            } else {
                let runs = try meta()
                all += try ids(
                    "SELECT id FROM entry INDEXED BY entry_state WHERE state <= 4 AND state = ?", number
                ).filter { state != .waiting || runs.runIndex(of: $0.rawValue) == nil }
            }
        }
        return all.sorted()
    }

    /// The body of a row from the table or from its file; `nil` if it is missing. It may be damaged.
    ///
    /// - Throws: ``SQLiteError``, also if the file is temporarily unreadable.
    func body(of row: QueueRow) throws(SQLiteError) -> [UInt8]? {
        let count = row.entry.bodyBytes
        guard count > 0 else { return [] }
        guard count <= QueueBodies.largestInRow else {
            do throws(QueueBodies.Unreadable) { return try bodies.load(row.entry.id, count: count) } catch {
                throw .cannotOpen
            }
        }
        let statement = try connection.statement(
            "SELECT bytes FROM body WHERE id = ?", .integer(row.entry.id.rawValue))
        defer { statement.reset() }
        return try statement.step() ? statement.bytes(0) : nil
    }

    /// Writes the changed columns of a row.
    func save(_ row: QueueRow, after old: QueueEntry.State) throws(SQLiteError) {
        try connection.run(
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
        try count(bytes: row.byteCount, from: old, to: row.entry.state)
        guard row.entry.state.isFinal else { return }
        try dropBody(of: row.entry.id, isFile: row.entry.bodyBytes > QueueBodies.largestInRow)
        if !old.isFinal { try dropValues(of: row) }
    }
}

extension QueueRow {
    fileprivate init?(_ statement: SQLiteStatement, _ transaction: QueueTransaction, _ meta: QueueMeta) {
        let number = statement.int64(0)
        guard let state = QueueEntry.State(rawValue: statement.int64(1)),
            let head = QueueItemHead(
                statement.bytes(11), salt: UInt64(bitPattern: number), &transaction.lastStart)
        else { return nil }
        self.init(
            id: QueueEntry.ID(number), head: head, state: state,
            now: QueueTime(milliseconds: statement.int64(4)),
            stored: QueueTime(milliseconds: statement.int64(12)))
        if let account = statement.text(2).map(QueueAccount.init), account != head.item.account {
            rename(account)
        }
        entry.expires = QueueTime(milliseconds: statement.int64(3))
        entry.notBefore = statement.optionalInt64(5).map { QueueTime(milliseconds: $0) }
        entry.firstSent = statement.optionalInt64(6).map { QueueTime(milliseconds: $0) }
        firstSentAttempt = Int(clamping: statement.int64(7))
        entry.attempts = Int(clamping: statement.int64(8))
        owner = statement.optionalInt64(9).map { QueueOwner(UInt64(bitPattern: $0)) }
        entry.reason = statement.text(10)
        guard state == .waiting, let index = meta.runIndex(of: number) else { return }
        _ = lease(to: meta.runs[index].owner, now: meta.runs[index].begun, time: meta.runs[index].firstSent)
    }
}
