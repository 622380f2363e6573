public import GatewayCore
import GatewaySQLite

/// Stores entries in a SQLite file. They survive the end of the process and a power failure.
///
/// The file has mode 0600; its directory must exist. Processes of the same user on the same machine may share it.
/// Nothing is opened before the first use. After a failed sync the file is closed, and the next use opens it again.
public final class SQLiteQueueStore: QueueStore {
    private let file: QueueFile
    private let bodies: QueueBodies
    private var opened: QueueFile.Opened?
    /// Connections to damaged files, which lock out other connections.
    private var damaged: [SQLiteConnection] = []
    private var recoveries: [QueueRecovery] = []
    /// Whether there may be body files without an entry.
    private var mayHaveOrphans = true
    /// Whether a sync has failed since the last transaction that wrote something.
    private var mayLackSync = false
    /// The number of the last entry, as far as it is known.
    private var lastID: Int64?
    /// Whether the file had other names, if that is known.
    private var wasLinked: Bool?
    /// The change that another program made to the file since the last query.
    private var change: Change?
    /// The number of times the file was opened.
    private var openings: Int64 = 0
    /// The owner that uses the store.
    private weak var ownership: QueueOwnerLock?
    /// Final entries whose body files were removed; the queue's file does not record that yet.
    private var removed: [QueueEntry.ID] = []

    /// A change that another program can make to a file in use.
    private enum Change {
        case replaced, linked

        var error: QueueError {
            switch self {
            case .replaced:
                QueueError(
                    .changed, "Another program has removed, replaced or truncated the file of the queue.")
            case .linked:
                QueueError(
                    .changed, "The file of the queue has other names (hard links): do not open it by them.")
            }
        }
    }

    /// The maximum gap between the known and the stored entry numbers, after a recovery or after numbers assigned by
    /// other processes.
    private static let longestGap: Int64 = 1 << 22

    /// Creates a store. Nothing is read or created on disk yet.
    ///
    /// - Parameter path: the path of the file. On a network file system each use throws ``QueueError`` with the code
    ///   ``QueueError/Code/invalid``, and nothing is created: locks and syncs are not reliable there.
    public convenience init(path: String) { self.init(path: path, fileSystem: nil, kind: QueueFileSystem.of) }

    /// Creates a store whose entry numbers, in a new file, begin after a given one.
    package convenience init(path: String, after id: QueueEntry.ID) {
        self.init(path: path, fileSystem: nil, start: id.rawValue, kind: QueueFileSystem.of)
    }

    /// - Parameters:
    ///   - path: the path of the file.
    ///   - fileSystem: the name of a registered VFS of SQLite; `nil` for the default one.
    ///   - start: the number after which those of the entries of a new file begin; `nil` for a random one.
    ///   - kind: returns the file system of a directory; `nil` if it is unknown.
    ///   - bodies: the files of large bodies; `nil` for those beside the file.
    init(
        path: String, fileSystem: String? = nil, start: Int64? = nil,
        kind: @escaping (String) -> QueueFileSystem? = QueueFileSystem.of, bodies: QueueBodies? = nil
    ) {
        file = QueueFile(path: path, fileSystem: fileSystem, start: start, kind: kind)
        self.bodies = bodies ?? QueueBodies(beside: path)
    }

    /// Closes the file; the next use opens it again.
    public func close() {
        opened = nil
        damaged = []
        mayHaveOrphans = true
    }

    /// Checks the whole file for damage, and recovers the readable entries if there is any. This takes as long as
    /// reading the file.
    ///
    /// - Returns: whether the file was intact.
    public func check() throws(QueueError) -> Bool {
        let before = recoveries.count
        try run { (table) throws(SQLiteError) in
            let statement = try table.connection.statement("PRAGMA integrity_check(1)")
            defer { statement.reset() }
            guard try statement.step(), statement.text(0) == "ok", try table.hasRightTotals() else {
                throw .corrupt
            }
        }
        return recoveries.count == before
    }

    /// The recoveries of damaged files since the last call.
    public func takeRecoveries() -> [QueueRecovery] {
        defer { recoveries = [] }
        return recoveries
    }

    /// Runs a body in a transaction: again in a new file if another process, or a recovery, has replaced the file.
    private func run<Result>(
        _ body: (QueueTable) throws(SQLiteError) -> Result
    ) throws(QueueError) -> Result {
        var hasRecovered = false
        var suspect: QueueFile.Identity?
        var replacements = 0
        while true {
            let identity = opened?.identity ?? file.identity
            do throws(QueueFile.Failure) {
                return try attempt(body, hasRecovered)
            } catch .sqlite(let error) {
                // Body files of this transaction are orphans.
                mayHaveOrphans = true
                let status = file.status
                // A file that was truncated to zero bytes is treated as removed.
                let isCut = (error.isMismatch || error.isCorruption) && (status?.isEmpty ?? false)
                if error.isMoved || isCut || status?.identity != identity {
                    opened = nil
                    replacements += 1
                    guard replacements < 8 else { throw error.queueError }
                    continue
                }
                let isDamaged =
                    error.isCorruption || error.isMismatch || error.isReadOnly && file.hasDamagedHeader
                // After a failed sync the memory of the connection may differ from the disk. A read-only file may be
                // writable when it is opened again.
                if error.isSyncFailure || error.isReadFailure || error.isReadOnly || isDamaged {
                    opened = nil
                }
                if error.isSyncFailure { mayLackSync = true }
                guard isDamaged, !hasRecovered, let identity else { throw error.queueError }
                // The damage must be confirmed by a new connection, which reads the file again.
                guard suspect == identity else {
                    suspect = identity
                    continue
                }
                guard let recovered = try file.recover(identity, bodies: bodies) else {
                    // It is not a queue's file, unless it was replaced in the meantime.
                    replacements += 1
                    guard file.identity != identity, replacements < 8 else {
                        throw SQLiteError.corrupt.queueError
                    }
                    continue
                }
                hasRecovered = true
                damaged.append(recovered.damaged)
                recoveries.append(recovered.recovery)
            } catch { throw error.queueError }
        }
    }

