import CSQLite
import GatewayResilience
import GatewaySQLite

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The file of a store: how it is made, checked and removed.
struct DiskCacheFile {
    /// "GWch": tells our files from those of other programs.
    static let application: Int64 = 0x4757_6368
    /// The version of the schema.
    static let version: Int64 = 1
    static let pageBytes = 4_096

    let path: String
    let isReadOnly: Bool

    /// Opens the file and makes it where it is missing.
    func connect(pageLimit: Int) throws(CacheStoreError) -> SQLiteConnection {
        if !isReadOnly { try prepare() }
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(path: path, isReadOnly: isReadOnly)
            let application = try connection.number("PRAGMA application_id")
            let version = try connection.number("PRAGMA user_version")
            let isNew =
                if application == 0, version == 0 {
                    try connection.number("SELECT count(*) FROM sqlite_schema") == 0
                } else { false }
            if isNew || application == Self.application && version == Self.version {
                try configure(connection, pageLimit)
                if isNew { try create(connection) }
                return connection
            }
        } catch {
            throw error.storeError
        }
        // No file of SQLite is that short: the number is what is left of ours.
        guard byteCount >= 512 else { throw SQLiteError(code: SQLITE_CORRUPT).storeError }
        throw CacheStoreError(
            .unsupportedVersion, "The file of the cache was written by a later version or another program.")
    }

    private func configure(_ connection: SQLiteConnection, _ pageLimit: Int) throws(SQLiteError) {
        guard !isReadOnly else { return }
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA secure_delete = ON;
            PRAGMA wal_autocheckpoint = 256;
            PRAGMA journal_size_limit = 1048576;
            PRAGMA max_page_count = \(pageLimit);
            """)
    }

    private func create(_ connection: SQLiteConnection) throws(SQLiteError) {
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            CREATE TABLE IF NOT EXISTS head (
                id INTEGER PRIMARY KEY, key BLOB NOT NULL, owner BLOB NOT NULL, head BLOB NOT NULL,
                used INTEGER NOT NULL
            );
            CREATE INDEX IF NOT EXISTS head_key ON head (key);
            CREATE INDEX IF NOT EXISTS head_owner ON head (owner);
            CREATE INDEX IF NOT EXISTS head_used ON head (used);
            CREATE TABLE IF NOT EXISTS body (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
            PRAGMA application_id = \(Self.application);
            PRAGMA user_version = \(Self.version);
            COMMIT;
            """)
    }

    private var byteCount: Int {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Makes the file with mode 0600, or takes access of others away.
    ///
    /// A file that exists is not opened here: closing it would end the locks of other connections of the process.
    private func prepare() throws(CacheStoreError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            let descriptor = Self.openFile(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                if errno == EEXIST { return }
                throw CacheStoreError(.unavailable, "The file of the cache cannot be made (errno \(errno)).")
            }
            _ = close(descriptor)
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw CacheStoreError(.unavailable, "The path of the cache is not that of a file of this user.")
        }
        guard unsafe status.st_mode & 0o777 == 0o600 || chmod(path, 0o600) == 0 else {
            throw CacheStoreError(.unavailable, "Others may read the file of the cache.")
        }
    }

    /// Removes a damaged file, unless it may be one of another program.
    ///
    /// - Returns: whether it is gone.
    func removeDamaged() -> Bool {
        guard !isReadOnly, isOurs else { return false }
        for suffix in ["-wal", "-shm", ""] where unsafe unlink(path + suffix) != 0 && errno != ENOENT {
            return false
        }
        return true
    }

    /// Whether the file has our number, or none and the beginning of a SQLite file. Damage in one place leaves the other.
    private var isOurs: Bool {
        let descriptor = Self.openFile(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 72)
        let count = max(0, unsafe read(descriptor, &bytes, 72))
        let number = count < 72 ? 0 : bytes[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return number == Self.application
            || number == 0
                && bytes.prefix(min(count, 16)).elementsEqual("SQLite format 3\0".utf8.prefix(count))
    }

    private static func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
        unsafe open(path, flags, mode)
    }
}
