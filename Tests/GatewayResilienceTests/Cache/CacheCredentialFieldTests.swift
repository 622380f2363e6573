import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Credential fields that the caller sets by hand divide the responses of an owner; changes reach all of them.
@Suite struct CacheCredentialFieldTests {
    private static let ada = CacheCredential("a", account: "ada")
    private static let bob = CacheCredential("b", account: "bob")

    @Test(arguments: [
        "X-Auth-Token", "x-csrf-token", "X-Amz-Security-Token", "Private-Token", "Cookie2", "X-Session-ID",
        "Client-Secret", "Signature", "X-Csrf", "apikey",
    ])
    func valuesShareNoResponse(name: String) async throws {
        let name = HTTPField.Name(name)
        let bench = CacheBench(CacheBench.counting())
        #expect(try await bench.send(fields: [name: "one"]).bodyText == "0")
        #expect(try await bench.send(fields: [name: "two"]).bodyText == "1")
        #expect(try await bench.send().bodyText == "2")
        #expect(try await bench.send(fields: [name: "one"]).bodyText == "0")
    }

    /// Each call has a key of its own.
    @Test func anIdempotencyKeyIsNoCredential() async throws {
        var policy = CachePolicy()
        policy.credentialFields = ["idempotency-key"]
        for policy in [CachePolicy(), policy] {
            let bench = CacheBench(CacheBench.counting(), policy: policy)
            try await bench.send(fields: [.idempotencyKey: "one"])
            #expect(try await bench.send(fields: [.idempotencyKey: "two"]).bodyText == "0")
        }
    }

    @Test func aWriteInvalidatesAllPartitionsOfItsOwner() async throws {
        let bench = CacheBench(CacheBench.counting())
        let one: HTTPFields = ["X-CSRF-Token": "one"]
        let reads: [(HTTPFields, CacheCredential)] = [([:], Self.ada), (one, Self.ada), ([:], Self.bob)]
        for (fields, credential) in reads {
            try await bench.send(fields: fields, credentials: credential)
        }
        try await bench.send("/other", credentials: Self.ada)
        bench.clock.advance(by: .milliseconds(1))
        try await bench.send("/x", .put, fields: ["X-CSRF-Token": "two"], credentials: Self.ada)
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.send(credentials: Self.ada).bodyText == "5")
        #expect(try await bench.send(fields: one, credentials: Self.ada).bodyText == "6")
        #expect(try await bench.send(credentials: Self.bob).bodyText == "2")
        #expect(try await bench.send("/other", credentials: Self.ada).bodyText == "3")
    }

    @Test func aReadInAnotherPartitionThatBeganBeforeAWriteIsNotStored() async throws {
        let gate = Gate()
        let bench = CacheBench(
            ScriptedTransport { request, index in
                if request.method == .get, index == 0 { await gate.pass() }
                return .status(200, fields: ["Cache-Control": "max-age=60"], "\(index)")
            })
        let read = Task { try await bench.send(credentials: Self.ada) }
        await gate.waitForArrivals(1)
        try await bench.send("/x", .put, fields: ["X-CSRF-Token": "one"], credentials: Self.ada)
        gate.open()
        #expect(try await read.value.bodyText == "0")
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.send(credentials: Self.ada).bodyText == "2")
    }

    @Test func aWriteWithACredentialFieldInvalidatesInADurableStore() async throws {
        let bench = CacheBench(CacheBench.counting(), store: RecordingStore(isDurable: true))
        try await bench.send(credentials: Self.ada)
        bench.clock.advance(by: .milliseconds(1))
        try await bench.send("/x", .put, fields: [.cookie: "a=b"], credentials: Self.ada)
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.send(credentials: Self.ada).bodyText == "2")
    }

    @Test func aSignOutReachesAllPartitionsOfItsOwner() async throws {
        let bench = CacheBench(CacheBench.counting())
        let one: HTTPFields = ["Private-Token": "one"]
        try await bench.send(credentials: Self.ada)
        try await bench.send(fields: one, credentials: Self.ada)
        try await bench.send(fields: one, credentials: Self.bob)
        try await bench.cache.removeAll(account: "ada")
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.send(credentials: Self.ada).bodyText == "3")
        #expect(try await bench.send(fields: one, credentials: Self.ada).bodyText == "4")
        #expect(try await bench.send(fields: one, credentials: Self.bob).bodyText == "2")
    }

    /// A generated client may have an API key and a token together, each with an account.
    @Test func aSignOutReachesAccountsThatItIsAPartOf() async throws {
        let bench = CacheBench(CacheBench.counting())
        let (both, other) = (
            CacheCredential("a", account: "key|ada"), CacheCredential("b", account: "key|bob")
        )
        try await bench.send(credentials: both)
        try await bench.send(credentials: other)
        try await bench.cache.removeAll(account: "ada")
        #expect(try await bench.send(credentials: both).bodyText == "2")
        #expect(try await bench.send(credentials: other).bodyText == "1")
        // Until a store confirms it, none of them is used.
        var changes = UnconfirmedChanges()
        _ = changes.begin(.owner(.account("ada")))
        let request = try HTTPRequest(.get, "https://a.example/x")
        #expect(changes.concern(bench.cache.key(of: request, both.identity)))
        #expect(!changes.concern(bench.cache.key(of: request, other.identity)))
    }

    /// The values of the fields are kept with the key.
    @Test func credentialFieldsCountAgainstTheLimit() async throws {
        let store = MemoryCacheStore()
        let bench = CacheBench(CacheBench.counting(), store: store)
        try await bench.send(fields: ["Private-Token": String(repeating: "x", count: 5_000)])
        #expect(store.byteCount > 5_000)
    }

    /// Keys that hash alike are found one after the other.
    @Test func valuesHashDifferently() throws {
        let cache = HTTPCache()
        let keys = try (0..<2_000).map { number in
            cache.key(
                of: try HTTPRequest(.get, "https://a.example/", fields: ["X-Auth-Token": "\(number)"]), nil)
        }
        #expect(Set(keys.map(\.hashValue)).count > 1_990)
        #expect(keys[7] == keys[7] && keys[7] != keys[8])
    }
}
