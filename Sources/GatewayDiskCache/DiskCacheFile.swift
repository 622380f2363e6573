import CSQLite
private import GatewayLibC
import GatewayResilience
import GatewaySQLite

/// Creates, checks and removes the file of a store.
struct DiskCacheFile {
    /// "GWch": distinguishes the files from those of other programs.
    static let application: Int64 = 0x4757_6368
    /// The version of the schema. A file of an earlier version, without changes or ended owners, is emptied.
    static let version: Int64 = 3
    static let pageBytes = 4_096
    /// The maximum wait of a statement for another process.
    static let busyTimeout = Duration.milliseconds(50)
    /// The number of attempts to open the file while other processes open or write it.
    private static let mostAttempts = 10
    /// The maximum size of the log, in bytes. Beyond it nothing is stored until it is emptied.
    static let logLimit = 2 << 20
    /// The maximum size of the log, in bytes, for writing invalidations.
    static let longestLog = 4 * logLimit

    let path: String
    let isReadOnly: Bool
    /// The name of a registered VFS of SQLite; `nil` for the default one.
    var fileSystem: String?

    /// Opens the file, and creates it if it is missing.
    func connect(pageLimit: Int) throws(CacheStoreError) -> SQLiteConnection {
        if !isReadOnly { try prepare() }
        var attempts = 1
        while true {
            do throws(SQLiteError) {
                if let connection = try attempt(pageLimit) { return connection }
                break
            } catch {
                guard error.isBusy, attempts < Self.mostAttempts else { throw error.storeError }
                attempts += 1
            }
        }
        // A SQLite file is never that short: the number is the rest of one of this store.
        guard byteCount >= 512 else { throw SQLiteError(code: SQLITE_CORRUPT).storeError }
        throw CacheStoreError(
            .unsupportedVersion, "The file of the cache was written by a later version or another program.")
    }

    /// Opens the file; `nil` if it is not a file of this version.
    private func attempt(_ pageLimit: Int) throws(SQLiteError) -> SQLiteConnection? {
        let connection = try SQLiteConnection(
            path: path, isReadOnly: isReadOnly, busyTimeout: Self.busyTimeout, fileSystem: fileSystem)
        let application = try connection.number("PRAGMA application_id")
        let version = try connection.number("PRAGMA user_version")
        let isNew =
            if application == 0, version == 0 {
                try connection.number("SELECT count(*) FROM sqlite_schema") == 0
            } else { false }
        let isOlder =
            application == Self.application && (1..<Self.version).contains(version) && !isReadOnly
        guard isNew || isOlder || application == Self.application && version == Self.version
        else { return nil }
        try configure(connection, pageLimit)
        if isNew || isOlder { try create(connection) }
        return connection
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

    /// Creates the tables, unless another process has created them in the meantime.
    ///
    /// The counter begins with a random number, so that generations of a replaced file are not valid for
    /// this one.
    private func create(_ connection: SQLiteConnection) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            guard try connection.number("PRAGMA user_version") < Self.version else { return }
            try connection.execute(
                """
                DROP TABLE IF EXISTS head;
                DROP TABLE IF EXISTS body;
                DROP TABLE IF EXISTS counter;
                DROP TABLE IF EXISTS changed;
                DROP TABLE IF EXISTS ended;
                DROP TABLE IF EXISTS part;
                CREATE TABLE head (
                    id INTEGER PRIMARY KEY, key BLOB NOT NULL, owner BLOB NOT NULL, head BLOB NOT NULL,
                    used INTEGER NOT NULL, number INTEGER NOT NULL
                );
                CREATE INDEX head_key ON head (key);
                CREATE INDEX head_owner ON head (owner);
                CREATE INDEX head_used ON head (used);
                CREATE TABLE body (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
                CREATE TABLE counter (
                    id INTEGER PRIMARY KEY, last INTEGER NOT NULL, floor INTEGER NOT NULL,
                    unerased INTEGER NOT NULL
                );
                INSERT INTO counter (id, last, floor, unerased) VALUES (1, abs(random() / 4), 0, 0);
                UPDATE counter SET floor = last;
                CREATE TABLE changed (place BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE ended (owner BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE gone (owner BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE part (part BLOB, owner BLOB, PRIMARY KEY (part, owner)) WITHOUT ROWID;
                PRAGMA application_id = \(Self.application);
                PRAGMA user_version = \(Self.version);
                """)
        }
    }

    /// The size of the file, in bytes.
    var byteCount: Int { Self.byteCount(of: path) }

    /// The size of the log, in bytes, determined without opening it.
    var logBytes: Int { Self.byteCount(of: path + "-wal") }

    private static func byteCount(of path: String) -> Int {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Creates the file with mode 0600, or removes the access of other users.
    ///
    /// An existing file is not opened here: closing it would release the locks of other connections of the
    /// process.
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

    /// Removes a damaged file, unless it may belong to another program.
    ///
    /// - Returns: whether it was removed.
    func removeDamaged() -> Bool {
        !isReadOnly && isOurs && removeFiles()
    }

    /// Removes the file and its log, unless others use it. This needs no space on a full disk.
    ///
    /// - Returns: whether it was removed.
    func removeUnused() -> Bool {
        guard !isReadOnly else { return false }
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(
                path: path, isReadOnly: false, busyTimeout: Self.busyTimeout, fileSystem: fileSystem)
            // No other connection can use the file from here on. When its connection is closed, SQLite does
            // not write to a removed file.
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;")
            guard try connection.number("PRAGMA application_id") == Self.application else { return false }
            return withExtendedLifetime(connection) { removeFiles() }
        } catch { return false }
    }

    private func removeFiles() -> Bool {
        for suffix in ["-wal", "-shm", ""] where unsafe unlink(path + suffix) != 0 && errno != ENOENT {
            return false
        }
        return true
    }

    /// Whether the file has this store's number, or none and the header of a SQLite file. Damage in one
    /// place leaves the other intact.
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
