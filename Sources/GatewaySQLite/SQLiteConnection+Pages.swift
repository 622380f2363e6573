internal import CSQLite

/// The pages of a file, read without its tables: for files that SQLite cannot read any more.
extension SQLiteConnection {
    /// Locks the file against all other connections, until this one is closed. It must not have been used before.
    ///
    /// - Parameter patience: how long others are waited for.
    package func lockFile(within patience: Duration) throws(SQLiteError) {
        let end = ContinuousClock.now.advanced(by: patience)
        while true {
            let code = unsafe csqlite_lock(handle)
            if code == SQLITE_OK { return }
            guard code & 0xff == SQLITE_BUSY, ContinuousClock.now < end else { throw SQLiteError(code: code) }
            sqlite3_sleep(5)
        }
    }

    /// The size of the file in bytes.
    package func fileByteCount() throws(SQLiteError) -> Int {
        var count: Int64 = 0
        let code = unsafe csqlite_size(handle, &count)
        guard code == SQLITE_OK else { throw SQLiteError(code: code) }
        return Int(clamping: count)
    }

    /// Bytes of the file. What is behind its end is zeros.
    package func fileBytes(at offset: Int, count: Int) throws(SQLiteError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let code = unsafe csqlite_read(handle, &bytes, Int32(clamping: count), Int64(offset))
        guard code == SQLITE_OK else { throw SQLiteError(code: code) }
        return bytes
    }
}
