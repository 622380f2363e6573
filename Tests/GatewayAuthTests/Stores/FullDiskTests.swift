import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// A disk that is full, noticed while the refresh token is still good.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct FullDiskTests {
    private let rig = StoredRig()
    private let key = TokenKey.default

    /// A file system of its own, of 64 KiB.
    private final class SmallDisk: Sendable {
        static let isPossible = SmallDisk() != nil

        let home = TemporaryDirectory()

        init?() {
            guard mount("tmpfs", home.path, "tmpfs", 0, "size=64k,mode=700") == 0 else { return nil }
        }

        deinit { umount2(home.path, Int32(MNT_DETACH)) }

        /// Leaves no byte of space, except for so many blocks of 4 KiB.
        func fill(leaving blocks: Int = 0) throws {
            let file = home.path("filler")
            try Data().write(to: URL(fileURLWithPath: file))
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
            var size = 0
            while (try? handle.write(contentsOf: Data(repeating: 1, count: 4096))) != nil { size += 4096 }
            try handle.truncate(atOffset: UInt64(max(0, size - blocks * 4096)))
            try handle.close()
        }

        func free() throws { try FileManager.default.removeItem(atPath: home.path("filler")) }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "a file system has to be mounted"), arguments: [0, 1, 4])
    func aFullDiskIsNoticedBeforeTheRequest(blocks: Int) async throws {
        let disk = try #require(SmallDisk())
        let process = rig.start(FileTokenStore(directory: disk.home.path))
        let first = try await process.token()
        try disk.fill(leaving: blocks)
        let code = await rig.code { () throws(NetworkError) in try await process.rejected(first) }
        #expect(code == .tokenStoreFailed)
        #expect(rig.server.used == ["r0"])
        try disk.free()
        rig.clock.advance(by: .seconds(1))
        #expect(try await rig.secret(process.token(atLeast: 2)) == "a2")
        #expect(rig.server.used == ["r0", "r1"])
        let stored = try await FileTokenStore(directory: disk.home.path).load(key)
        #expect(stored?.grant?.refreshToken == Secret("r2"))
    }

    @Test(.enabled(if: SmallDisk.isPossible, "a file system has to be mounted"))
    func aFirstRecordNeedsSpaceToo() async throws {
        let disk = try #require(SmallDisk())
        try disk.fill()
        let process = rig.start(FileTokenStore(directory: disk.home.path))
        #expect(await rig.code { () throws(NetworkError) in try await process.token() } == .tokenStoreFailed)
        #expect(rig.server.count == 0)
        try disk.free()
        rig.clock.advance(by: .seconds(1))
        #expect(try await rig.secret(process.token()) == "a1")
    }

    /// The disk is filled while the request is under way: the space was reserved.
    @Test(.enabled(if: SmallDisk.isPossible, "a file system has to be mounted"))
    func aDiskThatIsFilledMeanwhileHoldsTheRecord() async throws {
        let disk = try #require(SmallDisk())
        let gate = Gate()
        rig.server.hold(2, gate)
        let process = rig.start(FileTokenStore(directory: disk.home.path))
        let first = try await process.token()
        let caller = Task { try await process.rejected(first) }
        await gate.waitForArrivals(1)
        try disk.fill()
        gate.open()
        #expect(try await rig.secret(caller.value) == "a2")
        #expect(rig.happened("storeFailed") == 0)
        let stored = try await FileTokenStore(directory: disk.home.path).load(key)
        #expect(stored?.grant?.refreshToken == Secret("r2"))
    }

    /// What was reserved and not used is given back, and a dead process's reserved file is no obstacle.
    @Test func roomIsGivenBack() async throws {
        let directory = TemporaryDirectory()
        let store = FileTokenStore(directory: directory.path)
        let room = key.digest + ".reserved"
        try directory.write("left behind", room)
        let lock = try await store.lock(key, deadline: .after(.seconds(60)))
        try await lock.prepare(until: nil)
        let size = try FileManager.default.attributesOfItem(atPath: directory.path(room))[.size] as? Int
        #expect(size == 32 << 10)
        #expect(directory.mode(room) == 0o600)
        await lock.release()
        #expect(!directory.names.contains(room))
        let next = try await store.lock(key, deadline: .after(.seconds(60)))
        try await next.prepare(until: nil)
        let record = StoredToken(key: key, generation: 1, login: 7, content: .signedIn)
        #expect(try await store.store(record, for: key, replacing: 0))
        #expect(try directory.read(key.digest + ".json") == String(decoding: record.encoded(), as: UTF8.self))
        #expect(!directory.names.contains(room))
        await next.release()
        #expect(try await store.load(key) == record)
    }

    /// Space that somebody deleted is no loss of the record.
    @Test func roomThatIsGoneIsMadeAnew() async throws {
        let directory = TemporaryDirectory()
        let store = FileTokenStore(directory: directory.path)
        let lock = try await store.lock(key, deadline: .after(.seconds(60)))
        try await lock.prepare(until: nil)
        try FileManager.default.removeItem(atPath: directory.path(key.digest + ".reserved"))
        try directory.write("another's", key.digest + ".reserved")
        let record = StoredToken(key: key, generation: 1, login: 7, content: .signedIn)
        #expect(try await store.store(record, for: key, replacing: 0))
        #expect(try await store.load(key) == record)
        await lock.release()
        #expect(try directory.read(key.digest + ".reserved") == "another's")
    }

    @Test func aTokenThatIsLargerThanItsRoomIsStored() async throws {
        let directory = TemporaryDirectory()
        let store = FileTokenStore(directory: directory.path)
        let lock = try await store.lock(key, deadline: .after(.seconds(60)))
        try await lock.prepare(until: nil)
        let record = StoredToken(
            key: key, generation: 1, login: 7,
            content: .granted(
                .init(accessToken: Secret(String(repeating: "x", count: 100_000)), issuedAt: .seconds(5))))
        #expect(try await store.store(record, for: key, replacing: 0))
        #expect(try await store.load(key) == record)
        await lock.release()
    }
}