    /// - Parameter hasRecovered: whether the file is new because the previous one was damaged.
    private func attempt<Result>(
        _ body: (QueueTable) throws(SQLiteError) -> Result, _ hasRecovered: Bool
    ) throws(QueueFile.Failure) -> Result {
        // A file in a removed directory has no path by which it can be found again.
        if openings > 0, file.isLost {
            self.opened = nil
            throw .queue(
                QueueError(
                    .lost, "The directory of the queue's file is gone, or the path is not that of a file."))
        }
        let opened: QueueFile.Opened
        if let known = self.opened {
            opened = known
        } else {
            opened = try file.connect()
            openings += 1
        }
        self.opened = opened
        do throws(QueueError) { try ownership?.keep() } catch { throw .queue(error) }
        do throws(SQLiteError) {
            // Before it begins: SQLite finds the journal by its name, and would use the journal of another
            // file.
            guard file.identity == opened.identity else { throw .moved }
            let table = QueueTable(connection: opened.connection, bodies: bodies)
            let (result, gone, isLinked, isReplaced) = try opened.connection.transaction(
                waitsOn: file.waiting(for: opened.identity)
            ) { () throws(SQLiteError) in
                guard let status = file.status, status.identity == opened.identity else { throw .moved }
                let isReplaced = try lacksNumbers(table)
                if mayHaveOrphans { try table.removeOrphans() }
                try table.forget(removed)
                // A failed transaction may be visible without being durable: a journal whose end was not synced would
                // undo it. Writing a page makes this transaction sync the changes of both.
                if mayLackSync {
                    try opened.connection.execute("PRAGMA user_version = \(QueueSchema.version)")
                }
                let result = try body(table)
                try table.saveMeta()
                return (result, try table.gone(), status.isLinked, isReplaced)
            }
            lastID = table.transaction.meta?.lastID
            if isReplaced, !hasRecovered { change = .replaced }
            if isLinked, wasLinked == false { change = change ?? .linked }
            wasLinked = isLinked
            (mayHaveOrphans, mayLackSync) = (false, false)
            removed = gone.filter(bodies.remove)
            return result
        } catch { throw .sqlite(error) }
    }

    /// Whether the file is not a later state of the known file: it lacks entry numbers that were assigned,
    /// or its numbers are far ahead. Records assigned numbers, so that they are not assigned again.
    private func lacksNumbers(_ table: QueueTable) throws(SQLiteError) -> Bool {
        var meta = try table.meta()
        guard let lastID else { return false }
        guard meta.lastID < lastID else {
            return meta.lastID.subtractingClamped(lastID) > Self.longestGap
        }
        meta.lastID = lastID
        table.set(meta)
        return true
    }

    /// Registers an engine with a locked file next to the store's file.
    public func join(_ random: any RandomSource) throws(QueueError) -> any QueueOwnership {
        let lock = try QueueOwnerLock(beside: file.path, random: random)
        ownership = lock
        if let found = try? outlook() { lock.removeOthers(except: found.owners) }
        return lock
    }

    /// A number that changes when another connection has changed the file.
    ///
    /// - Throws: ``QueueError``, once with the code ``QueueError/Code/changed`` after another program has removed,
    ///   replaced, truncated or linked the file. The store continues with the file that the path names now.
    public func foreignVersion() throws(QueueError) -> Int64 {
        let version = try run { (table) throws(SQLiteError) in
            try table.connection.number("PRAGMA data_version")
        }
        if let change {
            self.change = nil
            throw change.error
        }
        // Each connection has its own counter.
        return (openings << 32) + version
    }

    /// Adds entries.
    public func insert(
        _ items: [QueueItem], limits: QueueLimits, now: QueueTime
    ) throws(QueueError) -> [QueueInsertion] {
        try run { (table) throws(SQLiteError) in
            _ = try table.note(now)
            var insertions: [QueueInsertion] = []
            for item in items { insertions.append(try table.insert(item, limits, now)) }
            return insertions
        }
    }

    /// Leases waiting entries.
    public func lease(_ request: QueueLeaseRequest) throws(QueueError) -> QueueLeaseResult {
        try run { (table) throws(SQLiteError) in try table.lease(request) }
    }

