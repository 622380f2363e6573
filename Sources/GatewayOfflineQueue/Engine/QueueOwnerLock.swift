import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Shows other processes that an owner is alive: a lock of a file beside the queue, which ends with the process.
///
/// Time says nothing about it: a slow owner keeps its lock, and a killed one loses it at once.
final class QueueOwnerLock: QueueOwnership {
    /// The owner.
    let owner: QueueOwner
    private let descriptor: Int32
    private let path: String
    private let queue: String

    /// Takes the lock of a new owner.
    ///
    /// - Parameters:
    ///   - queue: the path of the queue's file.
    ///   - random: names the owner.
    init(beside queue: String, random: any RandomSource = SystemRandomSource()) throws(QueueError) {
        for _ in 0..<8 {
            let owner = QueueOwner(random.next())
            let path = Self.path(queue, owner)
            let descriptor = Self.openFile(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else {
                if errno == EEXIST { continue }
                throw QueueError(
                    .unavailable, "The lock of the queue's owner cannot be made (errno \(errno)).")
            }
            // Another process may have found the file before it was locked, and removed it.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isFile(path, descriptor) {
                self.owner = owner
                self.path = path
                self.queue = queue
                self.descriptor = descriptor
                return
            }
            _ = close(descriptor)
        }
        throw QueueError(.unavailable, "The lock of the queue's owner cannot be taken.")
    }

    deinit {
        _ = unsafe unlink(path)
        _ = close(descriptor)
    }

    func hasEnded(_ other: QueueOwner) -> Bool {
        other != owner && Self.hasEnded(other, beside: queue)
    }

    /// Whether an owner has ended. Its file is removed then.
    static func hasEnded(_ owner: QueueOwner, beside queue: String) -> Bool {
        let path = path(queue, owner)
        let descriptor = openFile(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        // Without a proof it lives.
        guard descriptor >= 0 else { return errno == ENOENT }
        defer { _ = close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        _ = unsafe unlink(path)
        return true
    }

    private static func path(_ queue: String, _ owner: QueueOwner) -> String {
        "\(queue).owner-\(String(owner.rawValue, radix: 16))"
    }

    private static func isFile(_ path: String, _ descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        return unsafe lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0
            && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
    }

    private static func openFile(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags, 0o600) }
}
