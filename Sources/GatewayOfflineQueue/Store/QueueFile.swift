private import GatewayLibC
import GatewaySQLite

/// Creates and checks the file of a store.
struct QueueFile {
    /// The maximum wait of a transaction for one of another process.
    static let busyTimeout = Duration.seconds(10)
    /// The interval at which a waiting transaction checks whether the path still names the file.
    static let busySlice = Duration.milliseconds(200)

    let path: String
    let fileSystem: String?
    /// The number after which those of the entries of a new file begin; `nil` for a random one, so that the numbers of
    /// a file that was lost are not used again.
    var start: Int64?
    var kind: (String) -> QueueFileSystem? = QueueFileSystem.of

    /// The identity of a file.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    /// An open file.
    struct Opened {
        let connection: SQLiteConnection
        let identity: Identity
    }

    /// The attributes of a file, read without opening it, because closing it would release the locks of the process.
    struct Status {
        let identity: Identity
        /// Whether it has no bytes.
        let isEmpty: Bool
        /// Whether it has other names.
        let isLinked: Bool
    }

    /// The file that the path names; `nil` for none.
    var status: Status? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return Status(
            identity: Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)),
            isEmpty: status.st_size == 0, isLinked: status.st_nlink > 1)
    }

    /// The identity of the file that the path names; `nil` for none.
    var identity: Identity? { status?.identity }

    var directory: String { path.directoryPath }

    /// Whether the directory is gone. It may be a symbolic link.
    private var lacksDirectory: Bool {
        var status = stat()
        return unsafe stat(directory, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// Whether the file is gone with its directory, or the path names something else that is not a file, such as a
    /// directory or a pipe.
    var isLost: Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return lacksDirectory }
        return status.st_mode & S_IFMT != S_IFREG
    }

    /// Whether the file asks for a later version of SQLite. Ours never do.
    var hasDamagedHeader: Bool {
        let bytes = try? SQLiteConnection(path: path, isReadOnly: true, fileSystem: fileSystem)
            .fileBytes(at: 18, count: 2)
        return bytes?.contains { $0 > 2 } ?? false
    }

    /// Opens the file; creates it if it is missing.
    ///
    /// - Throws: ``SQLiteError`` as `.sqlite` if SQLite cannot use the file.
    func connect() throws(Failure) -> Opened {
        do throws(QueueError) { try prepare() } catch { throw .queue(error) }
        do throws(SQLiteError) {
            let identity = identity
            let connection = try SQLiteConnection(
                path: path, isReadOnly: false, busyTimeout: Self.busySlice, fileSystem: fileSystem,
                keepsJournal: true)
            // Another process may have replaced a damaged file in the meantime.
            guard let identity, identity == self.identity else { throw .moved }
            // With TRUNCATE a commit ends with a sync. In DELETE mode it ends with an unlink that is not synced, and
            // WAL must not be shared by processes in the versions of SQLite that distributions have.
            try connection.execute(
                """
                PRAGMA page_size = \(QueueSchema.pageBytes);
                PRAGMA journal_mode = TRUNCATE;
                PRAGMA synchronous = FULL;
                PRAGMA secure_delete = ON;
                PRAGMA cache_size = -4096;
                """)
            let isOurs = try connection.transaction(waitsOn: waiting(for: identity)) {
                () throws(SQLiteError) -> Bool in
                let application = try connection.number("PRAGMA application_id")
                let version = try connection.number("PRAGMA user_version")
                if application == 0, version == 0,
                    try connection.number("SELECT count(*) FROM sqlite_schema") == 0
                {
                    try connection.execute(QueueSchema.sql)
                    let first = QueueMeta(lastID: start ?? Int64.random(in: 0..<(1 << 40)))
                    try connection.run("UPDATE meta SET bytes = ?", .bytes(first.encoded))
                    return true
                }
                guard application == QueueSchema.application, version == QueueSchema.version else {
                    return false
                }
                let definitions = try connection.statement(
                    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
                defer { definitions.reset() }
                var found: [String?] = []
                while try definitions.step() { found.append(definitions.text(0)) }
                guard found == QueueSchema.definitions else { throw .corrupt }
                return true
            }
            if isOurs { return Opened(connection: connection, identity: identity) }
        } catch { throw .sqlite(error) }
        throw .queue(
            QueueError(
                .unsupportedVersion,
                "The file of the queue was written by a later version or another program."))
    }

    /// Why a file cannot be used.
    enum Failure: Error {
        case sqlite(SQLiteError)
        case queue(QueueError)

        var queueError: QueueError {
            switch self {
            case .sqlite(let error): error.queueError
            case .queue(let error): error
            }
        }
    }

    /// Whether a transaction continues to wait: while the path names the file, until the busy timeout.
    func waiting(for identity: Identity) -> () -> Bool {
        let end = ContinuousClock.now.advanced(by: Self.busyTimeout)
        return { self.identity == identity && ContinuousClock.now < end }
    }

    /// Creates the file with mode 0600, or removes the access of other users.
    ///
    /// A file that exists is not opened here: closing it would end the locks of other connections of the process.
    private func prepare() throws(QueueError) {
        if let name = kind(directory)?.remoteName {
            throw .invalid(
                "path",
                "must be on a local disk; \(name) is a network file system, whose locks are not reliable")
        }
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

    /// Syncs the directory, which makes the name of a new file durable.
    func syncDirectory() throws(QueueError) {
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
        if code == SQLiteError.cannotOpen.code {
            return QueueError(
                .unavailable,
                "A file of the queue cannot be opened for reading and writing (SQLite result code \(code)).")
        }
        return QueueError(.unavailable, "The file of the queue cannot be used (SQLite result code \(code)).")
    }
}
