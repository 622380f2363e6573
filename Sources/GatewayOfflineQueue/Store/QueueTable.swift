import GatewayCore
import GatewaySQLite

/// The tables of a file, within a transaction.
struct QueueTable {
    let connection: SQLiteConnection
    let bodies: QueueBodies

    // MARK: Times and accounts

    /// Notes a time.
    ///
    /// - Returns: whether the clock is behind the newest time, and the newest time.
    func note(_ now: QueueTime) throws(SQLiteError) -> (isBehind: Bool, newest: QueueTime) {
        var meta = try meta()
        guard now > meta.newest else { return (now < meta.newest, meta.newest) }
        meta.newest = now
        try set(meta)
        return (false, now)
    }

    func isParked(_ account: QueueAccount?) throws(SQLiteError) -> Bool {
        guard let account else { return false }
        let statement = try connection.statement("SELECT 1 FROM parked WHERE account = ?")
        try statement.bind(.text(account.name))
        defer { statement.reset() }
        return try statement.step()
    }

    func park(_ account: QueueAccount, _ now: QueueTime) throws(SQLiteError) {
        try run("INSERT OR IGNORE INTO parked VALUES (?)", .text(account.name))
        try run(
            """
            UPDATE entry SET state = 3, notBefore = NULL, owner = NULL, changed = ?
            WHERE account = ? AND state IN (0, 1, 3)
            """, .integer(now.milliseconds), .text(account.name))
    }

    func resume(_ account: QueueAccount, _ name: QueueAccount, _ now: QueueTime) throws(SQLiteError) -> Int {
        try run("DELETE FROM parked WHERE account IN (?, ?)", .text(account.name), .text(name.name))
        if name != account {
            try run(
                "UPDATE entry SET account = ? WHERE account = ? AND state IN (0, 1, 3, 4, 5)",
                .text(name.name), .text(account.name))
        }
        try run(
            "UPDATE entry SET state = 0, notBefore = NULL, owner = NULL, changed = ? WHERE account = ? AND state = 3",
            .integer(now.milliseconds), .text(name.name))
        return connection.changes
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
            WHERE e.id = ? AND o.state <= 4 AND o.id < e.id ORDER BY o.id LIMIT 1
            """, .integer(id.rawValue)
        ).first
    }

    // MARK: Many rows

    func move(_ id: QueueEntry.ID, to state: QueueEntry.State, _ now: QueueTime) throws(SQLiteError) {
        try run(
            "UPDATE entry SET state = ?, notBefore = NULL, owner = NULL, changed = ? WHERE id = ?",
            .integer(Int64(state.rawValue)), .integer(now.milliseconds), .integer(id.rawValue))
    }

    func expire(_ now: QueueTime) throws(SQLiteError) -> [QueueEntry.ID] {
        let expired = try ids(
            """
            SELECT id FROM entry INDEXED BY entry_expires WHERE state <= 4 AND state IN (0, 1, 3) AND expires <= ?
            """,
            .integer(now.milliseconds)
        ).sorted()
        for id in expired { try move(id, to: .expired, now) }
        return expired
    }

    func owners() throws(SQLiteError) -> Set<QueueOwner> {
        let statement = try connection.statement(
            "SELECT DISTINCT owner FROM entry INDEXED BY entry_owner WHERE state = 2 AND owner IS NOT NULL")
        defer { statement.reset() }
        var owners: Set<QueueOwner> = []
        while try statement.step() { owners.insert(QueueOwner(UInt64(bitPattern: statement.int64(0)))) }
        return owners
    }

    /// The entries of which owners make an attempt.
    func leased(to owners: Set<QueueOwner>) throws(SQLiteError) -> [QueueEntry.ID] {
        var leased: [QueueEntry.ID] = []
        for owner in owners {
            leased += try ids(
                "SELECT id FROM entry INDEXED BY entry_owner WHERE state = 2 AND owner = ?",
                .integer(Int64(bitPattern: owner.rawValue)))
        }
        return leased.sorted()
    }

    func reclaim(_ leased: [QueueEntry.ID], _ now: QueueTime) throws(SQLiteError) {
        for id in leased {
            try run(
                """
                UPDATE entry SET state = CASE WHEN account IN (SELECT account FROM parked) THEN 3 ELSE 0 END,
                notBefore = NULL, owner = NULL, changed = ? WHERE id = ?
                """, .integer(now.milliseconds), .integer(id.rawValue))
        }
    }

    func prune(_ time: QueueTime) throws(SQLiteError) -> Int {
        try run("DELETE FROM entry WHERE state >= 6 AND changed < ?", .integer(time.milliseconds))
        return connection.changes
    }

    func counts() throws(SQLiteError) -> [QueueEntry.State: Int] {
        let statement = try connection.statement("SELECT state, count FROM total WHERE count > 0")
        defer { statement.reset() }
        var counts: [QueueEntry.State: Int] = [:]
        while try statement.step() {
            guard let state = QueueEntry.State(rawValue: statement.int64(0)) else { continue }
            counts[state] = Int(clamping: statement.int64(1))
        }
        return counts
    }

    /// Whether the totals are those of the entries. All of them are read.
    func hasRightTotals() throws(SQLiteError) -> Bool {
        try connection.number(
            """
            SELECT count(*) FROM total t WHERE count <> (SELECT count(*) FROM entry e WHERE e.state = t.state)
            OR bytes <> (SELECT coalesce(sum(size), 0) FROM entry e WHERE e.state = t.state)
            """) == 0
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
            "SELECT min(expires) FROM entry INDEXED BY entry_expires WHERE state <= 4 AND state IN (0, 1, 3)")
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return statement.optionalInt64(0).map { QueueTime(milliseconds: $0) }
    }

    // MARK: Files of bodies

    /// Removes files without an entry, which are of transactions that were not kept.
    func removeOrphans() throws(SQLiteError) {
        for id in bodies.all() {
            let kept = try ids(
                "SELECT id FROM entry WHERE id = ? AND file AND state < 6", .integer(id.rawValue))
            if kept.isEmpty { _ = bodies.remove(id) }
        }
    }

    /// The final entries whose files may still be there.
    func gone() throws(SQLiteError) -> [QueueEntry.ID] { try ids("SELECT id FROM gone") }

    /// Notes that the files of entries were removed.
    func forget(_ gone: [QueueEntry.ID]) throws(SQLiteError) {
        for id in gone { try run("DELETE FROM gone WHERE id = ?", .integer(id.rawValue)) }
    }

    // MARK: Statements

    func run(_ sql: StaticString, _ values: SQLiteValue...) throws(SQLiteError) {
        let statement = try connection.statement(sql)
        try statement.bind(values)
        try statement.run()
    }

    func ids(_ sql: StaticString, _ values: SQLiteValue...) throws(SQLiteError) -> [QueueEntry.ID] {
        let statement = try connection.statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        var ids: [QueueEntry.ID] = []
        while try statement.step() { ids.append(QueueEntry.ID(statement.int64(0))) }
        return ids
    }
}
