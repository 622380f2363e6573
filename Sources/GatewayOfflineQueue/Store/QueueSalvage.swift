import GatewayCore
import GatewaySQLite

/// Copies the readable rows of a damaged file into a new one.
///
/// Each page is read independently: neither the trees of tables and indexes nor the first page are needed. Pages that
/// are not in use have no old rows, since `secure_delete` overwrites them.
struct QueueSalvage {
    private let damaged: SQLiteConnection
    private let table: QueueTable
    private(set) var recovered = 0
    private var meta: QueueMeta?
    private var greatestID: Int64 = 0
    private var latest = QueueTime(milliseconds: .min)
    private var isOurs: Bool

    /// The number of entries that are lost; `nil` if it is not known.
    var lost: Int? {
        guard let meta else { return nil }
        return max(0, meta.totals.reduce(0) { $0.addingClamped($1.count) } - recovered)
    }

    /// - Parameters:
    ///   - damaged: the damaged file, locked.
    ///   - table: the tables of the new file, within a transaction.
    init(_ damaged: SQLiteConnection, into table: QueueTable) throws(SQLiteError) {
        self.damaged = damaged
        self.table = table
        let number = try damaged.fileBytes(at: 68, count: 4)
        isOurs = number.reduce(Int64(0)) { $0 << 8 | Int64($1) } == QueueSchema.application
    }

    /// Copies all rows.
    ///
    /// - Returns: whether the file is one of a queue. If not, it must not be changed.
    /// - Throws: ``SQLiteError``, also if reading a page fails: the page may be intact and readable later.
    mutating func run() throws(SQLiteError) -> Bool {
        let size = QueueSchema.pageBytes
        let damaged = damaged
        var failure: SQLiteError?
        let page = { (number: Int) -> [UInt8]? in
            do throws(SQLiteError) {
                return try damaged.fileBytes(at: (number - 1) * size, count: size)
            } catch {
                failure = error
                return nil
            }
        }
        let count = (try damaged.fileByteCount() + size - 1) / size
        // A system crash can leave a file of zeros, which contains no data.
        var isBlank = count > 0
        for number in stride(from: 1, through: count, by: 1) {
            let bytes = page(number)
            if isBlank { isBlank = bytes.map { page in page.allSatisfy { $0 == 0 } } ?? false }
            let rows = bytes.flatMap { SQLitePage($0, number: number) }?.rows(page) ?? []
            if let failure { throw failure }
            for row in rows { try take(row) }
        }
        guard isOurs || recovered > 0 || isBlank else { return false }
        try table.connection.run("DELETE FROM body WHERE id NOT IN (SELECT id FROM entry WHERE state < 6)")
        // Numbers are not reused: if the last one is unknown, numbering continues after a gap.
        var known = try table.meta()
        known.newest = meta?.newest ?? latest
        if let meta {
            known.lastID = meta.lastID
        } else if greatestID > 0 {
            known.lastID = greatestID.addingClamped(1 << 20)
        }
        table.set(known)
        try takeRuns()
        try table.connection.run(
            "INSERT OR IGNORE INTO parked SELECT account FROM entry WHERE state = 2 AND account IS NOT NULL")
        return true
    }

    /// Copies a row of any table. The tables differ in the number and the kinds of their columns.
    private mutating func take(_ row: SQLitePage.Row) throws(SQLiteError) {
        switch (row.columns.count, row.columns.first) {
        case (21, .null?): try takeEntry(row)
        case (2, .null?):
            guard case .bytes(let body) = row.columns[1], row.id > 0 else { return }
            try table.connection.run(
                "INSERT OR IGNORE INTO body VALUES (?, ?)", .integer(row.id), .bytes(body))
        case (1, .bytes(let bytes)?): if let read = QueueMeta(bytes) { meta = read }
        case (1, .text(let account)?):
            guard account.utf8.count <= QueueItem.longestKey else { return }
            try table.connection.run("INSERT OR IGNORE INTO parked VALUES (?)", .text(account))
        default: break
        }
    }

