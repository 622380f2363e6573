import BenchmarkClients
import CSQLite

/// SQLite as a program uses it that needs durable rows and no queue: one table with one index, prepared statements, and a commit
/// for each row, in the journal mode of the queue.
@safe final class BareSQLite {
    private var database: OpaquePointer?
    private var statements = unsafe [OpaquePointer?]()
    private var last: Int64 = 0

    init(path: String) throws(BenchmarkFailure) {
        try unsafe check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil))
        for sql in [
            "PRAGMA journal_mode = TRUNCATE", "PRAGMA synchronous = FULL",
            "CREATE TABLE row (id INTEGER PRIMARY KEY, state INTEGER NOT NULL, created INTEGER NOT NULL, bytes BLOB NOT NULL)",
            "CREATE INDEX row_state ON row (state, id)",
        ] {
            try check(unsafe sqlite3_exec(database, sql, nil, nil, nil))
        }
        for sql in ["BEGIN IMMEDIATE", "INSERT INTO row VALUES (?, 0, ?, ?)", "COMMIT"] {
            var statement: OpaquePointer?
            try check(unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil))
            unsafe statements.append(statement)
        }
    }

    deinit {
        for index in unsafe statements.indices { unsafe sqlite3_finalize(statements[index]) }
        unsafe sqlite3_close(database)
    }

    /// Stores a row durably.
    func commit(_ bytes: [UInt8]) throws(BenchmarkFailure) {
        last += 1
        let insert = unsafe statements[1]
        try check(unsafe sqlite3_bind_int64(insert, 1, last))
        try check(unsafe sqlite3_bind_int64(insert, 2, last))
        let copy = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code = unsafe bytes.withUnsafeBytes { bytes in
            unsafe sqlite3_bind_blob(insert, 3, bytes.baseAddress, Int32(bytes.count), copy)
        }
        try check(code)
        for index in unsafe statements.indices {
            let code = unsafe sqlite3_step(statements[index])
            guard code == SQLITE_DONE else { throw failure(code) }
            unsafe sqlite3_reset(statements[index])
        }
    }

    private func check(_ code: Int32) throws(BenchmarkFailure) {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> BenchmarkFailure { .failed("SQLite fails with \(code)") }
}
