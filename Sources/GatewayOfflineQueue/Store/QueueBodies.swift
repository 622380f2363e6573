import GatewayCore
private import GatewayLibC
import GatewaySQLite

/// The files of large bodies, in the directory of the queue's file. Each is named by its entry.
///
/// A file is written and removed only within a transaction on the queue's file, or when the entry is final. The number
/// of an entry is assigned in the same transaction, so that an orphan is detected immediately.
struct QueueBodies {
    /// The maximum size of a body that is stored in a row, in bytes.
    static let largestInRow = 256 << 10

    /// The system calls that can fail temporarily.
    enum Call: Hashable, Sendable { case open, status, read, write, sync }

    /// A file temporarily cannot be read, for example for lack of file descriptors. Its content may be intact.
    struct Unreadable: Error {}

    private let queue: String
    private let directory: String
    private let fault: @Sendable (Call) -> Int32?

    /// - Parameters:
    ///   - queue: the path of the queue's file.
    ///   - fault: the `errno` with which a call fails, for tests; `nil` to make the call.
    init(beside queue: String, fault: @escaping @Sendable (Call) -> Int32? = { _ in nil }) {
        self.queue = queue
        directory = queue + ".bodies"
        self.fault = fault
    }

    private func path(_ id: QueueEntry.ID) -> String { "\(directory)/\(id)" }

    /// Writes a body. It is on disk when this returns. If it throws, no part of it remains.
    func store(_ body: [UInt8], for id: QueueEntry.ID) throws(SQLiteError) {
        try makeDirectory()
        let path = path(id)
        // A file with this name is from a transaction that was not committed.
        _ = unsafe unlink(path)
        do throws(SQLiteError) { try writeFile(path, body) } catch {
            // The disk may be full.
            _ = unsafe unlink(path)
            throw error
        }
        try Self.sync(directory)
    }

    private func writeFile(_ path: String, _ body: [UInt8]) throws(SQLiteError) {
        if let code = fault(.open) { throw Self.error(code) }
        let descriptor = Self.openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.error(errno) }
        defer { _ = close(descriptor) }
        var written = 0
        while written < body.count {
            if let code = fault(.write) { throw Self.error(code) }
            let count = unsafe body[written...].withUnsafeBytes { bytes in
                unsafe write(descriptor, bytes.baseAddress, bytes.count)
            }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                throw Self.error(count < 0 ? errno : ENOSPC)
            }
            written += count
        }
        guard fault(.sync) == nil, fsync(descriptor) == 0 else { throw .syncFailure }
    }

    /// The bytes of a body; `nil` if its file is gone, is not a regular file, or has another size.
    ///
    /// - Throws: ``Unreadable`` for every other failure: the body may be intact.
    func load(_ id: QueueEntry.ID, count: Int) throws(Unreadable) -> [UInt8]? {
        guard let descriptor = try openBody(path(id)) else { return nil }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fault(.status) == nil, unsafe fstat(descriptor, &status) == 0 else { throw Unreadable() }
        guard status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == count else { return nil }
        var total = 0
        var isUnreadable = false
        let body = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while total < count {
                isUnreadable = fault(.read) != nil
                if isUnreadable { break }
                let more = unsafe read(descriptor, buffer.baseAddress?.advanced(by: total), count - total)
                guard more > 0 else {
                    if more < 0, errno == EINTR { continue }
                    isUnreadable = more < 0
                    break
                }
                total += more
            }
            initialized = total
        }
        guard !isUnreadable else { throw Unreadable() }
        return total == count ? body : nil
    }

    /// Opens the file of a body; `nil` if it does not exist or was not written by this type.
    private func openBody(_ path: String) throws(Unreadable) -> Int32? {
        if fault(.open) != nil { throw Unreadable() }
        while true {
            // A pipe would wait for a writer.
            let descriptor = Self.openFile(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor < 0 else { return descriptor }
            switch errno {
            case EINTR: continue
            // With or without the directory.
            case ENOENT where hasQueue, ENOTDIR where hasQueue: return nil
            // A link, a socket or a device.
            case ELOOP, ENXIO, ENODEV: return nil
            default: throw Unreadable()
            }
        }
    }

    /// Whether the queue's file exists. If not, for example because a disk is not mounted, a missing body file proves
    /// nothing.
    private var hasQueue: Bool {
        var status = stat()
        return unsafe lstat(queue, &status) == 0
    }

    /// Removes a body.
    ///
    /// - Returns: whether it is gone.
    func remove(_ id: QueueEntry.ID) -> Bool { unsafe unlink(path(id)) == 0 || errno == ENOENT }

    /// The entries that have a body file.
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
