import GatewayCore
import GatewaySQLite

/// The tables of a file, within a transaction.
struct QueueTable {
    let connection: SQLiteConnection
    let bodies: QueueBodies
    let transaction = QueueTransaction()

    // MARK: Times and accounts

    /// Records a time.
    ///
    /// - Returns: whether the clock is behind the newest time, and the newest time.
    func note(_ now: QueueTime) throws(SQLiteError) -> (isBehind: Bool, newest: QueueTime) {
        var meta = try meta()
        guard now > meta.newest else { return (now < meta.newest, meta.newest) }
        meta.newest = now
        set(meta)
        return (false, now)
    }

    func isParked(_ account: QueueAccount?) throws(SQLiteError) -> Bool {
        guard let account else { return false }
        let statement = try connection.statement(
            "SELECT 1 FROM parked WHERE account = ?", .text(account.name))
        defer { statement.reset() }
        return try statement.step()
    }

    func park(_ account: QueueAccount, _ now: QueueTime) throws(SQLiteError) {
        try connection.run("INSERT OR IGNORE INTO parked VALUES (?)", .text(account.name))
        let held = try ids(
            "SELECT id FROM entry WHERE account = ? AND state <= 2", .text(account.name))
        for id in held where try !isInRun(id) { try move(id, to: .parked, now) }
    }

    func resume(_ account: QueueAccount, _ name: QueueAccount, _ now: QueueTime) throws(SQLiteError) -> Int {
        try connection.run(
            "DELETE FROM parked WHERE account IN (?, ?)", .text(account.name), .text(name.name))
        if name != account {
            try writeRowsOfRuns()
            try connection.run(
                "UPDATE entry SET account = ? WHERE account = ? AND state <= 4",
                .text(name.name), .text(account.name))
        }
        let parked = try ids("SELECT id FROM entry WHERE account = ? AND state = 2", .text(name.name))
        for id in parked { try move(id, to: .waiting, now) }
        return parked.count
    }

    func parkedAccounts() throws(SQLiteError) -> Set<QueueAccount> {
        let statement = try connection.statement("SELECT account FROM parked")
        defer { statement.reset() }
        var accounts: Set<QueueAccount> = []
        while try statement.step() {
            if let name = statement.text(0) { accounts.insert(QueueAccount(name)) }
        }
        return accounts
    }

    func predecessor(of id: QueueEntry.ID) throws(SQLiteError) -> QueueEntry.ID? {
        try ids(
            """
            SELECT o.id FROM entry e JOIN entry o ON o.ordering = e.ordering AND o.account IS e.account
            WHERE e.id = ? AND o.state <= 5 AND o.state <> 4 AND o.id < e.id ORDER BY o.id LIMIT 1
            """, .integer(id.rawValue)
        ).first
    }

    // MARK: Many rows

    func move(_ id: QueueEntry.ID, to state: QueueEntry.State, _ now: QueueTime) throws(SQLiteError) {
        let statement = try connection.statement(
            "SELECT state, size, file FROM entry WHERE id = ?", .integer(id.rawValue))
        guard try statement.step() else { return statement.reset() }
        let (old, size) = (QueueEntry.State(rawValue: statement.int64(0)), Int(clamping: statement.int64(1)))
        let isFile = statement.int64(2) != 0
        statement.reset()
        guard let old else { throw .corrupt }
        try connection.run(
            "UPDATE entry SET state = ?, notBefore = NULL, owner = NULL, changed = ? WHERE id = ?",
            .integer(Int64(state.rawValue)), .integer(now.milliseconds), .integer(id.rawValue))
        try count(bytes: size, from: old, to: state)
        guard state.isFinal else { return }
        try dropBody(of: id, isFile: isFile)
        if let row = try row(id) { try dropValues(of: row) }
    }

    /// Removes the query and the values of header fields of an entry that has become final.
    func dropValues(of row: QueueRow) throws(SQLiteError) {
        guard let kept = row.item.withoutValues else { return }
        let checksum = row.bodyChecksum ?? 0
        try save(
            QueueItemHead(item: kept, bodyBytes: row.entry.bodyBytes, bodyChecksum: checksum), row.entry.id)
    }

    /// The same without reading the row.
    func dropValues(of item: QueueItem, _ id: QueueEntry.ID) throws(SQLiteError) {
        guard let kept = item.withoutValues else { return }
        let checksum = ByteWriter.checksum(of: item.body, salt: UInt64(bitPattern: id.rawValue))
        try save(QueueItemHead(item: kept, bodyBytes: item.body.count, bodyChecksum: checksum), id)
    }

    private func save(_ head: QueueItemHead, _ id: QueueEntry.ID) throws(SQLiteError) {
        try connection.run(
            "UPDATE entry SET head = ? WHERE id = ?",
            .bytes(head.encoded(salt: UInt64(bitPattern: id.rawValue))), .integer(id.rawValue))
    }

    /// Removes the body of an entry that has become final. A file is removed after the transaction.
    func dropBody(of id: QueueEntry.ID, isFile: Bool) throws(SQLiteError) {
        if isFile {
            try connection.run("INSERT OR IGNORE INTO gone VALUES (?)", .integer(id.rawValue))
        } else {
            try connection.run("DELETE FROM body WHERE id = ?", .integer(id.rawValue))
        }
    }

