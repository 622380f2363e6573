import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Changes of a cache: what a request brings is not stored after a change that came in between, and what a store has not confirmed
/// is not used.
@Suite(.timeLimit(.minutes(1))) struct CacheChangeTests {
    private static let ada = CacheCredential("a", account: "ada")
    private static let limit = Duration.milliseconds(50)

    private func timeouts(_ bench: CacheBench) -> Int {
        bench.events.stateEvents.count { $0.kind == .cacheStoreFailed("timed_out") }
    }

    private func key() throws -> CacheKey {
        CacheKey(partition: .anonymous, origin: try Origin("https://a.example"), target: "/x")
    }

    // MARK: One step

    enum Change: CaseIterable { case signOut, write, all }

    /// The change comes when the cache has asked for everything and the store has not stored yet.
    @Test(arguments: Change.allCases)
    func aChangeWhileAResponseIsBeingStored(change: Change) async throws {
        let store = HeldStore(holding: .put)
        let bench = CacheBench(CacheBench.counting(), store: store)
        let read = Task { try await bench.send(credentials: Self.ada) }
        await store.gate.waitForArrivals(1)
        switch change {
        case .signOut: try await bench.cache.removeAll(account: "ada")
        case .write: try await bench.send("/x", .put, credentials: Self.ada)
        case .all: try await bench.cache.removeAll()
        }
        store.gate.open()
        #expect(try await read.value.bodyText == "0")
        #expect(store.inner.count == 0)
        // What begins later is stored.
        bench.clock.advance(by: .milliseconds(1))
        try await bench.send(credentials: Self.ada)
        #expect(store.inner.count == 1)
    }

    /// Its fields are from before the response that is stored now.
    @Test func aHeadThatTookLongChangesNoNewerResponse() async throws {
        let gate = Gate()
        let bench = CacheBench(
            ScriptedTransport { request, index in
                let fields: HTTPFields = ["Cache-Control": "max-age=60", "ETag": "\"\(index)\""]
                guard request.method == .head else { return .status(200, fields: fields, "\(index)") }
                await gate.pass()
                return .status(200, fields: fields)
            })
        let head = Task { try await bench.send("/x", .head) }
        await gate.waitForArrivals(1)
        bench.clock.advance(by: .milliseconds(1))
        try await bench.send("/x", .put)
        #expect(try await bench.send().bodyText == "2")
        gate.open()
        _ = try await head.value
        #expect(try await bench.send().exchange.source == .cache)
    }

    @Test func aChangeOfAnotherURIOrOwnerDoesNotMatter() throws {
        var changes = CacheChanges()
        let key = try key()
        let other = CacheKey(partition: key.partition, origin: key.origin, target: "/y")
        let generation = changes.generation
        changes.change(other)
        #expect(changes.admits(key, since: generation) && !changes.admits(other, since: generation))
        #expect(changes.admits(other, since: changes.generation))
        #expect(!changes.admits(key, since: CacheGeneration(generation.rawValue &+ 9)))
        changes.changeAll()
        #expect(!changes.admits(key, since: generation) && changes.admits(key, since: changes.generation))
    }

    @Test func aStoreInMemoryForgetsChangesAndRefusesMoreThen() throws {
        var changes = CacheChanges()
        let key = try key()
        let generation = changes.generation
        for number in 0..<CacheChanges.mostKeys {
            changes.change(CacheKey(partition: key.partition, origin: key.origin, target: "/\(number)"))
        }
        #expect(changes.admits(key, since: generation))
        changes.change(CacheKey(partition: key.partition, origin: key.origin, target: "/more"))
        #expect(!changes.admits(key, since: generation))
    }

    // MARK: Limits of time

    @Test func aStoreThatTakesTooLongIsAMissAndOneEvent() async throws {
        let store = HeldStore(holding: .heads)
        let bench = CacheBench(CacheBench.counting(), store: store)
        let call = Task { try await bench.send() }
        await store.gate.waitForArrivals(1)
        await bench.storeClock.waitForSleepers(1)
        #expect(bench.storeClock.requestedDelays == [Self.limit])
        bench.storeClock.advance(by: Self.limit)
        let response = try await call.value
        #expect(response.bodyText == "0" && response.exchange.source == .network)
        #expect(timeouts(bench) == 1)
        store.gate.open()
    }

    /// It is late with storing: the response is there all the same.
    @Test func aStoreThatStoresTooLongDelaysNoResponse() async throws {
        let store = HeldStore(holding: .put)
        let bench = CacheBench(CacheBench.counting(), store: store)
        let call = Task { try await bench.send() }
        await store.gate.waitForArrivals(1)
        await bench.storeClock.waitForSleepers(1)
        bench.storeClock.advance(by: Self.limit)
        #expect(try await call.value.bodyText == "0")
        #expect(timeouts(bench) == 1)
        store.gate.open()
    }

    @Test func withoutALimitTheStoreIsWaitedFor() async throws {
        var policy = CachePolicy()
        policy.storeLimit = nil
        let store = HeldStore(holding: .heads)
        let bench = CacheBench(CacheBench.counting(), policy: policy, store: store)
        let call = Task { try await bench.send() }
        await store.gate.waitForArrivals(1)
        store.gate.open()
        #expect(try await call.value.bodyText == "0")
        #expect(bench.storeClock.requestedDelays.isEmpty && store.inner.count == 1)
    }

    @Test func anInvalidationThatTakesTooLongBlocksItsKey() async throws {
        let store = HeldStore(holding: .invalidate)
        let bench = CacheBench(CacheBench.counting(), store: store)
        try await bench.send()
        try await bench.send("/other")
        bench.clock.advance(by: .milliseconds(1))
        let write = Task { try await bench.send("/x", .put) }
        await store.gate.waitForArrivals(1)
        await bench.storeClock.waitForSleepers(1)
        bench.storeClock.advance(by: Self.limit)
        #expect(try await write.value.bodyText == "2")
        #expect(timeouts(bench) == 1)
        // The store still has the response, and this process does not use it; nor does it store another one.
        #expect(store.inner.count == 2)
        #expect(try await bench.send().bodyText == "3")
        #expect(store.inner.count == 2)
        #expect(try await bench.send("/other").exchange.source == .cache)
        store.gate.open()
        let key = try key()
        #expect(await isEventually { !bench.cache.isUnconfirmed(key) })
        #expect(store.inner.count == 1)
        #expect(try await bench.send().bodyText == "4")
        #expect(try await bench.send().exchange.source == .cache)
    }

    @Test func anInvalidationThatFailsIsTriedAgainUntilTheStoreConfirms() async throws {
        let store = RecordingStore()
        let bench = CacheBench(CacheBench.counting(), store: store)
        try await bench.send()
        store.fail(.unavailable)
        try await bench.send("/x", .put)
        store.fail(nil)
        #expect(try await bench.send().bodyText == "2")
        let key = try key()
        #expect(bench.cache.isUnconfirmed(key))
        #expect(
            await isEventually {
                bench.storeClock.advanceToNextSleeper()
                return !bench.cache.isUnconfirmed(key)
            })
        #expect(try await bench.send().bodyText == "3")
        #expect(try await bench.send().exchange.source == .cache)
        let failures = bench.events.stateEvents.count { $0.kind == .cacheStoreFailed("unavailable") }
        #expect(failures == 1)
    }

    /// cache.invalidation-confirmed
    @Test func aProgramThatEndsWaitsForWhatItsCallsHaveInvalidated() async throws {
        let store = RecordingStore()
        let bench = CacheBench(CacheBench.counting(), store: store)
        try await bench.send()
        store.fail(.unavailable)
        try await bench.send("/x", .post)
        let passed = Deadline(bench.storeClock.now)
        #expect(await !bench.cache.waitUntilRemoved(deadline: passed))
        // No sign-out waits for it.
        #expect(await bench.cache.waitUntilConfirmed(removalsOnly: true, deadline: passed))
        let hasEnded = Locked(false)
        let engine = bench.engine
        let end = Task {
            await engine.shutdown(within: .seconds(60))
            hasEnded.withLock { $0 = true }
        }
        let wait = Task { await bench.cache.waitUntilRemoved() }
        for _ in 0..<100 { await Task.yield() }
        #expect(!hasEnded.withLock { $0 })
        store.fail(nil)
        let key = try key()
        #expect(
            await isEventually {
                bench.storeClock.advanceToNextSleeper()
                return !bench.cache.isUnconfirmed(key)
            })
        #expect(await wait.value)
        await end.value
    }

    /// cache.invalidation-confirmed: for a limited time.
    @Test func aShutdownGivesInvalidationsItsTime() async throws {
        let store = RecordingStore()
        let bench = CacheBench(CacheBench.counting(), store: store)
        store.fail(.unavailable)
        try await bench.send("/x", .post)
        await bench.engine.shutdown(within: .zero)
        #expect(await !bench.cache.waitUntilConfirmed(deadline: Deadline(bench.storeClock.now)))
    }

    @Test func aSignOutIsCompleteWhenTheStoreSaysSo() async throws {
        let store = RecordingStore()
        let bench = CacheBench(CacheBench.counting(), store: store)
        try await bench.send(credentials: Self.ada)
        #expect(await bench.cache.waitUntilRemoved())
        store.fail(.notErased)
        let error = await #expect(throws: CacheStoreError.self) {
            try await bench.cache.removeAll(account: "ada")
        }
        #expect(error?.code == .notErased)
        // Unreadable by what the store says, and not complete.
        let owned = bench.cache.key(of: try HTTPRequest(.get, "https://a.example/x"), Self.ada.identity)
        #expect(!bench.cache.isUnconfirmed(owned))
        let deadline = Deadline(bench.storeClock.now)
        #expect(await !bench.cache.waitUntilRemoved(deadline: deadline))
        store.fail(nil)
        let wait = Task { await bench.cache.waitUntilRemoved() }
        #expect(
            await isEventually {
                bench.storeClock.advanceToNextSleeper()
                return bench.cache.state.withLock { !$0.unconfirmed.hasRemovals }
            })
        #expect(await wait.value)
    }

    /// Once the responses are unreadable in the store, the same sign-out is no change of it any more.
    @Test func aRemovalThatWasNotedIsCompletedAndNotMadeAgain() async throws {
        let store = RecordingStore()
        let bench = CacheBench(CacheBench.counting(), store: store)
        store.fail(.notErased)
        await #expect(throws: CacheStoreError.self) { try await bench.cache.removeAll(account: "ada") }
        #expect(
            await isEventually {
                bench.storeClock.advanceToNextSleeper()
                return store.completions >= 3
            })
        store.fail(nil)
        #expect(
            await isEventually {
                bench.storeClock.advanceToNextSleeper()
                return bench.cache.state.withLock { !$0.unconfirmed.hasRemovals }
            })
        #expect(store.removals == 1)
        // The next sign-out of the account is one.
        try await bench.cache.removeAll(account: "ada")
        #expect(store.removals == 2)
    }

    /// Processes that have kept each other from a change would do so again after equal pauses.
    @Test func thePausesBetweenAttemptsAreRandom() async throws {
        let store = RecordingStore()
        store.fail(.unavailable)
        var pauses: [[Duration]] = []
        for seed in 1...2 as ClosedRange<UInt64> {
            let clock = ManualClock()
            let cache = HTTPCache(store: store, clock: clock, random: SeededRandomSource(seed: seed))
            await #expect(throws: CacheStoreError.self) { try await cache.removeAll(account: "ada") }
            #expect(
                await isEventually {
                    clock.advanceToNextSleeper()
                    return clock.requestedDelays.count >= 12
                })
            pauses.append(Array(clock.requestedDelays.prefix(12)))
        }
        #expect(pauses[0] != pauses[1])
        for pauses in pauses {
            var longest = Duration.milliseconds(100)
            for pause in pauses {
                #expect(pause >= longest / 2 && pause <= longest)
                longest = min(longest * 2, .seconds(30))
            }
        }
    }

    // MARK: What is not confirmed

    @Test func onlyTheLastRequestForAChangeConfirmsIt() throws {
        var changes = UnconfirmedChanges()
        let key = try key()
        let (change, first) = changes.begin(.place(key))
        let (_, second) = changes.begin(.place(key))
        #expect(change == .place(key) && changes.concern(key))
        _ = changes.confirm(change, first)
        #expect(changes.concern(key) && changes.number(of: change) == second)
        _ = changes.confirm(change, second)
        #expect(!changes.concern(key) && changes.number(of: change) == nil)
    }

    @Test func aChangeIsTriedAgainByOneTask() throws {
        var changes = UnconfirmedChanges()
        let (change, number) = changes.begin(.owner(.anonymous))
        let key = try key()
        let isFirst = changes.fail(change, number, isReadable: true)
        #expect(isFirst && changes.concern(key))
        #expect(!changes.isNoted(change, number))
        let isSecond = changes.fail(change, number, isReadable: false)
        #expect(!isSecond && !changes.concern(key) && changes.hasRemovals)
        #expect(changes.isNoted(change, number))
        // A sign-out later: the first one says nothing about it.
        let (_, next) = changes.begin(change)
        #expect(!changes.isNoted(change, next))
        _ = changes.fail(change, number, isReadable: false)
        #expect(changes.concern(key))
        _ = changes.confirm(change, next)
        #expect(!changes.hasRemovals)
    }

    @Test func beyondANumberOfChangesEverythingIsRemoved() throws {
        var changes = UnconfirmedChanges()
        let key = try key()
        for number in 0..<UnconfirmedChanges.most {
            let place = CacheKey(partition: key.partition, origin: key.origin, target: "/\(number)")
            let (change, _) = changes.begin(.place(place))
            #expect(change == .place(place))
        }
        #expect(!changes.concern(key))
        let (change, _) = changes.begin(.place(key))
        #expect(change == .all && changes.concern(key))
    }
}

