import GatewayCore
private import GatewayLibC

/// The directory of a ``FileTokenStore``. All operations block.
struct TokenDirectory: Sendable {
    enum File: String {
        case record = "json"
        case next = "new"
        case reserved
        case mark
        case sender
        case lock
        case swap
    }

    let path: String
    let onStep: (@Sendable (TokenFileStep) -> Void)?

    static func name(_ file: File, of key: TokenKey) -> String { key.digest + "." + file.rawValue }

    /// The system's message for an `errno` value.
    static func text(_ code: Int32) -> String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }

    func failure(_ what: String, _ code: Int32 = errno) -> NetworkError {
        .storeFailed("\(what) in \(path): \(Self.text(code)).")
    }

    func refusal(_ what: String) -> NetworkError {
        NetworkError(.misconfigured, "The token store refuses \(path): \(what).")
    }

    // MARK: The directory

    /// Opens the directory, creates it if it is missing, and closes it after the closure.
    func inside<Result>(
        _ body: (Int32) throws(NetworkError) -> Result
    ) throws(NetworkError) -> Result {
        var directory = openDirectory()
        if directory < 0, errno == ENOENT {
            guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw failure("The directory cannot be created")
            }
            directory = openDirectory()
        }
        guard directory >= 0 else {
            if errno == ELOOP || errno == ENOTDIR {
                throw refusal("it is a symbolic link, or not a directory")
            }
            throw failure("The directory cannot be opened")
        }
        defer { close(directory) }
        var status = stat()
        guard unsafe fstat(directory, &status) == 0 else { throw failure("The directory cannot be read") }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw refusal("another user owns it")
        }
        guard status.st_mode & 0o022 == 0 else { throw refusal("other users can write to it") }
        return try body(directory)
    }

    private func openDirectory() -> Int32 {
        unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    /// Opens a file of the directory. It must be a regular file that only its owner, this user, may read. `nil` if it
    /// does not exist.
    func openFile(_ name: String, in directory: Int32, _ flags: Int32) throws(NetworkError) -> Int32? {
        // Without O_NONBLOCK, opening a named pipe would wait for another process to open it.
        let descriptor = unsafe openat(
            directory, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600 as mode_t)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP, EISDIR, ENXIO: throw refusal("a token file is not a regular file")
            case EACCES, EPERM: throw refusal("permission to open a token file is denied")
            default: throw failure("A token file cannot be opened")
            }
        }
        var status = stat()
        let isKnown = unsafe fstat(descriptor, &status) == 0
        if isKnown, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        {
            return descriptor
        }
        close(descriptor)
        guard isKnown else { throw failure("A token file cannot be read") }
        throw refusal("a token file is not a regular file, or other users can read it or own it")
    }

    // MARK: Locks

    /// Opens one of a key's lock files.
    func openLock(_ file: File, of key: TokenKey) throws(NetworkError) -> FileLock {
        try inside { directory throws(NetworkError) in
            let descriptor = try openFile(Self.name(file, of: key), in: directory, O_RDWR | O_CREAT)
            guard let descriptor else { throw failure("A lock file cannot be created", ENOENT) }
            return FileLock(descriptor, path: path + "/" + Self.name(file, of: key))
        }
    }

    // MARK: Records

    /// Returns the record of a key, or a replacement for a lost one according to its mark; `nil` if there never was
    /// one.
    func load(_ key: TokenKey) throws(NetworkError) -> StoredToken? {
        try inside { directory throws(NetworkError) in
            // The mark is read first: a record written in between is newer than the mark.
            let mark = try readMark(of: key, in: directory)
            return TokenMark.resolve(try readRecord(of: key, in: directory), mark, for: key)
        }
    }

    func readRecord(of key: TokenKey, in directory: Int32) throws(NetworkError) -> FoundRecord {
        guard let file = try openFile(Self.name(.record, of: key), in: directory, O_RDONLY) else {
            return .absent
        }
        defer { close(file) }
        let bytes = try readAll(file)
        do {
            return .whole(try StoredToken.read(bytes, for: key))
        } catch {
            if error == .torn { return .torn(generation: 0) }
            throw refusal("a token file belongs to another key, or has a newer format")
        }
    }

    func readAll(_ file: Int32) throws(NetworkError) -> [UInt8] {
        do throws(SystemFailure) {
            return try FileBytes.readAll(of: file, upToBytes: StoredToken.maximumBytes)
        } catch {
            throw failure("A token file cannot be read", error.code)
        }
    }

    /// Replaces the record durably.
    ///
    /// - Parameters:
    ///   - space: the space reserved for it, if any.
    ///   - lock: the key's `swap` lock, which the caller holds.
    func replace(
        _ key: TokenKey, with bytes: [UInt8], in space: ReservedSpace?, under lock: FileLock
    ) throws(NetworkError) {
        try inside { directory throws(NetworkError) in
            let identity = FileIdentity(of: directory)
            if let space, isThere(space, of: key) {
                guard lseek(space.descriptor, 0, SEEK_SET) == 0 else {
                    throw failure("A token file cannot be written")
                }
                let name = Self.name(.reserved, of: key)
                try fill(space.descriptor, name, with: bytes, of: key, directory, lock)
            } else {
                let file = try makeFile(Self.name(.next, of: key), in: directory)
                defer { close(file) }
                try fill(file, Self.name(.next, of: key), with: bytes, of: key, directory, lock)
            }
            guard identity == FileIdentity(path: path) else {
                throw .storeFailed("The directory was replaced while a token was stored in \(path).")
            }
        }
    }

    /// Creates a file; replaces one that an interrupted writer has left.
    func makeFile(_ name: String, in directory: Int32) throws(NetworkError) -> Int32 {
        guard unsafe unlinkat(directory, name, 0) == 0 || errno == ENOENT else {
            throw failure("A token file cannot be replaced")
        }
        guard let file = try openFile(name, in: directory, O_WRONLY | O_CREAT | O_EXCL) else {
            throw failure("A token file cannot be created", ENOENT)
        }
        return file
    }

    /// Writes a record to a file, syncs it, and renames it to the record's name.
    private func fill(
        _ file: Int32, _ name: String, with bytes: [UInt8], of key: TokenKey, _ directory: Int32,
        _ lock: FileLock
    ) throws(NetworkError) {
        let middle = bytes.count / 2
        try write(bytes[..<middle], to: file)
        onStep?(.partWritten)
        try write(bytes[middle...], to: file)
        guard ftruncate(file, off_t(bytes.count)) == 0 else {
            throw failure("A token file cannot be written")
        }
        onStep?(.written)
        guard fsync(file) == 0 else { throw failure("A token file cannot be flushed to disk") }
        onStep?(.synced)
        guard lock.isHeld else {
            throw .storeFailed("A lock file was deleted or replaced while a token was stored in \(path).")
        }
        guard unsafe renameat(directory, name, directory, Self.name(.record, of: key)) == 0 else {
            throw failure("A token file cannot be renamed")
        }
        onStep?(.renamed)
        guard fsync(directory) == 0 else { throw failure("The directory cannot be flushed to disk") }
        onStep?(.directorySynced)
    }

    func write(_ bytes: ArraySlice<UInt8>, to file: Int32) throws(NetworkError) {
        do throws(SystemFailure) { try FileBytes.writeAll(bytes, to: file) } catch {
            throw failure("A token file cannot be written", error.code)
        }
    }
}
