import GatewaySQLite

/// Rewrites the file of a store on a separate thread, so that the thread of the store can read in the
/// meantime.
///
/// SQLite overwrites deleted rows. When it moves rows between pages to balance its trees, it leaves copies
/// of them in the unused parts of pages, which only `VACUUM` removes.
actor DiskCacheRewriter {
    /// The maximum size of a file, in bytes, that is copied in memory; larger ones are copied in a temporary
    /// file.
    private static let largestInMemory = 64 << 20

    private let thread = DiskThread()

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init() {}

    deinit { thread.finish() }

    /// Rewrites the file. No other process can write in the meantime.
    func rewrite(_ file: DiskCacheFile) throws(SQLiteError) {
        let connection = try SQLiteConnection(path: file.path, isReadOnly: false, fileSystem: file.fileSystem)
        let place = file.byteCount <= Self.largestInMemory ? "MEMORY" : "DEFAULT"
        try connection.execute("PRAGMA secure_delete = ON; PRAGMA temp_store = \(place); VACUUM;")
    }
}