/// A store in memory, one kind of whose calls waits for a gate.
final class HeldStore: CacheStore {
    enum Call { case heads, put, invalidate }

    let inner = MemoryCacheStore()
    let gate = Gate()
    private let held: Call

    init(holding held: Call) { self.held = held }

    var isDurable: Bool { false }

    private func hold(_ call: Call) async {
        if call == held { await gate.pass() }
    }

    func heads(for key: CacheKey) async throws(CacheStoreError) -> [CachedHead] {
        await hold(.heads)
        return inner.heads(for: key)
    }
    func body(of id: CachedHead.ID, for key: CacheKey) async throws(CacheStoreError) -> [UInt8]? {
        inner.body(of: id, for: key)
    }
    func generation(for key: CacheKey) async throws(CacheStoreError) -> CacheGeneration {
        inner.generation(for: key)
    }
    func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID],
        since generation: CacheGeneration
    ) async throws(CacheStoreError) -> Int? {
        await hold(.put)
        return inner.put(head, body: body, for: key, replacing: replaced, since: generation)
    }
    func update(_ head: CachedHead, for key: CacheKey) async throws(CacheStoreError) {
        inner.update(head, for: key)
    }
    func remove(_ key: CacheKey) async throws(CacheStoreError) { inner.remove(key) }
    func invalidate(_ key: CacheKey) async throws(CacheStoreError) {
        await hold(.invalidate)
        inner.invalidate(key)
    }
    func removeAll(of owner: CachePartition.Owner) async throws(CacheStoreError) {
        inner.removeAll(of: owner)
    }
    func removeAll() async throws(CacheStoreError) { inner.removeAll() }
}