    func expire(_ now: QueueTime) throws(SQLiteError) -> [QueueEntry.ID] {
        let runs = try meta()
        let expired = try ids(
            "SELECT id FROM entry INDEXED BY entry_expires WHERE state <= 2 AND expires <= ?",
            .integer(now.milliseconds)
        ).filter { runs.runIndex(of: $0.rawValue) == nil }.sorted()
        for id in expired { try move(id, to: .expired, now) }
        return expired
    }

    func owners() throws(SQLiteError) -> Set<QueueOwner> {
        let statement = try connection.statement(
            "SELECT owner FROM entry INDEXED BY entry_leased WHERE state = 5 AND owner IS NOT NULL")
        defer { statement.reset() }
        var owners = Set(try meta().runs.map(\.owner))
        while try statement.step() { owners.insert(QueueOwner(UInt64(bitPattern: statement.int64(0)))) }
        return owners
    }

    /// The entries with an attempt of these owners in progress. Writes the rows of their runs first.
    func leased(to owners: Set<QueueOwner>) throws(SQLiteError) -> [QueueEntry.ID] {
        try writeRowsOfRuns(of: owners)
        var leased: [QueueEntry.ID] = []
        for owner in owners {
            leased += try ids(
                "SELECT id FROM entry INDEXED BY entry_leased WHERE state = 5 AND owner = ?",
                .integer(Int64(bitPattern: owner.rawValue)))
        }
        return leased.sorted()
    }

    func reclaim(_ leased: [QueueEntry.ID], _ now: QueueTime) throws(SQLiteError) {
        for id in leased {
            let parked = try ids(
                "SELECT id FROM entry WHERE id = ? AND account IN (SELECT account FROM parked)",
                .integer(id.rawValue))
            try move(id, to: parked.isEmpty ? .waiting : .parked, now)
        }
    }

    func prune(_ time: QueueTime) throws(SQLiteError) -> Int {
        let statement = try connection.statement(
            "SELECT state, size FROM entry INDEXED BY entry_final WHERE state >= 6 AND changed < ?",
            .integer(time.milliseconds))
        defer { statement.reset() }
        var removed = 0
        while try statement.step() {
            guard let state = QueueEntry.State(rawValue: statement.int64(0)) else { throw .corrupt }
            try count(-1, state, bytes: 0.subtractingClamped(Int(clamping: statement.int64(1))))
            removed += 1
        }
        if removed > 0 {
            try connection.run(
                "DELETE FROM entry WHERE state >= 6 AND changed < ?", .integer(time.milliseconds))
        }
        return removed
    }

    func counts() throws(SQLiteError) -> [QueueEntry.State: Int] {
        let meta = try meta()
        var counts: [QueueEntry.State: Int] = [:]
        for state in QueueEntry.State.all where meta.total(state).count > 0 {
            counts[state] = meta.total(state).count
        }
        return counts
    }

    /// Whether the totals match the entries, which are all read. Writes the rows of runs first.
    func hasRightTotals() throws(SQLiteError) -> Bool {
        try writeRowsOfRuns()
        let statement = try connection.statement(
            "SELECT state, count(*), sum(size) FROM entry GROUP BY state")
        defer { statement.reset() }
        var found = QueueMeta()
        while try statement.step() {
            guard let state = QueueEntry.State(rawValue: statement.int64(0)) else { return false }
            found.add(Int(clamping: statement.int64(1)), state, bytes: Int(clamping: statement.int64(2)))
        }
        return try meta().totals == found.totals
    }

    func nextDue() throws(SQLiteError) -> QueueTime? {
        let statement = try connection.statement(
            "SELECT min(notBefore) FROM entry INDEXED BY entry_due WHERE state = 1")
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return statement.optionalInt64(0).map { QueueTime(milliseconds: $0) }
    }

    func nextExpiry() throws(SQLiteError) -> QueueTime? {
        let statement = try connection.statement(
            "SELECT expires, id FROM entry INDEXED BY entry_expires WHERE state <= 2 ORDER BY expires")
        defer { statement.reset() }
        let meta = try meta()
        while try statement.step() {
            guard meta.runIndex(of: statement.int64(1)) == nil else { continue }
            return QueueTime(milliseconds: statement.int64(0))
        }
        return nil
    }

    // MARK: Files of bodies

    /// Removes files without an entry, which belong to transactions that were not committed.
    func removeOrphans() throws(SQLiteError) {
        for id in bodies.all() {
            let kept = try ids(
                "SELECT id FROM entry WHERE id = ? AND file AND state < 6", .integer(id.rawValue))
            if kept.isEmpty { _ = bodies.remove(id) }
        }
    }

    /// The final entries whose files may still exist.
    func gone() throws(SQLiteError) -> [QueueEntry.ID] { try ids("SELECT id FROM gone") }

    /// Records that the files of entries were removed.
    func forget(_ gone: [QueueEntry.ID]) throws(SQLiteError) {
        for id in gone { try connection.run("DELETE FROM gone WHERE id = ?", .integer(id.rawValue)) }
    }

    // MARK: Statements

    func ids(_ sql: StaticString, _ values: SQLiteValue...) throws(SQLiteError) -> [QueueEntry.ID] {
        let statement = try connection.statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        var ids: [QueueEntry.ID] = []
        while try statement.step() { ids.append(QueueEntry.ID(statement.int64(0))) }
        return ids
    }
}
