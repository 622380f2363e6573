import GatewayCore
import GatewayQueueTesting
import Glibc
import Testing

@testable import GatewayOfflineQueue

/// An owner lives as long as its lock.
@Suite struct QueueOwnerLockTests {
    /// queue.live-owner-keeps
    @Test func anOwnerHasEndedWhenItsLockIsFree() throws {
        let directory = QueueDirectory()
        var lock: QueueOwnerLock? = try QueueOwnerLock(beside: directory.file)
        let owner = try #require(lock?.owner)
        for _ in 0..<3 { #expect(!QueueOwnerLock.hasEnded(owner, beside: directory.file)) }
        lock = nil
        #expect(QueueOwnerLock.hasEnded(owner, beside: directory.file))
    }

    @Test func aKilledOwnerLeavesAFileWithoutALock() throws {
        let directory = QueueDirectory()
        let owner = QueueOwner(.max)
        let path = "\(directory.file).owner-ffffffffffffffff"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(!QueueOwnerLock.hasEnded(owner, beside: directory.file))
        close(descriptor)
        #expect(QueueOwnerLock.hasEnded(owner, beside: directory.file))
        // It is the proof until nothing needs it.
        let lock = try QueueOwnerLock(beside: directory.file)
        #expect(lock.hasEnded(owner))
        lock.removeOthers(except: [owner])
        #expect(access(path, F_OK) == 0)
        lock.removeOthers(except: [])
        #expect(access(path, F_OK) != 0 && lock.hasEnded(owner))
        #expect(!QueueOwnerLock.hasEnded(lock.owner, beside: directory.file))
    }

    /// queue.live-owner-keeps: somebody removes the file of an owner that lives.
    @Test func aRemovedFileIsNoProofAndIsMadeAgain() throws {
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file)
        let ownership = try store.join(SystemRandomSource())
        let other = try QueueOwnerLock(beside: directory.file)
        let path = "\(directory.file).owner-\(String(ownership.owner.rawValue, radix: 16))"
        #expect(unlink(path) == 0)
        for _ in 0..<3 { #expect(!other.hasEnded(ownership.owner)) }
        _ = try store.counts()
        #expect(access(path, F_OK) == 0)
        #expect(!other.hasEnded(ownership.owner))
        #expect(!QueueOwnerLock.hasEnded(ownership.owner, beside: directory.file))
        withExtendedLifetime(ownership) {}
    }

    /// An owner whose file stays missing has ended: the file of one that was killed can be removed, too.
    @Test func anOwnerWhoseFileStaysMissingHasEnded() throws {
        let directory = QueueDirectory()
        let lock = try QueueOwnerLock(beside: directory.file, patience: .zero)
        #expect(lock.hasEnded(QueueOwner(7)))
        #expect(!lock.hasEnded(lock.owner))
    }

    /// queue.live-owner-keeps: an owner that cannot show that it lives does nothing.
    @Test func anOwnerWithoutALockUsesNoStore() throws {
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file)
        let ownership = try store.join(SystemRandomSource())
        _ = try store.add(.sample())
        let path = "\(directory.file).owner-\(String(ownership.owner.rawValue, radix: 16))"
        #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        let error = #expect(throws: QueueError.self) { _ = try store.lease() }
        #expect(error?.code == .unavailable)
        #expect(rmdir(path) == 0)
        #expect(try store.lease().count == 1)
        withExtendedLifetime(ownership) {}
    }

    @Test func aMissingDirectoryIsAnError() {
        let error = #expect(throws: QueueError.self) { _ = try QueueOwnerLock(beside: "/nonexistent/queue") }
        #expect(error?.code == .unavailable)
    }
}
