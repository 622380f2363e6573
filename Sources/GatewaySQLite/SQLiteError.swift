internal import CSQLite

/// A result code of SQLite. Its messages are not kept: they may have values in them.
package struct SQLiteError: Error {
    /// The extended result code.
    package let code: Int32

    package init(code: Int32) { self.code = code }

    /// There is no room for more.
    package static let full = SQLiteError(code: SQLITE_FULL)
    /// A file cannot be opened or made.
    package static let cannotOpen = SQLiteError(code: SQLITE_CANTOPEN)
    /// The system did not write what it was given (SQLITE_IOERR_FSYNC, a macro that Swift does not import).
    package static let syncFailure = SQLiteError(code: SQLITE_IOERR | 4 << 8)

    /// The primary result code.
    package var primary: Int32 { code & 0xff }

    /// Whether the file is damaged.
    package var isCorruption: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// Whether there is no room for more.
    package var isFull: Bool { primary == SQLITE_FULL }

    /// Whether the system did not write what it was given. What it holds in memory may differ from the disk then.
    package var isSyncFailure: Bool {
        // SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC, macros that Swift does not import.
        primary == SQLITE_IOERR && (3...5).contains(code >> 8)
    }
}
