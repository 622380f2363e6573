import CSQLite
import GatewayResilience
import GatewaySQLite

extension SQLiteError {
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
