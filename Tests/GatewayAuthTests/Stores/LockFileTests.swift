import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Lock files that are deleted or replaced while they are locked.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct LockFileTests {
    enum Harm: String, CaseIterable, Sendable {
        case deleted, replaced, directoryMovedAway, directoryReplacedByACopy
    }

    private let home = TemporaryDirectory()
    private let rig = StoredRig()

    private var path: String { home.path("tokens") }
    private func store() -> FileTokenStore { FileTokenStore(directory: path) }
    private var late: Deadline { .after(.seconds(20)) }

    private func harm(_ harm: Harm, _ file: String = "lock") throws {
        let (files, lock) = (FileManager.default, path + "/" + TokenKey.default.digest + "." + file)
        switch harm {
        case .deleted: try files.removeItem(atPath: lock)
        case .replaced:
            try files.removeItem(atPath: lock)
            try Data().write(to: URL(fileURLWithPath: lock))
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: lock)
        case .directoryMovedAway: try files.moveItem(atPath: path, toPath: home.path("old"))
        case .directoryReplacedByACopy:
            try files.moveItem(atPath: path, toPath: home.path("old"))
            try files.copyItem(atPath: home.path("old"), toPath: path)
        }
    }

    @Test(arguments: Harm.allCases) func aHolderLearnsOfIt(harm: Harm) async throws {
        let lock = try await store().lock(.default, deadline: late)
        #expect(lock.isHeld)
        try await lock.prepare(until: nil)
        try self.harm(harm)
        #expect(!lock.isHeld)
        let refusal = await outcome { () throws(NetworkError) in try await lock.prepare(until: nil) }
        #expect(refusal.code == .tokenStoreFailed)
        await lock.release()
    }

    /// A process that waited for a deleted file locks the one that replaced it.
    @Test(arguments: Harm.allCases) func theNextOnesLockOneFile(harm: Harm) async throws {
        let first = try await store().lock(.default, deadline: late)
        let clock = ManualClock()
        let (path, late) = (path, Deadline.after(.seconds(20), clock: clock))
        let waiting = Task { @Sendable in
            try await FileTokenStore(directory: path, clock: clock).lock(.default, deadline: late)
        }
        await clock.waitForSleepers(1)
        try self.harm(harm)
        let second = try await store().lock(.default, deadline: self.late)
        #expect(second.isHeld)
        await first.release()
        // The file that it had opened is free, and not the one that counts.
        for _ in 0..<3 {
            clock.advanceToNextSleeper()
            await clock.waitForSleepers(1)
        }
        #expect(second.isHeld)
        await second.release()
        clock.advanceToNextSleeper()
        #expect(try await waiting.value.isHeld)
    }

    /// A lock that is lost after the request may have been sent: the next holder sends nothing until that request is over.
    @Test(arguments: [Harm.deleted, .replaced, .directoryReplacedByACopy])
    func theNextHolderWaitsForARequestThatIsUnderWay(harm: Harm) async throws {
        #expect(try await store().store(record(1), for: .default, replacing: 0))
        let first = try await store().lock(.default, deadline: late)
        try await first.prepare(until: late)
        try self.harm(harm)
        let second = try await store().lock(.default, deadline: late)
        let refusal = await outcome { () throws(NetworkError) in try await second.prepare(until: late) }
        #expect(refusal.code == .tokenStoreFailed)
        // A request that can be repeated is not held up.
        try await second.prepare(until: nil)
        await first.release()
        try await second.prepare(until: late)
        await second.release()
        let third = try await store().lock(.default, deadline: late)
        try await third.prepare(until: late)
        await third.release()
    }

    /// The request is not sent under a lock that was replaced.
    @Test(arguments: Harm.allCases) func noRequestUnderALockThatWasReplaced(harm: Harm) async throws {
        let store = Harmed(store()) { try? self.harm(harm) }
        #expect(
            await rig.code { () throws(NetworkError) in try await rig.start(store).token() }
                == .tokenStoreFailed)
        #expect(rig.server.count == 0)
        // The next attempt has a lock that counts.
        #expect(try await rig.secret(rig.start(self.store()).token()) == "a1")
    }

    /// Does harm between the locking and the request, once.
    private final class Harmed: TokenStore {
        private let inner: FileTokenStore
        private let harm: Locked<(@Sendable () -> Void)?>

        init(_ inner: FileTokenStore, _ harm: @escaping @Sendable () -> Void) {
            self.inner = inner
            self.harm = Locked(harm)
        }

        func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? { try await inner.load(key) }

        func store(
            _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
        ) async throws(NetworkError) -> Bool {
            try await inner.store(record, for: key, replacing: generation)
        }

        func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
            let lock = try await inner.lock(key, deadline: deadline)
            harm.withLock { harm in
                defer { harm = nil }
                return harm
            }?()
            return lock
        }
    }

    /// A writer whose `swap` file was replaced meanwhile writes nothing: another one may be writing.
    @Test(arguments: [Harm.deleted, .replaced, .directoryReplacedByACopy])
    func aWriterWhoseLockWasReplacedWritesNothing(harm: Harm) async throws {
        #expect(try await store().store(record(1), for: .default, replacing: 0))
        let home = self
        let store = FileTokenStore(directory: path, clock: SystemClock()) { step in
            if step == .synced { try? home.harm(harm, "swap") }
        }
        let result = await outcome { () throws(NetworkError) in
            try await store.store(record(2), for: .default, replacing: 1)
        }
        #expect(result.code == .tokenStoreFailed)
        #expect(try await self.store().load(.default) == record(1))
        #expect(try await self.store().store(record(2), for: .default, replacing: 1))
    }

    /// The directory is replaced after the last look at the lock: the writer hears that its record may be elsewhere.
    @Test func aWriterWhoseDirectoryWasReplacedHearsOfIt() async throws {
        #expect(try await store().store(record(1), for: .default, replacing: 0))
        let home = self
        let store = FileTokenStore(directory: path, clock: SystemClock()) { step in
            if step == .renamed { try? home.harm(.directoryReplacedByACopy) }
        }
        let result = await outcome { () throws(NetworkError) in
            try await store.store(record(2), for: .default, replacing: 1)
        }
        #expect(result.code == .tokenStoreFailed)
    }

    private func record(_ generation: UInt64) -> StoredToken {
        StoredToken(key: .default, generation: generation, login: 7, content: .signedIn)
    }
}
