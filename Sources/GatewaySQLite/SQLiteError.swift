internal import CSQLite

/// A result code of SQLite. Its messages are not kept: they may have values in them.
package struct SQLiteError: Error {
    /// The extended result code.
    package let code: Int32

    package init(code: Int32) { self.code = code }

    /// The error of a call that a connection has made.
    init(code: Int32, of database: OpaquePointer?) { self.code = unsafe csqlite_code(database, code) }

    /// There is no room for more.
    package static let full = SQLiteError(code: SQLITE_FULL)
    /// The file is damaged.
    package static let corrupt = SQLiteError(code: SQLITE_CORRUPT)
    /// A file cannot be opened or made.
    package static let cannotOpen = SQLiteError(code: SQLITE_CANTOPEN)
    /// The system did not write what it was given (SQLITE_IOERR_FSYNC, a macro that Swift does not import).
    package static let syncFailure = SQLiteError(code: SQLITE_IOERR | 4 << 8)

    /// The primary result code.
    package var primary: Int32 { code & 0xff }

    /// Whether the file is damaged.
    package var isCorruption: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// Whether the system did not read what it was asked for: nothing is known of what is there. Where the connection goes on, it
    /// takes a later damage for such an error.
    package var isReadFailure: Bool {
        // SQLITE_IOERR_READ and SQLITE_IOERR_CORRUPTFS, macros that Swift does not import.
        primary == SQLITE_IOERR && [1, 33].contains(code >> 8)
    }

    /// Whether another connection uses the file.
    package var isBusy: Bool { primary == SQLITE_BUSY }

    /// Whether the file has another name now, or none (SQLITE_READONLY_DBMOVED).
    package var isMoved: Bool { code == Self.moved.code }

    /// The file has another name now, or none.
    package static let moved = SQLiteError(code: SQLITE_READONLY | 4 << 8)

    /// Whether statements that are right in themselves do not fit the file.
    package var isMismatch: Bool {
        [SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_FORMAT].contains(primary)
    }

    /// Whether the file may only be read.
    package var isReadOnly: Bool { primary == SQLITE_READONLY }

    /// Whether there is no room for more.
    package var isFull: Bool { primary == SQLITE_FULL }

    /// Whether the system did not write what it was given. What it holds in memory may differ from the disk then.
    package var isSyncFailure: Bool {
        // SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC, macros that Swift does not import.
        primary == SQLITE_IOERR && (3...5).contains(code >> 8)
    }
}
