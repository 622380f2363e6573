import CSQLite
import Foundation
import GatewayCore
import GatewayResilience
import GatewaySQLite
import GatewayTesting
import Testing

@testable import GatewayDiskCache

/// A store that is broken, full, read-only or of a later version is empty, and says so once.
@Suite struct BrokenFileTests {
    private let fixture: DiskCacheFixture

    init() throws { fixture = try DiskCacheFixture() }

    private static func body(_ id: Int) -> [UInt8] {
        (0..<(1_000 + 700 * id)).map { UInt8(truncatingIfNeeded: $0 / 7 + id) }
    }

    /// Stores 20 responses.
    private func fill() async throws {
        let store = fixture.store()
        for id in 0..<20 {
            let body = Self.body(id)
            try await store.put(
                DiskCacheFixture.head(UInt64(id), bytes: body.count, fields: ["X-Number": "\(id)"]),
                body: body, for: try DiskCacheFixture.key("/\(id)"), replacing: [])
        }
        await store.close()
    }

    /// Reads all responses.
    ///
    /// - Returns: how many were right, and the errors.
    private func read(_ store: DiskCacheStore) async throws -> (right: Int, codes: [CacheStoreError.Code]) {
        var (right, codes) = (0, [CacheStoreError.Code]())
        for id in 0..<20 {
            let key = try DiskCacheFixture.key("/\(id)")
            do throws(CacheStoreError) {
                for head in try await store.heads(for: key) {
                    #expect(head.fields == ["X-Number": "\(id)"] && head.status == 200)
                    guard let body = try await store.body(of: head.id, for: key) else { continue }
                    #expect(body == Self.body(id), "a damaged body was returned")
                    right += 1
                }
            } catch { codes.append(error.code) }
        }
        return (right, codes)
    }

    /// The store works again after damage: what is stored now comes back.
    private func works(_ store: DiskCacheStore) async throws {
        let key = try DiskCacheFixture.key("/new")
        _ = await code { () throws(CacheStoreError) in
            try await store.put(DiskCacheFixture.head(99, bytes: 1), body: [9], for: key, replacing: [])
        }
        try await store.put(
            DiskCacheFixture.head(100, bytes: 1), body: [9], for: key, replacing: [.init(99)])
        #expect(try await store.body(of: .init(100), for: key) == [9])
    }

    @Test func flippedBytesAreNeverServed() async throws {
        try await fill()
        let whole = try fixture.bytes()
        var (damaged, lost) = (0, 0)
        let random = SeededRandomSource(seed: TestSeed.value(1))
        for round in 0..<SoakScale.rounds(20) {
            var bytes = whole
            for _ in 0..<(1 + round % 3) {
                // Beyond the header, whose number and version tell whose file it is.
                bytes[random.int(in: 100..<bytes.count)] ^= UInt8(truncatingIfNeeded: random.next()) | 1
            }
            try fixture.write(bytes)
            let store = fixture.store()
            let found = try await read(store)
            #expect(found.codes.allSatisfy { $0 == .corrupt })
            let again = try await read(store)
            #expect(again.right <= found.right && again.codes.isEmpty, "the damage was found twice")
            if found.right < 20 { lost += 1 }
            if !found.codes.isEmpty { damaged += 1 }
            try await works(store)
            await store.close()
        }
        #expect(damaged > 0 && lost >= damaged, "no damage was found")
    }

    @Test func headsAndBodiesAreThoseOfTheirKeyAndIdentifier() throws {
        let (key, other) = (try DiskCacheFixture.key("/a"), try DiskCacheFixture.key("/b"))
        let (own, others) = (try #require(DiskCacheKey(key)), try #require(DiskCacheKey(other)))
        let (id, otherID) = (CachedHead.ID(1), CachedHead.ID(2))
        let sums = [
            DiskCacheHead.checksum(of: [1], id, own), DiskCacheHead.checksum(of: [1], otherID, own),
            DiskCacheHead.checksum(of: [1], id, others),
        ]
        #expect(Set(sums).count == 3)
        let bytes = DiskCacheHead(head: DiskCacheFixture.head(1, bytes: 1), bodyChecksum: sums[0])
            .encoded(for: own)
        #expect(DiskCacheHead(bytes, id, own)?.head == DiskCacheFixture.head(1, bytes: 1))
        #expect(DiskCacheHead(bytes, otherID, own) == nil && DiskCacheHead(bytes, id, others) == nil)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(DiskCacheHead(damaged, id, own) == nil)
        }
    }

    @Test func aFlippedBodyByteIsOneErrorAndAMiss() async throws {
        try await fill()
        var bytes = try fixture.bytes()
        let pattern = Self.body(19).suffix(3_000)
        let place = try #require(Data(bytes).range(of: Data(pattern))?.lowerBound)
        bytes[place + 100] ^= 1
        try fixture.write(bytes)
        let store = fixture.store()
        let first = try await read(store)
        #expect(first.right == 19 && first.codes == [.corrupt])
        let second = try await read(store)
        #expect(second.right == 19 && second.codes == [])
    }

