import GatewayCore
import GatewaySQLite

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The files of large bodies, beside the file of the queue. Each is named after its entry.
///
/// A file is written and removed only within a transaction that holds the file of the queue, or when the entry is final. The
/// number of an entry is given within the transaction, too, so that a file is known to be an orphan at once.
struct QueueBodies {
    /// The largest body that is in a row, in bytes.
    static let largestInRow = 256 << 10

    private let directory: String

    /// - Parameter queue: the path of the queue's file.
    init(beside queue: String) { directory = queue + ".bodies" }

    private func path(_ id: QueueEntry.ID) -> String { "\(directory)/\(id)" }

    /// Writes a body. It is on the disk when this returns.
    func store(_ body: [UInt8], for id: QueueEntry.ID) throws(SQLiteError) {
        try makeDirectory()
        let path = path(id)
        // A file with this name is of a transaction that was not kept.
        _ = unsafe unlink(path)
        let descriptor = Self.openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.error(errno) }
        defer { _ = close(descriptor) }
        var written = 0
        while written < body.count {
            let count = unsafe body[written...].withUnsafeBytes { bytes in
                unsafe write(descriptor, bytes.baseAddress, bytes.count)
            }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                throw Self.error(count < 0 ? errno : ENOSPC)
            }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw .syncFailure }
        try Self.sync(directory)
    }

    /// The bytes of a body; `nil` if they cannot be read, or are more than expected.
    func load(_ id: QueueEntry.ID, count: Int) -> [UInt8]? {
        let descriptor = Self.openFile(path(id), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, Int(status.st_size) == count else { return nil }
        var total = 0
        let body = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while total < count {
                let more = unsafe read(descriptor, buffer.baseAddress?.advanced(by: total), count - total)
                guard more > 0 else {
                    if more < 0, errno == EINTR { continue }
                    break
                }
                total += more
            }
            initialized = total
        }
        return total == count ? body : nil
    }

    /// Removes a body.
    ///
    /// - Returns: whether it is gone.
    func remove(_ id: QueueEntry.ID) -> Bool { unsafe unlink(path(id)) == 0 || errno == ENOENT }

    /// Whose bodies there are.
    func all() -> [QueueEntry.ID] {
        DirectoryNames.of(directory).compactMap { name in
            Int64(name).flatMap { $0 > 0 ? QueueEntry.ID($0) : nil }
        }
    }

    private func makeDirectory() throws(SQLiteError) {
        var status = stat()
        if unsafe lstat(directory, &status) != 0 {
            guard unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw Self.error(errno) }
            try Self.sync(directory.directoryPath)
            guard unsafe lstat(directory, &status) == 0 else { throw Self.error(errno) }
        }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else { throw .cannotOpen }
        guard unsafe status.st_mode & 0o777 == 0o700 || chmod(directory, 0o700) == 0 else {
            throw .cannotOpen
        }
    }

    private static func sync(_ directory: String) throws(SQLiteError) {
        let descriptor = openFile(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw error(errno) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .syncFailure }
    }

    private static func error(_ code: Int32) -> SQLiteError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .full
        case EIO: .syncFailure
        default: .cannotOpen
        }
    }

    private static func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
        unsafe open(path, flags, mode)
    }
}
