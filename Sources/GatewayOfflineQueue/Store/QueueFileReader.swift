import GatewayCore
private import GatewayLibC
import GatewaySQLite

/// The request of an entry in a file.
public struct QueueRecord: Sendable {
    /// The entry.
    public let entry: QueueEntry
    /// The request. The body is empty if it was not read.
    public let item: QueueItem
    /// Whether the body is missing or damaged. `false` if it was not read.
    public let isBodyDamaged: Bool
}

/// Reads the requests of the entries in a file, to move them elsewhere. Engines may use the file at the same
/// time.
///
/// A reader blocks, and must be used on one thread.
public final class QueueFileReader {
    private let file: QueueFile
    private let opened: QueueFile.Opened
    private let bodies: QueueBodies

    /// Opens the file of a queue. It must exist.
    ///
    /// - Throws: ``QueueError`` as ``check(_:)``.
    public init(path: String) throws(QueueError) {
        try Self.check(path)
        file = QueueFile(path: path, fileSystem: nil)
        bodies = QueueBodies(beside: path)
        do throws(QueueFile.Failure) { opened = try file.connect() } catch { throw error.queueError }
    }

    /// Checks that a file is the file of a queue. It is neither created nor changed. Call this before a
    /// store of the process has opened the file: closing a file releases all locks of the process on it.
    ///
    /// - Throws: ``QueueError`` with the code ``QueueError/Code/notFound`` if there is no file,
    ///   ``QueueError/Code/unavailable`` if it cannot be read, or ``QueueError/Code/unsupportedVersion`` if it is not a queue.
    public static func check(_ path: String) throws(QueueError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno != ENOENT, errno != ENOTDIR else {
                throw QueueError(.notFound, "There is no such file.")
            }
            throw QueueError(.unavailable, "The file of the queue cannot be read (errno \(errno)).")
        }
        defer { _ = close(descriptor) }
        // The header of SQLite's files; the application's number is at 68 (sqlite.org/fileformat2.html §1.3).
        var header = [UInt8](repeating: 0, count: 72)
        let count = unsafe header.withUnsafeMutableBytes { bytes in
            unsafe pread(descriptor, bytes.baseAddress, bytes.count, 0)
        }
        let application = header[68...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard count == header.count, header.starts(with: "SQLite format 3\u{0}".utf8),
            application == QueueSchema.application
        else { throw QueueError(.unsupportedVersion, "The file is not that of a queue.") }
    }

    /// The request of an entry; `nil` if there is no such entry, or if it is damaged.
    ///
    /// - Parameters:
    ///   - id: the entry.
    ///   - readsBody: whether the body is read too.
    public func record(of id: QueueEntry.ID, readsBody: Bool) throws(QueueError) -> QueueRecord? {
        do throws(SQLiteError) {
            let connection = opened.connection
            return try connection.transaction(waitsOn: file.waiting(for: opened.identity)) {
                () throws(SQLiteError) -> QueueRecord? in
                let table = QueueTable(connection: connection, bodies: bodies)
                guard var row = try table.row(id) else { return nil }
                guard readsBody else {
                    return QueueRecord(entry: row.entry, item: row.item, isBodyDamaged: false)
                }
                let isSound = if let body = try table.body(of: row) { row.attach(body) } else { false }
                return QueueRecord(entry: row.entry, item: row.item, isBodyDamaged: !isSound)
            }
        } catch { throw error.queueError }
    }
}
