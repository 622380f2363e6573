import GatewayCore
import GatewayResilience
import GatewaySQLite

/// The database of a store, used on its thread.
actor DiskCacheDatabase {
    /// The maximum number of uses in memory before they are written.
    private static let mostUses = 4_096
    private static let longestReopening = Duration.seconds(30)

    private let thread = DiskThread()
    let file: DiskCacheFile
    let clock: any GatewayClock
    private let pages: Int
    private let pageLimit: Int

    private(set) var connection: SQLiteConnection?
    /// When opening the file is retried.
    private var nextOpening: ContinuousClock.Instant?
    /// The number of consecutive failures to open it.
    private var failedOpenings = 0
    /// The codes of problems that were thrown since a response was last stored.
    private var thrown: Set<CacheStoreError.Code> = []
    /// The last error of opening the file.
    private var problem: CacheStoreError?
    let rewriter = DiskCacheRewriter()
    /// When emptying the log is retried.
    var nextEmptying: ContinuousClock.Instant?
    /// When the file may be rewritten.
    var nextRewriting: ContinuousClock.Instant?
    /// The overwriting of removed responses that is in progress.
    var erasing: Task<Bool, Never>?
    /// Called when the log is empty and the file is about to be rewritten.
    let onErasing: (@Sendable () async -> Void)?
    /// The number of the last use, and the uses that are not written to the file yet.
    private var lastUse: Int64 = 0
    private var uses: [Int64: Int64] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init(
        _ file: DiskCacheFile, byteLimit: Int, clock: any GatewayClock, pageLimit: Int?,
        onErasing: (@Sendable () async -> Void)?
    ) {
        self.file = file
        self.clock = clock
        self.onErasing = onErasing
        pages = max(byteLimit, 64 << 10) / DiskCacheFile.pageBytes
        self.pageLimit = min(pageLimit ?? pages, 1 << 30)
    }

    deinit { thread.finish() }

    // MARK: Reading

    func heads(for key: DiskCacheKey) throws(CacheStoreError) -> [CachedHead] {
        try run(else: []) { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                """
                SELECT id, head FROM head WHERE key = ?1
                    AND head.number >= coalesce((SELECT ended.number FROM ended WHERE ended.owner = ?2), 0)
                """, .bytes(key.digest), .bytes(key.owner))
            defer { statement.reset() }
            var heads: [CachedHead] = []
            var damaged: [Int64] = []
            while try statement.step() {
                let id = statement.int64(0)
                guard let read = DiskCacheHead(statement.bytes(1), .init(UInt64(bitPattern: id)), key) else {
                    damaged.append(id)
                    continue
                }
                heads.append(read.head)
            }
            return damaged.isEmpty ? .done(heads) : .damaged(damaged)
        }
    }

    func body(of id: CachedHead.ID, for key: DiskCacheKey) throws(CacheStoreError) -> [UInt8]? {
        let row = Int64(bitPattern: id.rawValue)
        let body: [UInt8]? = try run(else: nil) { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                """
                SELECT head, body FROM head LEFT JOIN body USING (id) WHERE id = ?1 AND key = ?2
                    AND head.number >= coalesce((SELECT ended.number FROM ended WHERE ended.owner = ?3), 0)
                """, .integer(row), .bytes(key.digest), .bytes(key.owner))
            defer { statement.reset() }
            guard try statement.step() else { return .done(nil) }
            let body = statement.bytes(1)
            guard let read = DiskCacheHead(statement.bytes(0), id, key), body.count == read.head.bodyBytes,
                DiskCacheHead.checksum(of: body, id, key) == read.bodyChecksum
            else { return .damaged([row]) }
            return .done(body)
        }
        if body != nil { noteUse(row) }
        return body
    }

    private func noteUse(_ row: Int64) {
        lastUse += 1
        uses[row] = lastUse
        guard uses.count >= Self.mostUses else { return }
        if file.logBytes <= DiskCacheFile.logLimit {
            try? connection?.transaction { () throws(SQLiteError) in try writeUses() }
        }
        uses = [:]
    }

    private func writeUses() throws(SQLiteError) {
        guard let connection, !uses.isEmpty else { return }
        for (row, use) in uses {
            try connection.run("UPDATE head SET used = ? WHERE id = ?", .integer(use), .integer(row))
        }
    }

    // MARK: Writing

    /// The number of the last change.
    func generation() throws(CacheStoreError) -> CacheGeneration {
        try run(else: CacheGeneration(0)) { (connection) throws(SQLiteError) in
            let last = try connection.number("SELECT last FROM counter")
            return .done(CacheGeneration(UInt64(bitPattern: last)))
        }
    }

    /// - Parameter generation: the generation of the request; `nil` for none.
    /// - Returns: the number of evicted responses; `nil` if the key has changed since the generation.
    func put(
        _ head: CachedHead, _ body: [UInt8], _ key: DiskCacheKey, _ replaced: [CachedHead.ID],
        since generation: CacheGeneration?
    ) throws(CacheStoreError) -> Int? {
        let row = Int64(bitPattern: head.id.rawValue)
        let record = DiskCacheHead(
            head: head, bodyChecksum: DiskCacheHead.checksum(of: body, head.id, key))
        let bytes = record.encoded(for: key)
        // The space of a page for the contents of a large row, and the pages of the indexes.
        let needed = (body.count + bytes.count) / (DiskCacheFile.pageBytes - 16) + 4
        let isStored = needed <= pages - 16 && head.bodyBytes == body.count && Self.isStorable(head)
        lastUse += 1
        let use = lastUse
        var hasUnerased = false
        let evicted: Int? = try run(else: nil) { (connection) throws(SQLiteError) in
            guard try mayLengthenLog(connection) else { throw SQLiteError.full }
            let evicted = try connection.transaction { () throws(SQLiteError) -> Int? in
                let changes = try DiskCacheChanges(connection)
                hasUnerased = changes.unerased != 0
                if let generation, try !changes.admits(key, since: generation, connection) { return nil }
                if try DiskCacheChanges.isGone(key, connection) { return nil }
                try writeUses()
                for id in [head.id] + replaced {
                    try Self.delete(Int64(bitPattern: id.rawValue), key, connection)
                }
                guard isStored else { return 0 }
                let evicted = try makeRoom(for: needed, connection)
                try connection.run(
                    "INSERT INTO head (id, key, owner, head, used, number) VALUES (?, ?, ?, ?, ?, ?)",
                    .integer(row), .bytes(key.digest), .bytes(key.owner), .bytes(bytes), .integer(use),
                    .integer(changes.last))
                try DiskCacheChanges.note(partsOf: key, connection)
                try connection.run("INSERT INTO body (id, body) VALUES (?, ?)", .integer(row), .bytes(body))
                return evicted
            }
            return .done(evicted)
        }
        // Bytes that a sign-out could not overwrite, in this process or an ended one.
        if hasUnerased { eraseInBackground() }
        guard let evicted else { return nil }
        uses = [:]
        thrown = []
        return evicted
    }

    func update(_ head: CachedHead, _ key: DiskCacheKey) throws(CacheStoreError) {
        let row = Int64(bitPattern: head.id.rawValue)
        try run(else: ()) { (connection) throws(SQLiteError) in
            guard Self.isStorable(head) else {
                try connection.transaction { () throws(SQLiteError) in
                    try Self.delete(row, key, connection)
                }
                return .done(())
            }
            guard try mayLengthenLog(connection) else { throw SQLiteError.full }
            // In one step, because another process may be about to replace the head too.
            return try connection.transaction { () throws(SQLiteError) -> Found<Void> in
                let statement = try connection.statement(
                    "SELECT head FROM head WHERE id = ? AND key = ?", .integer(row), .bytes(key.digest))
                defer { statement.reset() }
                guard try statement.step() else { return .done(()) }
                guard let old = DiskCacheHead(statement.bytes(0), head.id, key),
                    old.head.bodyBytes == head.bodyBytes
                else { return .damaged([row]) }
                statement.reset()
                try connection.run(
                    "UPDATE head SET head = ? WHERE id = ?",
                    .bytes(DiskCacheHead(head: head, bodyChecksum: old.bodyChecksum).encoded(for: key)),
                    .integer(row))
                return .done(())
            }
        }
    }

    /// Whether a response may be stored in a file: not if it contains a credential.
    private static func isStorable(_ head: CachedHead) -> Bool {
        !head.fields.contains { $0.name.namesCredential }
    }

    /// Evicts the least recently used responses until a number of pages is free.
    ///
    /// - Returns: the number of evicted responses.
    private func makeRoom(for needed: Int, _ connection: SQLiteConnection) throws(SQLiteError) -> Int {
        var removed = 0
        while true {
            let all = try connection.number("PRAGMA page_count")
            let free = try connection.number("PRAGMA freelist_count")
            guard all - free + Int64(needed) > Int64(pages) else { return removed }
            let oldest = try connection.statement("SELECT id FROM head ORDER BY used LIMIT 1")
            guard try oldest.step() else { return removed }
            let row = oldest.int64(0)
            oldest.reset()
            try Self.delete(row, nil, connection)
            removed += 1
        }
    }

    private static func delete(
        _ row: Int64, _ key: DiskCacheKey?, _ connection: SQLiteConnection
    ) throws(SQLiteError) {
        try connection.run(
            "DELETE FROM head WHERE id = ?1 AND (?2 IS NULL OR key = ?2)",
            .integer(row), key.map { .bytes($0.digest) } ?? .null)
        guard connection.changes > 0 else { return }
        try connection.run("DELETE FROM body WHERE id = ?", .integer(row))
    }

    func close() {
        try? connection?.transaction { () throws(SQLiteError) in try writeUses() }
        uses = [:]
        connection = nil
        nextOpening = nil
        nextEmptying = nil
        problem = nil
        failedOpenings = 0
    }

    // MARK: Problems

    /// The result of a body.
    private enum Found<Value> {
        case done(Value)
        /// Rows whose checksums do not match.
        case damaged([Int64])
    }

    /// Runs a body with the file. A problem is thrown once; after that the result is empty, until a response
    /// was stored.
    private func run<Value>(
        else nothing: Value, _ body: (SQLiteConnection) throws(SQLiteError) -> Found<Value>
    ) throws(CacheStoreError) -> Value {
        // A caller that no longer waits does not delay later ones.
        if Task.isCancelled { throw CacheStoreError(.timedOut, "The caller no longer waits.") }
        guard let connection = try opened(isRemoval: false) else { return nothing }
        do throws(SQLiteError) {
            switch try body(connection) {
            case .done(let value): return value
            case .damaged(let rows):
                try connection.transaction { () throws(SQLiteError) in
                    for row in rows { try Self.delete(row, nil, connection) }
                }
            }
        } catch {
            if error.isCorruption {
                replace()
            } else {
                disconnect(after: error)
                if !thrown.insert(error.storeError.code).inserted { return nothing }
            }
            throw error.storeError
        }
        throw CacheStoreError(.corrupt, "A checksum does not match: the response was removed.")
    }

    /// Runs a body that removes responses. It throws every time, except if a damaged file was removed.
    ///
    /// - Parameter isUrgent: whether to retry immediately to open a file that could not be opened.
    func removing(
        isUrgent: Bool = false, _ body: (SQLiteConnection) throws(SQLiteError) -> Void
    ) throws(CacheStoreError) {
        guard let connection = try opened(isRemoval: true, isUrgent: isUrgent) else { return }
        do throws(SQLiteError) { try body(connection) } catch {
            if error.isCorruption, replace() { return }
            disconnect(after: error)
            throw error.storeError
        }
    }

    /// Removes a damaged file.
    ///
    /// - Returns: whether it was removed.
    @discardableResult
    private func replace() -> Bool {
        disconnect()
        return file.removeDamaged()
    }

    /// Closes a connection that may fail from now on. SQLite opens a file or its log read-only if the system
    /// refuses once to open it for writing.
    func disconnect(after error: SQLiteError) {
        if error.mayLast || error.isReadOnly && !file.isReadOnly { disconnect() }
    }

    /// Closes the connection; the next use opens another one.
    func disconnect() {
        connection = nil
        uses = [:]
    }

    /// - Parameters:
    ///   - isRemoval: whether each problem is thrown.
    ///   - isUrgent: whether to retry immediately to open a file that could not be opened.
    func opened(isRemoval: Bool, isUrgent: Bool = false) throws(CacheStoreError) -> SQLiteConnection? {
        if let connection { return connection }
        if !isUrgent, let problem, let nextOpening, clock.now < nextOpening {
            // A problem that was thrown to a removal is still thrown to calls.
            guard isRemoval || thrown.insert(problem.code).inserted else { return nil }
            throw problem
        }
        do throws(CacheStoreError) {
            return try open()
        } catch {
            if error.code == .corrupt, file.removeDamaged() {
                // The next use creates an empty file.
                if isRemoval { return nil }
                throw error
            }
            problem = error
            nextOpening = clock.now.adding(pauseOfOpening(after: error))
            guard isRemoval || thrown.insert(error.code).inserted else { return nil }
            throw error
        }
    }

    /// The failure may be temporary: the next use retries immediately. After that the pauses double from 1
    /// s.
    private func pauseOfOpening(after error: CacheStoreError) -> Duration {
        guard error.code == .unavailable || error.code == .full else { return Self.longestReopening }
        failedOpenings = min(failedOpenings + 1, 16)
        return failedOpenings == 1
            ? .zero : min(.seconds(1 << (failedOpenings - 2)), Self.longestReopening)
    }

    private func open() throws(CacheStoreError) -> SQLiteConnection {
        let opened = try file.connect(pageLimit: pageLimit)
        do throws(SQLiteError) {
            lastUse = try opened.number("SELECT max(used) FROM head")
        } catch { throw error.storeError }
        connection = opened
        problem = nil
        failedOpenings = 0
        if !file.isReadOnly { resumeRemovals(opened) }
        return opened
    }
}
