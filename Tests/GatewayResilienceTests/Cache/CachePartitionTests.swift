import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Whose stored response a request may get.
@Suite struct CachePartitionTests {
    /// Replies with the `Authorization` and the `Cookie` of the request.
    private static func echo(_ fields: HTTPFields = ["Cache-Control": "max-age=60"]) -> ScriptedTransport {
        ScriptedTransport { request, _ in
            .status(
                200, fields: fields,
                "\(request.fields[.authorization] ?? "-") \(request.fields[.cookie] ?? "-")")
        }
    }

    @Test func eachCredentialHasItsOwnResponses() async throws {
        let bench = CacheBench(Self.echo())
        let (alice, bob) = (CacheCredential("alice"), CacheCredential("bob"))
        for _ in 0..<2 {
            #expect(try await bench.send(credentials: alice).bodyText == "Bearer alice -")
            #expect(try await bench.send(credentials: bob).bodyText == "Bearer bob -")
            #expect(try await bench.send().bodyText == "- -")
        }
        #expect(bench.transport.requests.count == 3)
    }

    @Test func anotherLoginIsAnotherPartition() async throws {
        let bench = CacheBench(Self.echo())
        try await bench.send(credentials: CacheCredential("key", epoch: 1))
        try await bench.send(credentials: CacheCredential("key", epoch: 2))
        #expect(bench.transport.requests.count == 2)
    }

    @Test func credentialsSetByHandAreKeptApart() async throws {
        let bench = CacheBench(Self.echo())
        for name: HTTPField.Name in [.authorization, .cookie, "X-API-Key", "DPoP"] {
            let before = bench.transport.requests.count
            try await bench.send(fields: [name: "one"])
            try await bench.send(fields: [name: "two"])
            #expect(bench.transport.requests.count == before + 2)
            try await bench.send(fields: [name: "one"])
            #expect(bench.transport.requests.count == before + 2)
        }
    }

    @Test func fieldsThatThePolicyNamesAreCredentialsToo() async throws {
        var policy = CachePolicy()
        policy.credentialFields = ["X-User"]
        let bench = CacheBench(CacheBench.counting(), policy: policy)
        try await bench.send(fields: ["X-User": "one"])
        #expect(try await bench.send(fields: ["X-User": "two"]).bodyText == "1")
        #expect(try await bench.send(fields: ["X-User": "one"]).bodyText == "0")
    }

    /// Their values are in the partition.
    @Test func varyNamesFieldsThatAreSetByHand() async throws {
        let bench = CacheBench(Self.echo(["Cache-Control": "max-age=60", "Vary": "Authorization"]))
        for _ in 0..<2 { try await bench.send(fields: [.authorization: "one"]) }
        #expect(bench.transport.requests.count == 1)
    }

    @Test func aClientCertificateIsAPartOfThePartition() throws {
        let request = try HTTPRequest(.get, "https://a.example/")
        let store = MemoryCacheStore()
        let named = HTTPCache(store: store, certificate: "one").key(of: request, nil)
        #expect(named != HTTPCache(store: store, certificate: "two").key(of: request, nil))
        #expect(named != HTTPCache(store: store).key(of: request, nil))
        let keys = [nil, "one", "two"].map {
            HTTPCache(store: store, certificate: $0).key(
                of: request, CacheCredential("k", account: "me").identity)
        }
        #expect(Set(keys).count == 3)
        #expect(Set(keys.map(\.partition.durableName)).count == 3)
    }

    @Test func aPartitionSurvivesARestartByItsAccount() throws {
        let request = try HTTPRequest(.get, "https://a.example/")
        let cache = HTTPCache()
        // Another process counts epochs anew.
        let first = cache.key(of: request, CredentialIdentity(key: "k", epoch: 1, account: "alice"))
        let second = cache.key(of: request, CredentialIdentity(key: "k", epoch: 9, account: "alice"))
        let other = cache.key(of: request, CredentialIdentity(key: "k", epoch: 1, account: "bob"))
        #expect(first == second)
        #expect(first != other)
        #expect(first.partition.durableName != nil)
        #expect(first.partition.durableName != other.partition.durableName)
    }

    /// Names that Unicode holds for the same are those of two users.
    @Test func accountsAreComparedByTheirBytes() throws {
        let request = try HTTPRequest(.get, "https://a.example/")
        let cache = HTTPCache()
        let keys = ["e\u{301}", "\u{e9}"].map {
            cache.key(of: request, CredentialIdentity(key: "k", epoch: 1, account: $0))
        }
        #expect(keys[0] != keys[1] && Set(keys).count == 2)
        #expect(keys[0].partition.owner != keys[1].partition.owner)
    }

