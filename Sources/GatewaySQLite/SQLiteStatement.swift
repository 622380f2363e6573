internal import CSQLite

/// A prepared statement.
@safe package final class SQLiteStatement {
    private let handle: OpaquePointer
    /// The VFS of the connection, which SQLite closes after its last statement.
    private let journals: JournalFileSystem?

    init(_ handle: OpaquePointer, _ journals: JournalFileSystem?) {
        unsafe self.handle = unsafe handle
        self.journals = journals
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Makes the statement ready to be run again, and drops its values.
    package func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    /// Runs the statement to the next row.
    ///
    /// - Returns: whether there is one.
    package func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw unsafe SQLiteError(code: code, of: sqlite3_db_handle(handle))
        }
    }

    /// Runs the statement to its end, and makes it ready to be run again.
    package func run() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    /// The number of steps of SQLite's machine that the statement has taken.
    var steps: Int { Int(unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    // MARK: Values

    /// Sets a parameter, counted from 1.
    package func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_int64(handle, index, value))
    }

    /// Sets a parameter, counted from 1.
    package func bind(_ bytes: [UInt8], at index: Int32) throws(SQLiteError) {
        try check(unsafe csqlite_bind_blob(handle, index, bytes, UInt64(bytes.count)))
    }

    /// Sets a parameter, counted from 1, to a text.
    package func bind(_ text: String, at index: Int32) throws(SQLiteError) {
        try check(unsafe csqlite_bind_text(handle, index, text, Int32(clamping: text.utf8.count)))
    }

    /// Sets a parameter, counted from 1, to NULL.
    package func bindNull(at index: Int32) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_null(handle, index))
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code: code) }
    }

    // MARK: Columns

    /// A column of the row, counted from 0.
    package func int64(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    /// A column of the row, counted from 0.
    package func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Whether a column of the row, counted from 0, is NULL.
    package func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// A column of the row, counted from 0; `nil` for NULL.
    package func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

    /// A column of the row, counted from 0; `nil` for NULL and for what is not UTF-8.
    package func text(_ column: Int32) -> String? {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
