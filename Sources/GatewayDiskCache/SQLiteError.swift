import CSQLite
import GatewayResilience

/// A result code of SQLite. Its messages are not kept: they may have values in them.
struct SQLiteError: Error {
    /// The extended result code.
    let code: Int32

    /// The primary result code.
    var primary: Int32 { code & 0xff }

    /// Whether the file is damaged.
    var isCorruption: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// The error of the store.
    var storeError: CacheStoreError {
        switch primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            CacheStoreError(.corrupt, "The file of the cache is damaged (SQLite result code \(code)).")
        case SQLITE_FULL:
            CacheStoreError(.full, "There is no room for the cache (SQLite result code \(code)).")
        default:
            CacheStoreError(
                .unavailable, "The file of the cache cannot be used (SQLite result code \(code)).")
        }
    }
}
