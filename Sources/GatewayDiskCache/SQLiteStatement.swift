import CSQLite

/// A prepared statement.
@safe final class SQLiteStatement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = unsafe handle }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Makes the statement ready to be run again, and drops its values.
    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    /// Runs the statement to the next row.
    ///
    /// - Returns: whether there is one.
    func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw SQLiteError(code: code)
        }
    }

    /// Runs the statement to its end, and makes it ready to be run again.
    func run() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    // MARK: Values

    /// Sets a parameter, counted from 1.
    func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_int64(handle, index, value))
    }

    /// Sets a parameter, counted from 1.
    func bind(_ bytes: [UInt8], at index: Int32) throws(SQLiteError) {
        try check(unsafe csqlite_bind_blob(handle, index, bytes, UInt64(bytes.count)))
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code: code) }
    }

    // MARK: Columns

    /// A column of the row, counted from 0.
    func int64(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    /// A column of the row, counted from 0.
    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
