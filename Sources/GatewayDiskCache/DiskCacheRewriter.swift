import GatewaySQLite

/// Writes the file of a store anew, on a thread of its own: the thread of the store reads meanwhile.
///
/// SQLite overwrites rows that are deleted. When it moves rows from one page to another, which it does to keep its trees
/// balanced, it leaves copies of them in the unused parts of pages, which only `VACUUM` removes.
actor DiskCacheRewriter {
    /// The size of a file, in bytes, up to which it is copied in memory, otherwise in a temporary file.
    private static let largestInMemory = 64 << 20

    private let thread = DiskThread()

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init() {}

    deinit { thread.finish() }

    /// Writes the file anew. Nobody else can write meanwhile.
    func rewrite(_ file: DiskCacheFile) throws(SQLiteError) {
        let connection = try SQLiteConnection(path: file.path, isReadOnly: false, fileSystem: file.fileSystem)
        let place = file.byteCount <= Self.largestInMemory ? "MEMORY" : "DEFAULT"
        try connection.execute("PRAGMA secure_delete = ON; PRAGMA temp_store = \(place); VACUUM;")
    }
}
