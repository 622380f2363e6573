import CSQLite
import GatewayResilience
import GatewaySQLite

extension SQLiteError {
    /// Whether the connection may fail from now on: the system has failed to open, read, write or lock one
    /// of its files, has opened its log read-only, or another process was about to recover the log
    /// (SQLITE_BUSY_RECOVERY, a macro that Swift does not import).
    var mayLast: Bool {
        primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || isReadOnly || code == SQLITE_BUSY | 1 << 8
    }

    /// Whether there is no space, including for the index of the log (SQLITE_IOERR_SHMSIZE, another such
    /// macro).
    private var lacksRoom: Bool { primary == SQLITE_FULL || code == SQLITE_IOERR | 19 << 8 }

    /// The error of the store.
    var storeError: CacheStoreError {
        switch primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            CacheStoreError(.corrupt, "The file of the cache is damaged (SQLite result code \(code)).")
        case _ where lacksRoom:
            CacheStoreError(.full, "There is no room for the cache (SQLite result code \(code)).")
        default:
            CacheStoreError(
                .unavailable, "The file of the cache cannot be used (SQLite result code \(code)).")
        }
    }
}
