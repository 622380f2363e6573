import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@testable import GatewayDiskCache

@Suite struct DiskCacheStoreTests {
    private let fixture: DiskCacheFixture

    init() throws { fixture = try DiskCacheFixture() }

    @Test func memoryAndDiskConform() async {
        let memory = await CacheStoreConformance { MemoryCacheStore() }.failures()
        #expect(memory == [])
        let disk = await CacheStoreConformance {
            let fixture = try DiskCacheFixture()
            return HeldStore(store: fixture.store(), fixture: fixture)
        }.failures()
        #expect(disk == [])
    }

    @Test func aStoreThatIsWrongIsFound() async {
        let failures = await CacheStoreConformance { ForgetfulStore() }.failures()
        #expect(failures.contains { $0.hasPrefix("round trip") })
        #expect(failures.contains { $0.hasPrefix("variants") })
        #expect(failures.contains { $0.hasPrefix("update") })
    }

    @Test func responsesOutliveTheProcess() async throws {
        let key = try DiskCacheFixture.key()
        let head = DiskCacheFixture.head(.max, bytes: 3)
        do {
            let store = fixture.store()
            try await store.put(head, body: [1, 2, 3], for: key, replacing: [])
            await store.close()
        }
        let next = fixture.store()
        #expect(try await next.heads(for: key) == [head])
        #expect(try await next.body(of: head.id, for: key) == [1, 2, 3])
    }

    @Test func theEnvironmentNamesAFileAndItsSize() async throws {
        let make: @Sendable (String) throws -> any CacheStore = DiskCacheStore.fromEnvironment
        let key = try DiskCacheFixture.key()
        let body = [UInt8](repeating: 1, count: 256 << 10)
        func isStored(_ place: String) async throws -> Bool {
            let store = try #require(try make(place) as? DiskCacheStore)
            let head = DiskCacheFixture.head(1, bytes: body.count)
            try await store.put(head, body: body, for: key, replacing: [])
            let heads = try await store.heads(for: key)
            try await store.removeAll()
            await store.close()
            return !heads.isEmpty
        }
        #expect(try await isStored(fixture.path))
        #expect(try await isStored("1048576:" + fixture.path))
        #expect(try await isStored(fixture.path + ":a"))
        // A response larger than the limit is not stored.
        #expect(try await !isStored("131072:" + fixture.path))
        for place in [
            "", "http.sqlite", "./http.sqlite", "/", fixture.directory + "/",
            fixture.directory + "/none/http.sqlite",
            "0:" + fixture.path, "-1:" + fixture.path, "1k:" + fixture.path, "1048576:",
            "1048576:http.sqlite",
            ":" + fixture.path,
        ] {
            #expect(throws: CacheStoreError.self, "\(place)") { try make(place) }
        }
    }

    @Test func twoStoresShareAFile() async throws {
        let (a, b) = (fixture.store(), fixture.store())
        let key = try DiskCacheFixture.key()
        try await a.put(DiskCacheFixture.head(1, bytes: 1), body: [1], for: key, replacing: [])
        try await b.put(DiskCacheFixture.head(2, bytes: 1), body: [2], for: key, replacing: [.init(1)])
        #expect(try await a.heads(for: key).map(\.id) == [.init(2)])
        #expect(try await a.body(of: .init(2), for: key) == [2])
    }