    /// Marks the rows of leased entries. If the leases are unknown, the server may have received each waiting entry at
    /// any time since it was stored.
    private func takeRuns() throws(SQLiteError) {
        guard let meta else {
            let ids = try table.ids("SELECT id FROM entry WHERE state = 0")
            for id in ids {
                guard var row = try table.row(id) else { continue }
                row.entry.firstSent = row.entry.firstSent ?? row.item.created
                // An attempt that may be in progress does not end a later one.
                row.entry.attempts = row.entry.attempts.addingClamped(1)
                try table.save(row, after: .waiting)
            }
            return
        }
        for run in meta.runs {
            for id in try table.ids(
                "SELECT id FROM entry WHERE id BETWEEN ? AND ? AND state = 0", .integer(run.ids.lowerBound),
                .integer(run.ids.upperBound))
            {
                guard let row = try table.row(id) else { continue }
                try table.count(bytes: row.byteCount, from: .waiting, to: .leased)
            }
            try table.writeRows(of: run)
        }
    }

    private mutating func takeEntry(_ read: SQLitePage.Row) throws(SQLiteError) {
        guard let row = QueueRow(read) else { return }
        let id = row.entry.id
        guard try table.ids("SELECT id FROM entry WHERE id = ?", .integer(id.rawValue)).isEmpty else {
            return
        }
        try table.add(row, head: read.columns[19])
        recovered += 1
        greatestID = max(greatestID, id.rawValue)
        // Other times of the row have no checksum.
        latest = max(latest, row.item.created)
    }
}

extension QueueRow {
    /// A row of a damaged file; `nil` if it is damaged.
    fileprivate init?(_ read: SQLitePage.Row) {
        var start: QueueItemStart?
        func number(_ column: Int) -> Int64? {
            guard case .integer(let value) = read.columns[column] else { return nil }
            return value
        }
        guard read.id > 0, read.id < .max / 2, case .bytes(let bytes) = read.columns[19],
            let head = QueueItemHead(bytes, salt: UInt64(bitPattern: read.id), &start),
            let state = number(1).flatMap({ QueueEntry.State(rawValue: $0) }),
            let stored = number(9), let expires = number(10), let changed = number(11),
            let firstAttempt = number(14), let attempts = number(16), attempts >= 0
        else { return nil }
        self.init(
            id: QueueEntry.ID(read.id), head: head, state: state, now: QueueTime(milliseconds: changed),
            stored: QueueTime(milliseconds: stored))
        if case .text(let account) = read.columns[3] { rename(QueueAccount(account)) }
        entry.expires = QueueTime(milliseconds: expires)
        entry.notBefore = number(12).map { QueueTime(milliseconds: $0) }
        entry.firstSent = number(13).map { QueueTime(milliseconds: $0) }
        firstSentAttempt = Int(clamping: firstAttempt)
        entry.attempts = Int(clamping: attempts)
        owner = number(17).map { QueueOwner(UInt64(bitPattern: $0)) }
        if case .text(let reason) = read.columns[18] { entry.reason = reason }
    }
}

extension QueueTable {
    /// Adds a row of another file.
    fileprivate func add(_ row: QueueRow, head: SQLiteValue) throws(SQLiteError) {
        let isFile = row.entry.bodyBytes > QueueBodies.largestInRow
        try connection.run(
            """
            INSERT INTO entry (id, state, priority, account, keyDigest, deduplication, ordering, size, file,
            stored, expires, changed, firstAttempt, attempts, head, origin)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)
            """, .integer(row.entry.id.rawValue), .integer(Int64(row.entry.state.rawValue)),
            .integer(Int64(row.item.priority.rank)), .text(orNull: row.entry.account?.name),
            .integer(Self.digest(row.item)), .text(orNull: row.item.deduplicationKey),
            .text(orNull: row.item.orderingKey),
            .integer(Int64(row.byteCount)), .integer(isFile ? 1 : 0),
            .integer(row.stored.milliseconds), .integer(row.entry.expires.milliseconds),
            .integer(row.changed.milliseconds), head, .text(row.entry.origin.description))
        try count(1, row.entry.state, bytes: row.byteCount)
        try save(row, after: row.entry.state)
    }
}
