import GatewaySQLite

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The file of a store: how it is made and checked.
struct QueueFile {
    /// "GWqu": tells our files from those of other programs.
    static let application: Int64 = 0x4757_7175
    /// The version of the schema.
    static let version: Int64 = 1
    /// How long a transaction waits for one of another process.
    static let busyTimeout = Duration.seconds(10)

    let path: String
    let fileSystem: String?

    /// Opens the file and makes it where it is missing.
    func connect() throws(QueueError) -> SQLiteConnection {
        try prepare()
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(
                path: path, isReadOnly: false, busyTimeout: Self.busyTimeout, fileSystem: fileSystem)
            // With TRUNCATE a commit ends with a sync. In DELETE mode it ends with an unlink that is not synced, and WAL
            // must not be shared by processes in the versions of SQLite that distributions have.
            try connection.execute(
                "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;")
            let isOurs = try connection.transaction { () throws(SQLiteError) -> Bool in
                let application = try connection.number("PRAGMA application_id")
                let version = try connection.number("PRAGMA user_version")
                if application == 0, version == 0,
                    try connection.number("SELECT count(*) FROM sqlite_schema") == 0
                {
                    try connection.execute(Self.schema)
                    return true
                }
                return application == Self.application && version == Self.version
            }
            if isOurs { return connection }
        } catch { throw error.queueError }
        throw QueueError(
            .unsupportedVersion, "The file of the queue was written by a later version or another program.")
    }

    private static let schema = """
        CREATE TABLE meta (newest INTEGER NOT NULL, lastID INTEGER NOT NULL);
        INSERT INTO meta VALUES (-9223372036854775808, 0);
        CREATE TABLE parked (account TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY, state INTEGER NOT NULL, priority INTEGER NOT NULL, account TEXT,
            origin TEXT NOT NULL, idempotency TEXT NOT NULL, deduplication TEXT, ordering TEXT,
            size INTEGER NOT NULL, stored INTEGER NOT NULL, expires INTEGER NOT NULL,
            changed INTEGER NOT NULL, notBefore INTEGER, firstSent INTEGER, firstAttempt INTEGER NOT NULL,
            repeatEnd INTEGER, attempts INTEGER NOT NULL, owner INTEGER, reason TEXT, item BLOB NOT NULL
        );
        CREATE INDEX entry_state ON entry (state, priority, id);
        CREATE INDEX entry_size ON entry (state, size);
        CREATE INDEX entry_due ON entry (notBefore) WHERE state = 1;
        CREATE INDEX entry_owner ON entry (owner) WHERE state = 2;
        CREATE INDEX entry_idempotency ON entry (idempotency);
        CREATE INDEX entry_deduplication ON entry (deduplication) WHERE deduplication IS NOT NULL;
        CREATE INDEX entry_ordering ON entry (ordering, account, id) WHERE ordering IS NOT NULL AND state <= 4;
        CREATE INDEX entry_account ON entry (account, state);
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """

    /// Makes the file with mode 0600, or takes access of others away.
    ///
    /// A file that exists is not opened here: closing it would end the locks of other connections of the process.
    private func prepare() throws(QueueError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            let descriptor = Self.openFile(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                if errno == EEXIST { return }
                throw QueueError(.unavailable, "The file of the queue cannot be made (errno \(errno)).")
            }
            _ = close(descriptor)
            return try syncDirectory()
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw QueueError(.unavailable, "The path of the queue is not that of a file of this user.")
        }
        guard unsafe status.st_mode & 0o777 == 0o600 || chmod(path, 0o600) == 0 else {
            throw QueueError(.unavailable, "Others may read the file of the queue.")
        }
    }

    /// Makes the name of a new file durable.
    private func syncDirectory() throws(QueueError) {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = Self.openFile(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { _ = close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw QueueError(.unavailable, "The directory of the queue cannot be synced (errno \(errno)).")
        }
    }

    private static func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
        unsafe open(path, flags, mode)
    }
}

extension SQLiteError {
    /// The error of the queue.
    var queueError: QueueError {
        if isCorruption {
            return QueueError(.corrupt, "The file of the queue is damaged (SQLite result code \(code)).")
        }
        if isFull { return QueueError(.full, "There is no room for the queue (SQLite result code \(code)).") }
        return QueueError(.unavailable, "The file of the queue cannot be used (SQLite result code \(code)).")
    }
}