    @Test func onlyTheUserMayReadTheFiles() async throws {
        try fixture.write([])
        let store = fixture.store()
        let key = try DiskCacheFixture.key()
        try await store.put(DiskCacheFixture.head(1, bytes: 1), body: [1], for: key, replacing: [])
        for suffix in ["", "-wal", "-shm"] { #expect(try fixture.mode(suffix) == 0o600, "\(suffix)") }
    }

    @Test func noAccountNoTargetAndNoCookieIsInTheFile() async throws {
        let store = fixture.store()
        let key = try DiskCacheFixture.key("/books?key=hush-target", account: "hush-account")
        let plain = DiskCacheFixture.head(1, bytes: 4, fields: ["X-Plain": "plain-field"])
        try await store.put(plain, body: Array("body".utf8), for: key, replacing: [])
        let cookie = DiskCacheFixture.head(2, bytes: 0, fields: ["Set-Cookie": "a=hush-cookie"])
        #expect(try await store.put(cookie, body: [], for: key, replacing: []) == 0)
        #expect(try fixture.holds("plain-field"), "the search finds what is stored")
        #expect(try !fixture.holds("hush"))
        #expect(try await store.heads(for: key) == [plain])
        // A validation that sets a cookie removes the response.
        try await store.update(
            DiskCacheFixture.head(1, bytes: 4, fields: ["Set-Cookie": "a=hush-cookie"]), for: key)
        #expect(try await store.heads(for: key).isEmpty)
        #expect(try !fixture.holds("hush"))
    }

    /// The names of credential fields are those of the engine's one list.
    @Test(arguments: ["X-Auth-Token", "Set-Cookie2", "Authentication-Info", "X-Session", "X-CSRF-Token"])
    func noCredentialIsInTheFile(name: String) async throws {
        let store = fixture.store()
        let key = try DiskCacheFixture.key()
        var fields: HTTPFields = [:]
        fields[HTTPField.Name(name)] = "hush"
        let head = DiskCacheFixture.head(1, bytes: 0, fields: fields)
        #expect(try await store.put(head, body: [], for: key, replacing: []) == 0)
        #expect(try await store.heads(for: key).isEmpty)
        #expect(try !fixture.holds("hush"))
    }

    /// A change with one certificate removes what was stored with the others of the account, and nothing else.
    @Test func aChangeReachesAllCertificates() async throws {
        let store = fixture.store()
        func key(_ target: String, _ account: String, _ certificate: String?) throws -> CacheKey {
            CacheKey(
                partition: CachePartition(owner: .account(account), certificate: certificate),
                origin: try Origin("https://api.example.com"), target: target)
        }
        let changed = try [nil, "one", "two"].map { try key("/books", "ada", $0) }
        let others = [
            try key("/books", "bob", "one"), try key("/books/1", "ada", "one"),
            try key("/books/1", "ada", nil),
        ]
        for (id, key) in (changed + others).enumerated() {
            try await store.put(
                DiskCacheFixture.head(UInt64(id), bytes: 0), body: [], for: key, replacing: [])
        }
        for key in changed + others { #expect(try await store.heads(for: key).count == 1) }
        try await store.invalidate(changed[1])
        for key in changed { #expect(try await store.heads(for: key).isEmpty) }
        for key in others { #expect(try await store.heads(for: key).count == 1) }
        try await store.remove(others[1])
        #expect(try await store.heads(for: others[1]).isEmpty)
        #expect(try await store.heads(for: others[2]).count == 1)
    }

    @Test func signOutWipesTheFile() async throws {
        let store = fixture.store()
        let (mine, other) = (try DiskCacheFixture.key(), try DiskCacheFixture.key(account: "bob"))
        for (id, text) in ["private-1", "private-2", "private-3"].enumerated() {
            let fields: HTTPFields = ["X-Text": text]
            let body = Array(String(repeating: text, count: 5_000).utf8)
            let head = DiskCacheFixture.head(UInt64(id), bytes: body.count, fields: fields)
            // Each replaces the one before, which is overwritten, too.
            try await store.put(
                head, body: body, for: mine, replacing: [.init(UInt64(max(0, id - 1)))])
        }
        try await store.put(
            DiskCacheFixture.head(9, bytes: 6), body: Array("public".utf8), for: other, replacing: [])
        #expect(try fixture.holds("private-3"))
        try await store.removeAll(of: .account("ada"))
        #expect(try !fixture.holds("private-"))
        #expect(try await store.heads(for: mine).isEmpty)
        #expect(try await store.body(of: .init(9), for: other) == Array("public".utf8))
        await store.close()
        #expect(try !fixture.holds("private-"))
        try await store.removeAll()
        #expect(try !fixture.holds("public"))
    }

    @Test func theLimitHolds() async throws {
        let limit = 1 << 20
        let store = fixture.store(byteLimit: limit)
        var evicted = 0
        var random = UInt64(1)
        for id in 0..<800 {
            random = SplitMix64.scatter(UInt64(id))
            let body = [UInt8](repeating: UInt8(truncatingIfNeeded: random), count: Int(random % 40_000))
            evicted += try await store.put(
                DiskCacheFixture.head(UInt64(id), bytes: body.count), body: body,
                for: try DiskCacheFixture.key("/\(id)"), replacing: [])
            if id % 100 == 0 { #expect(try fixture.bytes().count <= limit) }
        }
        #expect(try fixture.bytes().count <= limit)
        #expect(evicted > 700)
        // What is there fills most of it.
        var kept = 0
        for id in 0..<800 {
            for head in try await store.heads(for: try DiskCacheFixture.key("/\(id)")) {
                kept += head.bodyBytes
            }
        }
        #expect(kept > limit * 3 / 4)
    }

    @Test func theLeastRecentlyUsedGoesFirst() async throws {
        let store = fixture.store(byteLimit: 512 << 10)
        let first = try DiskCacheFixture.key("/first")
        let body = [UInt8](repeating: 1, count: 50_000)
        try await store.put(
            DiskCacheFixture.head(1_000, bytes: body.count), body: body, for: first, replacing: [])
        for id in 0..<40 {
            let key = try DiskCacheFixture.key("/\(id)")
            try await store.put(
                DiskCacheFixture.head(UInt64(id), bytes: body.count), body: body, for: key, replacing: [])
            #expect(try await store.body(of: .init(1_000), for: first) == body)
        }
        #expect(try await store.heads(for: try DiskCacheFixture.key("/0")).isEmpty)
        #expect(try await store.heads(for: try DiskCacheFixture.key("/39")).count == 1)
    }

    @Test func usesCountAcrossProcesses() async throws {
        let body = [UInt8](repeating: 1, count: 50_000)
        var keys: [CacheKey] = []
        for id in 0..<8 { keys.append(try DiskCacheFixture.key("/\(id)")) }
        func put(_ store: DiskCacheStore, _ id: Int) async throws {
            try await store.put(
                DiskCacheFixture.head(UInt64(id), bytes: body.count), body: body, for: keys[id],
                replacing: [])
        }
        let first = fixture.store(byteLimit: 512 << 10)
        for id in 0..<7 { try await put(first, id) }
        await first.close()
        let second = fixture.store(byteLimit: 512 << 10)
        #expect(try await second.body(of: .init(0), for: keys[0]) == body)
        for _ in 0..<4 { try await put(second, 7) }
        let third = try DiskCacheFixture.key("/third")
        for id in 100..<104 {
            try await second.put(
                DiskCacheFixture.head(UInt64(id), bytes: body.count), body: body, for: third, replacing: [])
        }
        #expect(try await second.heads(for: keys[0]).count == 1)
        #expect(try await second.heads(for: keys[1]).isEmpty)
    }

    @Test func aResponseLargerThanTheLimitIsNotStored() async throws {
        let store = fixture.store(byteLimit: 128 << 10)
        let key = try DiskCacheFixture.key()
        try await store.put(DiskCacheFixture.head(1, bytes: 1), body: [1], for: key, replacing: [])
        let body = [UInt8](repeating: 1, count: 200_000)
        try await store.put(
            DiskCacheFixture.head(2, bytes: body.count), body: body, for: key, replacing: [.init(1)])
        #expect(try await store.heads(for: key).isEmpty)
    }
}

/// A store whose directory lives as long as it does.
private struct HeldStore: CacheStore {
    let store: DiskCacheStore
    let fixture: DiskCacheFixture
    var isDurable: Bool { store.isDurable }

    func heads(for key: CacheKey) async throws(CacheStoreError) -> [CachedHead] {
        try await store.heads(for: key)
    }
    func body(of id: CachedHead.ID, for key: CacheKey) async throws(CacheStoreError) -> [UInt8]? {
        try await store.body(of: id, for: key)
    }
    func generation(for key: CacheKey) async throws(CacheStoreError) -> CacheGeneration {
        try await store.generation(for: key)
    }
    func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID],
        since generation: CacheGeneration
    ) async throws(CacheStoreError) -> Int? {
        try await store.put(head, body: body, for: key, replacing: replaced, since: generation)
    }
    func update(_ head: CachedHead, for key: CacheKey) async throws(CacheStoreError) {
        try await store.update(head, for: key)
    }
    func remove(_ key: CacheKey) async throws(CacheStoreError) { try await store.remove(key) }
    func invalidate(_ key: CacheKey) async throws(CacheStoreError) { try await store.invalidate(key) }
    func removeAll(of owner: CachePartition.Owner) async throws(CacheStoreError) {
        try await store.removeAll(of: owner)
    }
    func removeAll() async throws(CacheStoreError) { try await store.removeAll() }
    func completeRemoval(of owner: CachePartition.Owner?) async throws(CacheStoreError) {
        try await store.completeRemoval(of: owner)
    }
}

/// A store that stores nothing.
private struct ForgetfulStore: CacheStore {
    var isDurable: Bool { false }
    func heads(for key: CacheKey) -> [CachedHead] { [] }
    func body(of id: CachedHead.ID, for key: CacheKey) -> [UInt8]? { nil }
    func generation(for key: CacheKey) -> CacheGeneration { .init(0) }
    func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing: [CachedHead.ID],
        since generation: CacheGeneration
    ) -> Int? { 0 }
    func update(_ head: CachedHead, for key: CacheKey) {}
    func remove(_ key: CacheKey) {}
    func invalidate(_ key: CacheKey) {}
    func removeAll(of owner: CachePartition.Owner) {}
    func removeAll() {}
}
