import CFaultFileSystem
import CSQLite
import GatewayCore
import GatewayResilience
import GatewaySQLite
import GatewayTesting
import Testing

@testable import GatewayDiskCache

/// A system that fails once: the next attempt begins with another connection.
@Suite(.timeLimit(.minutes(1))) struct FailingSystemTests {
    struct Failure: Sendable {
        let operation: Int32
        let code: Int32
    }

    /// SQLITE_IOERR_SHMLOCK and SQLITE_IOERR_WRITE, macros that Swift does not import.
    private static let failures = [
        Failure(operation: Int32(FAULT_LOCK), code: SQLITE_IOERR | 20 << 8),
        Failure(operation: Int32(FAULT_WRITE), code: SQLITE_IOERR | 3 << 8),
        // As with a log that could be opened for reading alone.
        Failure(operation: Int32(FAULT_WRITE), code: SQLITE_READONLY),
    ]

    private let fixture: DiskCacheFixture
    private let name: String
    private let system: OpaquePointer
    private let clock = ManualClock()

    init() throws {
        fixture = try DiskCacheFixture()
        let name = "cache-faults-\(UInt64.random(in: 0 ... .max))"
        let made = fault_file_system_make(name)
        system = try #require(made)
        self.name = name
    }

    /// Lets the next operation of a kind fail.
    private func fail(_ operation: Int32, code: Int32) {
        fault_file_system_fail(system, operation, 0, 1, code)
    }

    /// The number of files that were opened.
    private func openings() -> Int64 { fault_file_system_count(system, Int32(FAULT_OPEN)) }

    /// Stores a response with a connection of the default file system.
    private func fill(_ key: CacheKey) async throws {
        let store = fixture.store()
        let body = Array("private-1".utf8)
        try await store.put(
            DiskCacheFixture.head(1, bytes: body.count), body: body, for: key, replacing: [])
        await store.close()
    }

    @Test(arguments: failures.indices) func afterAFailureTheFileIsOpenedAnew(index: Int) async throws {
        let failure = Self.failures[index]
        let (key, foreign) = (try DiskCacheFixture.key(), try DiskCacheFixture.key(account: "bob"))
        try await fill(key)
        let store = fixture.store(clock: clock, fileSystem: name)
        #expect(try await store.heads(for: key).count == 1)
        fail(failure.operation, code: failure.code)
        let problem = await code { () throws(CacheStoreError) in try await store.invalidate(foreign) }
        #expect(problem == .unavailable)
        let failures = fault_file_system_failures(system)
        #expect(failures == 1)
        let before = openings()
        try await store.invalidate(foreign)
        #expect(openings() > before)
        try await store.removeAll(of: .account("ada"))
        #expect(try !fixture.holds("private-"))
    }

    /// A read that fails is a miss; the next one finds the response.
    @Test func afterAReadThatFailedTheFileIsOpenedAnew() async throws {
        let key = try DiskCacheFixture.key()
        try await fill(key)
        let store = fixture.store(clock: clock, fileSystem: name)
        #expect(try await store.heads(for: key).count == 1)
        fail(Int32(FAULT_LOCK), code: SQLITE_IOERR | 20 << 8)
        let problem = await code { () throws(CacheStoreError) in _ = try await store.heads(for: key) }
        #expect(problem == .unavailable)
        let before = openings()
        #expect(try await store.heads(for: key).count == 1)
        #expect(openings() > before)
    }

    /// SQLite takes a read that fails with EIO for damage (SQLITE_IOERR_CORRUPTFS, a macro that Swift does not import).
    @Test func aReadThatFailsIsNoDamage() async throws {
        let key = try DiskCacheFixture.key()
        try await fill(key)
        let store = fixture.store(clock: clock, fileSystem: name)
        // Not the first read, which is that of the opening.
        fault_file_system_fail(system, Int32(FAULT_READ), 1, 1, SQLITE_IOERR | 33 << 8)
        let problem = await code { () throws(CacheStoreError) in _ = try await store.heads(for: key) }
        #expect(problem == .unavailable)
        clock.advance(by: .seconds(3_600))
        #expect(try await store.heads(for: key).count == 1)
    }

    @Test(arguments: [SQLITE_CANTOPEN, SQLITE_IOERR])
    func afterAnOpeningThatFailedTheNextUseTriesAgain(result: Int32) async throws {
        let key = try DiskCacheFixture.key()
        try await fill(key)
        let store = fixture.store(clock: clock, fileSystem: name)
        fail(Int32(FAULT_OPEN), code: result)
        let problem = await code { () throws(CacheStoreError) in _ = try await store.heads(for: key) }
        #expect(problem == .unavailable)
        #expect(try await store.heads(for: key).count == 1)
    }

    @Test func aFileThatCannotBeOpenedTwiceIsTriedAfterAPause() async throws {
        let key = try DiskCacheFixture.key()
        try await fill(key)
        let store = fixture.store(clock: clock, fileSystem: name)
        fault_file_system_fail(system, Int32(FAULT_OPEN), 0, 2, SQLITE_CANTOPEN)
        let problem = await code { () throws(CacheStoreError) in _ = try await store.heads(for: key) }
        #expect(problem == .unavailable)
        #expect(try await store.heads(for: key).isEmpty)
        let before = openings()
        #expect(try await store.heads(for: key).isEmpty)
        #expect(openings() == before)
        clock.advance(by: .seconds(1))
        #expect(try await store.heads(for: key).count == 1)
    }

    /// cache.sign-out-complete: a cache may have filled its file system itself.
    @Test func aSignOutWithoutRoomRemovesTheFile() async throws {
        let key = try DiskCacheFixture.key()
        try await fill(key)
        let store = fixture.store(clock: clock, fileSystem: name)
        #expect(try await store.heads(for: key).count == 1)
        fail(Int32(FAULT_WRITE), code: SQLITE_FULL)
        try await store.removeAll(ofEnded: .account("ada"))
        let failures = fault_file_system_failures(system)
        #expect(failures == 1)
        #expect(try !fixture.holds("private-"))
        // The new file knows the login that has ended, and is used.
        try await fixture.put(2, "private-2", key, in: store)
        #expect(try await store.heads(for: key).isEmpty)
        let other = try DiskCacheFixture.key(account: "bob")
        try await fixture.put(3, "private-3", other, in: store)
        #expect(try await store.heads(for: other).count == 1)
    }

    /// cache.sign-out-complete: others would go on with a file that is gone.
    @Test func aFileThatOthersUseIsNotRemoved() async throws {
        let key = try DiskCacheFixture.key()
        try await fill(key)
        let store = fixture.store(clock: clock, fileSystem: name)
        #expect(try await store.heads(for: key).count == 1)
        let other = try fixture.other()
        #expect(try other.number("SELECT count(*) FROM head") == 1)
        fail(Int32(FAULT_WRITE), code: SQLITE_FULL)
        let owner = CachePartition.Owner.account("ada")
        let problem = await code { () throws(CacheStoreError) in try await store.removeAll(of: owner) }
        #expect(problem == .full)
        #expect(try other.number("SELECT count(*) FROM head") == 1)
        try await store.removeAll(of: owner)
        #expect(try other.number("SELECT count(*) FROM head") == 0)
    }

    /// Reads wait before they open the file once more; a sign-out does not.
    /// SQLite opens a file to be read if the system refuses once to open it otherwise (SQLITE_READONLY).
    @Test(arguments: [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_READONLY])
    func aSignOutOpensTheFileAtOnce(result: Int32) async throws {
        let key = try DiskCacheFixture.key()
        try await fill(key)
        let store = fixture.store(clock: clock, fileSystem: name)
        fail(Int32(FAULT_OPEN), code: result)
        let owner = CachePartition.Owner.account("ada")
        let problem = await code { () throws(CacheStoreError) in try await store.removeAll(of: owner) }
        #expect(problem == .unavailable)
        try await store.removeAll(of: owner)
        #expect(try !fixture.holds("private-"))
    }
}
