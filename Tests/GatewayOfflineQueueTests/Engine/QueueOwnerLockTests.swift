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
        #expect(access(path, F_OK) != 0)
    }

    @Test func aMissingDirectoryIsAnError() {
        let error = #expect(throws: QueueError.self) { _ = try QueueOwnerLock(beside: "/nonexistent/queue") }
        #expect(error?.code == .unavailable)
    }
}