    /// Ends attempts.
    public func finish(
        _ completions: [QueueCompletion], now: QueueTime
    ) throws(QueueError) -> [Bool] {
        try run { (table) throws(SQLiteError) in try table.finish(completions, now) }
    }

    /// Ends attempts and leases waiting entries, in one transaction.
    public func exchange(
        _ completions: [QueueCompletion], for request: QueueLeaseRequest
    ) throws(QueueError) -> QueueExchange {
        try run { (table) throws(SQLiteError) in
            let ended = try table.finish(completions, request.now)
            return QueueExchange(ended: ended, leased: try table.lease(request))
        }
    }

    /// Returns the attempts of ended owners to the queue.
    public func reclaim(
        from owners: Set<QueueOwner>, now: QueueTime
    ) throws(QueueError) -> [QueueEntry.ID] {
        try run { (table) throws(SQLiteError) in
            let leased = try table.leased(to: owners)
            // Without ended owners nothing is written or synced.
            guard !leased.isEmpty else { return [] }
            _ = try table.note(now)
            try table.reclaim(leased, now)
            return leased
        }
    }

    /// Returns leases that the owner does not know.
    public func giveBack(
        of owner: QueueOwner, now: QueueTime, unless isKnown: (QueueEntry.ID, Int) -> Bool
    ) throws(QueueError) -> [QueueEntry.ID] {
        try run { (table) throws(SQLiteError) in
            let strays = try table.strays(of: owner, unless: isKnown)
            guard !strays.isEmpty else { return [] }
            _ = try table.finish(strays.map { QueueCompletion(notBegun: $0, .released) }, now)
            return strays.map(\.id)
        }
    }

    /// Expires pending entries.
    public func expire(now: QueueTime) throws(QueueError) -> [QueueEntry.ID] {
        try run { (table) throws(SQLiteError) in
            try table.note(now).isBehind ? [] : try table.expire(now)
        }
    }

    /// Cancels entries.
    public func cancel(
        _ selection: QueueSelection, now: QueueTime
    ) throws(QueueError) -> [QueueEntry.ID] {
        try run { (table) throws(SQLiteError) in
            _ = try table.note(now)
            let rows = try table.rows(selection) { !$0.state.isFinal && $0.state != .leased }
            for row in rows { try table.move(row.entry.id, to: .cancelled, now) }
            return rows.map(\.entry.id)
        }
    }

    /// Makes an entry wait again.
    public func retry(_ id: QueueEntry.ID, now: QueueTime) throws(QueueError) -> Bool {
        try run { (table) throws(SQLiteError) in
            let time = try table.note(now).newest
            guard var row = try table.row(id), row.mayBeRetried(now: now, time: time) else { return false }
            let old = row.entry.state
            row.retry(isParked: try table.isParked(row.entry.account), now: now, time: time)
            try table.save(row, after: old)
            return row.entry.state == .waiting
        }
    }

    /// Resumes an account.
    public func resume(
        _ account: QueueAccount, as newName: QueueAccount?, now: QueueTime
    ) throws(QueueError) -> Int {
        try run { (table) throws(SQLiteError) in
            _ = try table.note(now)
            return try table.resume(account, newName ?? account, now)
        }
    }

    /// The next work of the queue.
    public func outlook() throws(QueueError) -> QueueOutlook {
        try run { (table) throws(SQLiteError) in
            let newest = try table.meta().newest
            return QueueOutlook(
                counts: try table.counts(), nextDue: try table.nextDue(), nextExpiry: try table.nextExpiry(),
                owners: try table.owners(), parkedAccounts: try table.parkedAccounts(),
                newest: newest.milliseconds == .min ? nil : newest)
        }
    }

    /// Lowers the newest time.
    public func lowerNewest(to time: QueueTime) throws(QueueError) {
        try run { (table) throws(SQLiteError) in try table.lowerNewest(to: time) }
    }

    /// The earlier active entry that an entry waits for.
    public func predecessor(of id: QueueEntry.ID) throws(QueueError) -> QueueEntry.ID? {
        try run { (table) throws(SQLiteError) in try table.predecessor(of: id) }
    }

    /// Removes final entries.
    public func prune(changedBefore time: QueueTime) throws(QueueError) -> Int {
        try run { (table) throws(SQLiteError) in try table.prune(time) }
    }

    /// The selected entries.
    public func entries(_ selection: QueueSelection) throws(QueueError) -> [QueueEntry] {
        try run { (table) throws(SQLiteError) in try table.rows(selection) { _ in true }.map(\.entry) }
    }

    /// The number of entries by state.
    public func counts() throws(QueueError) -> [QueueEntry.State: Int] {
        try run { (table) throws(SQLiteError) in try table.counts() }
    }

    /// Whether the file is open.
    var isOpen: Bool { opened != nil }

    /// The number of executed steps of SQLite's virtual machine.
    func statementSteps() -> Int { opened?.connection.steps ?? 0 }

    /// The query plans of the statements that were used.
    func statementPlans() throws(SQLiteError) -> [String: [String]] { try opened?.connection.plans() ?? [:] }
}
