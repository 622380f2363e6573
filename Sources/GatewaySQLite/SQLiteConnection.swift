internal import CSQLite
private import GatewayLibC

/// A connection to a SQLite file, and its prepared statements. It blocks, and belongs to one thread.
@safe package final class SQLiteConnection {
    private var database: OpaquePointer?
    /// The handle, for what is in other files.
    var handle: OpaquePointer? { unsafe database }
    private var statements: [StaticString.Key: SQLiteStatement] = [:]
    private let journals: JournalFileSystem?

    /// Opens a file that exists. It is not opened through a symbolic link; its directory may be one.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - isReadOnly: whether the file may only be read.
    ///   - busyTimeout: how long a statement waits for another process, to the millisecond; at most an hour.
    ///   - fileSystem: the name of a registered VFS; `nil` for the default one.
    ///   - keepsJournal: whether transactions leave the file of the journal where it is, so that its name is made durable once.
    /// - Throws: ``SQLiteError``, also if the file may be written and SQLite could open it for reading alone: it would refuse each
    ///   write as long as the connection lives.
    package init(
        path: String, isReadOnly: Bool, busyTimeout: Duration = .milliseconds(500), fileSystem: String? = nil,
        keepsJournal: Bool = false
    ) throws(SQLiteError) {
        let flags =
            (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE)
            | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        journals = keepsJournal ? JournalFileSystem(over: fileSystem) : nil
        let code = unsafe sqlite3_open_v2(
            Self.resolved(path), &database, flags, journals?.name ?? fileSystem)
        // What was opened of it is closed by `deinit`.
        guard code == SQLITE_OK else { throw SQLiteError(code: code) }
        // A file on a read-only file system can still be read.
        let isForReading = unsafe sqlite3_db_readonly(database, "main") == 1
        guard isReadOnly || !isForReading || (unsafe access(path, W_OK)) != 0 else { throw .cannotOpen }
        let pause = min(max(busyTimeout, .zero), .seconds(3_600))
        wait(atMost: Int(pause / .milliseconds(1)))
    }

    /// The path without symbolic links among its directories, each of which SQLite would refuse like one of the file itself
    /// (SQLITE_OPEN_NOFOLLOW).
    private static func resolved(_ path: String) -> String {
        let directory = path.directoryPath
        guard let real = unsafe realpath(directory, nil) else { return path }
        defer { unsafe free(real) }
        guard let text = unsafe String(validatingCString: real) else { return path }
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] }
        return (text == "/" ? text : text + "/") + String(name ?? path[...])
    }

    /// Waits for transactions of others with short random pauses. SQLite's own pauses grow to 100 ms: where two processes write all
    /// the time, the one that pauses would hardly ever find the file free.
    ///
    /// - Parameter pauses: how many pauses of about a millisecond.
    private func wait(atMost pauses: Int) {
        guard pauses > 0 else { return }
        unsafe sqlite3_busy_handler(
            database,
            { pauses, count in
                guard Int(bitPattern: pauses) > Int(count) else { return 0 }
                usleep(.random(in: 500...1_500))
                return 1
            }, UnsafeMutableRawPointer(bitPattern: pauses))
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(database)
    }

    /// The number of rows that the last statement changed.
    package var changes: Int { Int(unsafe sqlite3_changes(database)) }

    /// Runs statements without parameters and without results.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = unsafe sqlite3_exec(database, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw unsafe SQLiteError(code: code, of: database) }
    }

    /// A statement that is prepared once, without values from its last use.
    package func statement(_ sql: StaticString) throws(SQLiteError) -> SQLiteStatement {
        let key = StaticString.Key(sql)
        if let known = statements[key] {
            known.reset()
            return known
        }
        var handle: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            database, "\(sql)", -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle = unsafe handle else {
            throw unsafe SQLiteError(code: code, of: database)
        }
        let made = unsafe SQLiteStatement(handle, journals)
        statements[key] = made
        return made
    }

    /// The first column of the first row, a number; 0 if there is no row.
    package func number(_ sql: StaticString) throws(SQLiteError) -> Int64 {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : 0
    }

    /// Runs a body in a transaction that writes. The whole of it is kept, or nothing. What the body takes for damage is a failure to
    /// read if there was one.
    ///
    /// - Parameter waitsOn: whether to wait once more when another transaction has taken longer than the busy timeout.
    package func transaction<Result>(
        waitsOn: () -> Bool = { false }, _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        while true {
            do throws(SQLiteError) {
                try run("BEGIN IMMEDIATE")
                break
            } catch {
                guard error.isBusy, waitsOn() else { throw error }
            }
        }
        do throws(SQLiteError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            for statement in statements.values { statement.reset() }
            // SQLite has rolled back by itself after some errors; this one is then of no interest.
            try? run("ROLLBACK")
            throw unsafe SQLiteError(code: error.code, of: database)
        }
    }

    /// The number of steps of SQLite's machine that all statements have taken together.
    package var steps: Int { statements.values.reduce(0) { $0 + $1.steps } }

    /// How SQLite runs each statement that was prepared: its text, and the steps of its plan.
    package func plans() throws(SQLiteError) -> [String: [String]] {
        var plans: [String: [String]] = [:]
        for text in statements.keys.map(\.text) where !text.hasPrefix("PRAGMA") {
            var handle: OpaquePointer?
            let code = unsafe sqlite3_prepare_v2(database, "EXPLAIN QUERY PLAN \(text)", -1, &handle, nil)
            guard code == SQLITE_OK, let handle = unsafe handle else { throw SQLiteError(code: code) }
            let statement = unsafe SQLiteStatement(handle, journals)
            var steps: [String] = []
            while try statement.step() { steps.append(statement.text(3) ?? "") }
            plans[text] = steps
        }
        return plans
    }
}

extension StaticString {
    /// The address of a literal.
    fileprivate struct Key: Hashable {
        private let address: Int
        private let string: StaticString

        init(_ string: StaticString) {
            address = Int(bitPattern: unsafe string.utf8Start)
            self.string = string
        }

        var text: String { "\(string)" }
        static func == (a: Key, b: Key) -> Bool { a.address == b.address }
        func hash(into hasher: inout Hasher) { hasher.combine(address) }
    }
}