    @Test func partitionsWithoutAnAccountHaveNoDurableName() throws {
        let cache = HTTPCache()
        let plain = try HTTPRequest(.get, "https://a.example/")
        let signed = try HTTPRequest(.get, "https://a.example/", fields: [.cookie: "a=b"])
        #expect(cache.key(of: plain, nil).partition.durableName == nil)
        #expect(cache.key(of: plain, CredentialIdentity(key: "k", epoch: 1)).partition.durableName == nil)
        let account = CredentialIdentity(key: "k", epoch: 1, account: "alice")
        #expect(cache.key(of: signed, account).partition.durableName == nil)
        #expect(cache.key(of: plain, account).partition.durableName == "5:alice")
    }

    @Test func durableNamesDiffer() {
        let names = [
            CachePartition(owner: .account("a"), certificate: "b"), CachePartition(owner: .account("a+b")),
            CachePartition(owner: .account("a")), CachePartition(owner: .account("a"), certificate: ""),
        ].map(\.durableName)
        #expect(Set(names).count == names.count)
    }

    /// GitHub sends such a `Vary`: a cache above the stamp never sees the fields.
    @Test func fieldsOfTheStampAreMatchedByTheCredential() async throws {
        let bench = CacheBench(
            Self.echo(["Cache-Control": "private, max-age=60", "Vary": "Accept, Authorization, Cookie"]))
        let (alice, bob) = (CacheCredential("alice"), CacheCredential("bob"))
        for _ in 0..<2 {
            #expect(try await bench.send(credentials: alice).bodyText == "Bearer alice -")
            #expect(try await bench.send(credentials: bob).bodyText == "Bearer bob -")
        }
        #expect(bench.transport.requests.count == 2)
    }

    @Test func credentialFieldsAreNotStoredWithAResponse() async throws {
        let bench = CacheBench(Self.echo(["Cache-Control": "max-age=60", "Vary": "Cookie, Accept"]))
        try await bench.send(fields: [.cookie: "a=b", .accept: "text/plain"])
        let request = try HTTPRequest(.get, "https://a.example/x", fields: [.cookie: "a=b"])
        let heads = try await bench.store.heads(for: bench.cache.key(of: request, nil))
        #expect(heads.map(\.selecting) == [[.accept: "text/plain"]])
    }

    @Test func aDurableStoreGetsNothingWithoutAnAccount() async throws {
        let store = RecordingStore(isDurable: true)
        let bench = CacheBench(Self.echo(), store: store)
        for _ in 0..<2 {
            try await bench.send()
            try await bench.send(credentials: CacheCredential("alice"))
            try await bench.send(fields: [.cookie: "a=b"], credentials: CacheCredential("k", account: "me"))
        }
        #expect(bench.transport.requests.count == 6)
        #expect(store.calls == 0)
        try await bench.send(credentials: CacheCredential("k", account: "me"))
        #expect(store.calls > 0)
    }

    /// Before the first token of a process only the store of tokens knows the account.
    @Test func theAccountOfTheFirstCallIsAskedFor() async throws {
        let bench = CacheBench(Self.echo(), store: RecordingStore(isDurable: true))
        try await bench.send(credentials: CacheCredential("k", account: "me"))
        #expect(try await bench.send(credentials: UnreadAccount()).exchange.source == .cache)
        #expect(bench.transport.requests.count == 1)
        // A store of tokens that does not answer delays the call no longer than its deadline.
        let gate = Gate()
        let call = Task { try await bench.send(credentials: UnreadAccount(gate)) }
        await gate.waitForArrivals(1)
        #expect(
            await isEventually {
                bench.storeClock.advanceToNextSleeper()
                return bench.transport.requests.count == 2
            })
        #expect(try await call.value.exchange.source == .network)
        // Nor a call that is cancelled.
        let cancelled = Task { try await bench.send("/y", credentials: UnreadAccount(gate)) }
        await gate.waitForArrivals(2)
        cancelled.cancel()
        let error = await #expect(throws: NetworkError.self) { try await cancelled.value }
        #expect(error?.code == .cancelled)
        gate.open()
    }

    /// A login in a store has its account when the first request of the process is stamped.
    @Test func aWriteThatFindsItsAccountInvalidatesTheResponsesOfTheAccount() async throws {
        let (known, found) = (CacheCredential("k", account: "me"), FoundAccount())
        let bench = CacheBench(
            ScriptedTransport { request, index in
                .status(
                    200, fields: ["Cache-Control": index == 4 ? "no-store" : "max-age=60"], "\(index)")
            })
        try await bench.send(credentials: known)
        #expect(try await bench.send(credentials: known).bodyText == "0")
        bench.clock.advance(by: .milliseconds(1))
        try await bench.send("/x", .put, credentials: found)
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.send(credentials: known).bodyText == "2")
        // So do responses that replace a stored one, stored or not.
        #expect(try await bench.send(credentials: found).bodyText == "3")
        #expect(try await bench.send(credentials: known).bodyText == "3")
        #expect(try await bench.send(credentials: found).bodyText == "4")
        #expect(try await bench.send(credentials: known).bodyText == "5")
    }

    /// Whatever the clock of the engine says.
    @Test func whatIsRemovedWhileARequestIsUnderWayIsNotStored() async throws {
        let gate = Gate()
        let bench = CacheBench(
            ScriptedTransport { _, index in
                await gate.pass()
                return .status(200, fields: ["Cache-Control": "max-age=60"], "\(index)")
            })
        bench.clock.advance(by: .seconds(365 * 86_400))
        async let first = bench.send()
        await gate.waitForArrivals(1)
        try await bench.cache.removeAll()
        gate.open()
        #expect(try await first.bodyText == "0")
        #expect(try await bench.send().bodyText == "1")
        #expect(try await bench.send().bodyText == "1")
    }

    @Test func theResponsesOfAnAccountCanBeRemoved() async throws {
        let bench = CacheBench(Self.echo())
        let (alice, bob) = (CacheCredential("a", account: "alice"), CacheCredential("b", account: "bob"))
        try await bench.send(credentials: alice)
        try await bench.send(credentials: bob)
        try await bench.cache.removeAll(account: "alice")
        try await bench.send(credentials: bob)
        #expect(bench.transport.requests.count == 2)
        bench.clock.advance(by: .milliseconds(1))
        try await bench.send(credentials: alice)
        #expect(bench.transport.requests.count == 3)
    }
}

