import GatewayCore
private import GatewayLibC
import GatewaySQLite

/// Shows other processes that an owner is running: a lock on a file next to the queue's file, which is
/// released when the process ends.
///
/// Why not a timeout: a slow owner keeps its lock, and a killed one loses it immediately. The file remains
/// after the process, so that its free lock is the proof; later owners remove it. A missing file alone
/// proves nothing, because another program may have removed it; a running owner creates it again.
final class QueueOwnerLock: QueueOwnership {
    /// How long the file of an owner may be missing before the owner is treated as ended: many times longer
    /// than a running owner needs to detect it.
    static let patience = Duration.seconds(60)

    /// The state of an owner's file.
    private enum Sign { case locked, free, missing }

    private struct Others {
        /// The owners that have ended, which is final.
        var ended: Set<QueueOwner> = []
        /// Since when the files of owners are missing.
        var missing: [QueueOwner: ContinuousClock.Instant] = [:]
    }

    /// The owner.
    let owner: QueueOwner
    private let descriptor: Locked<Int32>
    private let others = Locked(Others())
    private let path: String
    private let queue: String
    private let patience: Duration

    /// Takes the lock of a new owner.
    ///
    /// - Parameters:
    ///   - queue: the path of the queue's file.
    ///   - random: names the owner.
    ///   - patience: how long the file of another owner may be missing before the owner is treated as ended.
    init(
        beside queue: String, random: any RandomSource = SystemRandomSource(),
        patience: Duration = QueueOwnerLock.patience
    ) throws(QueueError) {
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
                self.patience = patience
                self.descriptor = Locked(descriptor)
                return
            }
            _ = close(descriptor)
        }
        throw QueueError(.unavailable, "The lock of the queue's owner cannot be taken.")
    }

    deinit { _ = close(descriptor.withLock { $0 }) }

    /// Creates the file again if it was removed or replaced.
    ///
    /// - Throws: ``QueueError`` with the code ``QueueError/Code/unavailable`` if that fails. Other processes
    ///   then take over the owner's entries, and it must not send any more.
    func keep() throws(QueueError) {
        let isKept = descriptor.withLock { descriptor in
            if Self.isFile(path, descriptor) { return true }
            // Another process may check or remove it before it is locked.
            for _ in 0..<8 {
                let new = Self.openFile(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW)
                guard new >= 0 else { return false }
                if flock(new, LOCK_EX | LOCK_NB) == 0, Self.isFile(path, new) {
                    _ = close(descriptor)
                    descriptor = new
                    return true
                }
                _ = close(new)
            }
            return false
        }
        guard isKept else {
            throw QueueError(
                .unavailable, "The lock of the queue's owner was removed and cannot be made again.")
        }
    }

    func hasEnded(_ other: QueueOwner) -> Bool {
        guard other != owner else { return false }
        if others.withLock({ $0.ended.contains(other) }) { return true }
        let (sign, now) = (Self.sign(of: other, beside: queue), ContinuousClock.now)
        return others.withLock { others in
            var hasEnded = sign == .free
            if sign == .missing {
                let since = others.missing[other] ?? now
                others.missing[other] = since
                hasEnded = since.duration(to: now) >= patience
            } else {
                others.missing[other] = nil
            }
            if hasEnded {
                others.missing[other] = nil
                others.ended.insert(other)
            }
            return hasEnded
        }
    }

    /// Whether the file of an owner proves that the owner has ended.
    static func hasEnded(_ owner: QueueOwner, beside queue: String) -> Bool {
        sign(of: owner, beside: queue) == .free
    }

    private static func sign(of owner: QueueOwner, beside queue: String) -> Sign {
        let descriptor = openFile(path(queue, owner), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        // Without a proof it is treated as running.
        guard descriptor >= 0 else { return errno == ENOENT ? .missing : .locked }
        defer { _ = close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? .free : .locked
    }

    /// Removes the files of owners that have ended and have no attempts in progress.
    ///
    /// - Parameter busy: the owners with attempts in progress.
    func removeOthers(except busy: Set<QueueOwner>) {
        let prefix = Self.prefix(queue)
        let slash = prefix.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = prefix[(slash.map { prefix.utf8.index(after: $0) } ?? prefix.startIndex)...]
        for file in DirectoryNames.of(queue.directoryPath) where file.hasPrefix(name) {
            guard let number = UInt64(file.dropFirst(name.count), radix: 16) else { continue }
            let other = QueueOwner(number)
            guard other != owner, !busy.contains(other), Self.sign(of: other, beside: queue) == .free else {
                continue
            }
            _ = unsafe unlink(Self.path(queue, other))
        }
    }

    private static func prefix(_ queue: String) -> String { "\(queue).owner-" }

    private static func path(_ queue: String, _ owner: QueueOwner) -> String {
        prefix(queue) + String(owner.rawValue, radix: 16)
    }

    private static func isFile(_ path: String, _ descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        return unsafe lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0
            && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
    }

    private static func openFile(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags, 0o600) }
}