    @Test(arguments: [0, 1, 15, 16, 71, 72, 99, 100, 512, 4_095, 4_096, 9_000])
    func aTruncatedFileIsReplaced(length: Int) async throws {
        try await fill()
        try fixture.write(Array(try fixture.bytes().prefix(length)))
        let store = fixture.store()
        let found = try await read(store)
        // SQLite takes a file of one byte for an empty one.
        #expect(found.right == 0 && found.codes == (length < 2 ? [] : [.corrupt]))
        try await works(store)
    }

    @Test func aLaterVersionIsLeftAlone() async throws {
        try await fill()
        let clock = ManualClock()
        do {
            let connection = try SQLiteConnection(path: fixture.path, isReadOnly: false)
            try connection.execute("PRAGMA user_version = \(DiskCacheFile.version + 1)")
        }
        let before = try fixture.bytes()
        let store = fixture.store(clock: clock)
        let found = try await read(store)
        #expect(found.right == 0 && found.codes == [.unsupportedVersion])
        clock.advance(by: .seconds(31))
        #expect(try await read(store).codes == [])
        #expect(
            await code { () throws(CacheStoreError) in try await store.removeAll() } == .unsupportedVersion)
        #expect(try fixture.bytes() == before)
    }

    /// A process may begin with the removal of what an earlier one has left.
    @Test func aProblemThatARemovalHasMetIsToldToCallsToo() async throws {
        try await fill()
        do {
            let connection = try SQLiteConnection(path: fixture.path, isReadOnly: false)
            try connection.execute("PRAGMA user_version = \(DiskCacheFile.version + 1)")
        }
        let store = fixture.store()
        #expect(
            await code { () throws(CacheStoreError) in try await store.removeAll() } == .unsupportedVersion)
        #expect(try await read(store).codes == [.unsupportedVersion])
        #expect(try await read(store).codes == [])
    }

    @Test func aFileOfAnotherProgramIsLeftAlone() async throws {
        let text = Array(
            "Not a database, but 80 bytes and more of somebody's text, which is kept as it is.\n".utf8)
        try fixture.write(text)
        let store = fixture.store()
        #expect(try await read(store).codes == [.corrupt])
        #expect(try fixture.bytes() == text)
        try FileManager.default.removeItem(atPath: fixture.path)
        do {
            try fixture.write([])
            let connection = try SQLiteConnection(path: fixture.path, isReadOnly: false)
            try connection.execute("CREATE TABLE mine (a)")
        }
        #expect(try await read(fixture.store()).codes == [.unsupportedVersion])
    }

    @Test func whatCannotBeOpenedIsOneErrorAndTriedAgain() async throws {
        let clock = ManualClock()
        let missing = fixture.directory + "/later"
        let store = DiskCacheStore(
            path: missing + "/http.sqlite", clock: clock, pageLimit: nil, isReadOnly: false)
        #expect(try await read(store).codes == [.unavailable])
        let key = try DiskCacheFixture.key()
        let put = await code { () throws(CacheStoreError) in
            try await store.put(DiskCacheFixture.head(1, bytes: 0), body: [], for: key, replacing: [])
        }
        #expect(put == nil)
        #expect(await code { () throws(CacheStoreError) in try await store.remove(key) } == .unavailable)
        try FileManager.default.createDirectory(atPath: missing, withIntermediateDirectories: false)
        #expect(try await read(store).codes == [])
        #expect(!FileManager.default.fileExists(atPath: missing + "/http.sqlite"), "tried again at once")
        clock.advance(by: .seconds(31))
        try await works(store)
    }

    @Test func aReadOnlyFileIsReadAndOneErrorAtWriting() async throws {
        try await fill()
        let store = fixture.store(isReadOnly: true)
        #expect(try await read(store).right == 20)
        var codes: [CacheStoreError.Code?] = []
        for id in 30..<33 {
            let key = try DiskCacheFixture.key("/\(id)")
            codes.append(
                await code { () throws(CacheStoreError) in
                    try await store.put(
                        DiskCacheFixture.head(UInt64(id), bytes: 0), body: [], for: key, replacing: [])
                })
        }
        #expect(codes == [.unavailable, nil, nil])
        #expect(try await read(store).right == 20)
    }

    @Test func aFullDiskIsOneErrorUntilThereIsRoom() async throws {
        let store = fixture.store(pageLimit: 40)
        var codes: [CacheStoreError.Code?] = []
        for id in 0..<20 {
            let body = Self.body(id)
            let key = try DiskCacheFixture.key("/\(id)")
            codes.append(
                await code { () throws(CacheStoreError) in
                    try await store.put(
                        DiskCacheFixture.head(UInt64(id), bytes: body.count, fields: ["X-Number": "\(id)"]),
                        body: body, for: key, replacing: [])
                })
        }
        #expect(codes.compactMap(\.self) == [.full])
        let found = try await read(store)
        #expect(found.right > 3 && found.right < 20 && found.codes == [])
        try await store.removeAll()
        try await works(store)
    }
}