/// The credential of an account that is found when it is stamped.
private final class FoundAccount: CredentialSource {
    let identity = CredentialIdentity(key: "k", epoch: 1)
    func isReady(atLeast generation: UInt64) -> Bool { true }
    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}
    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        CredentialStamp(identity: CredentialIdentity(key: "k", epoch: 1, account: "me"), generation: 1)
    }
}

/// The credential of an account that is known when it was asked for.
private final class UnreadAccount: CredentialSource {
    private let isRead = Locked(false)
    private let gate: Gate?

    init(_ gate: Gate? = nil) { self.gate = gate }

    var identity: CredentialIdentity {
        CredentialIdentity(key: "k", epoch: 1, account: isRead.withLock { $0 } ? "me" : nil)
    }
    func identified() async -> CredentialIdentity {
        if let gate { await gate.pass() }
        isRead.withLock { $0 = true }
        return identity
    }
    func isReady(atLeast generation: UInt64) -> Bool { true }
    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}
    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        CredentialStamp(identity: identity, generation: 1)
    }
}

/// A store in memory that counts its calls, and fails if told so.
final class RecordingStore: CacheStore {
    let isDurable: Bool
    private let inner = MemoryCacheStore()
    private let state = Locked(
        (calls: 0, removals: 0, completions: 0, error: CacheStoreError.Code?.none))

    init(isDurable: Bool = false) { self.isDurable = isDurable }

    var calls: Int { state.withLock { $0.calls } }
    /// The number of removals of an owner, and of attempts to complete one.
    var removals: Int { state.withLock { $0.removals } }
    var completions: Int { state.withLock { $0.completions } }
    func fail(_ code: CacheStoreError.Code?) { state.withLock { $0.error = code } }

    private func enter() throws(CacheStoreError) {
        let error = state.withLock { state in
            state.calls += 1
            return state.error
        }
        if let error { throw CacheStoreError(error, "A test.") }
    }

    func heads(for key: CacheKey) async throws(CacheStoreError) -> [CachedHead] {
        try enter()
        return inner.heads(for: key)
    }
    func body(of id: CachedHead.ID, for key: CacheKey) async throws(CacheStoreError) -> [UInt8]? {
        try enter()
        return inner.body(of: id, for: key)
    }
    func generation(for key: CacheKey) async throws(CacheStoreError) -> CacheGeneration {
        try enter()
        return inner.generation(for: key)
    }
    func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID],
        since generation: CacheGeneration
    ) async throws(CacheStoreError) -> Int? {
        try enter()
        return inner.put(head, body: body, for: key, replacing: replaced, since: generation)
    }
    func update(_ head: CachedHead, for key: CacheKey) async throws(CacheStoreError) {
        try enter()
        inner.update(head, for: key)
    }
    func remove(_ key: CacheKey) async throws(CacheStoreError) {
        try enter()
        inner.remove(key)
    }
    func invalidate(_ key: CacheKey) async throws(CacheStoreError) {
        try enter()
        inner.invalidate(key)
    }
    func removeAll(of owner: CachePartition.Owner) async throws(CacheStoreError) {
        state.withLock { $0.removals += 1 }
        try enter()
        inner.removeAll(of: owner)
    }
    func removeAll() async throws(CacheStoreError) {
        try enter()
        inner.removeAll()
    }
    func completeRemoval(of owner: CachePartition.Owner?) async throws(CacheStoreError) {
        state.withLock { $0.completions += 1 }
        try enter()
    }
}
