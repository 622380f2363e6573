import GatewayCore
import GatewayResilience
import GatewaySQLite
import GatewayTesting
import Testing

@testable import GatewayDiskCache

/// Sign-outs by several stores that share a file, as processes do, at the same time.
@Suite(.timeLimit(.minutes(2))) struct SignOutsTogetherTests {
    private let fixture: DiskCacheFixture
    private let clock = ManualClock()

    init() throws { fixture = try DiskCacheFixture() }

    /// The second one has noted its sign-out before the first one confirms, and is no reason to begin again.
    @Test func twoSignOutsAtTheSameTimeBothConfirm() async throws {
        let gates = [Gate(), Gate()]
        let stores = gates.map { gate in fixture.store(onErasing: { await gate.pass() }) }
        let accounts = ["ada", "bob"]
        for (number, account) in accounts.enumerated() {
            let key = try DiskCacheFixture.key(account: account)
            try await fixture.put(UInt64(number), "private-\(number)", key, in: stores[number])
        }
        var removals: [Task<CacheStoreError.Code?, Never>] = []
        for (number, gate) in gates.enumerated() {
            let (store, account) = (stores[number], accounts[number])
            removals.append(
                Task {
                    await code { () throws(CacheStoreError) in
                        try await store.removeAll(of: .account(account))
                    }
                })
            // It is noted, and the log is empty.
            await gate.waitForArrivals(1)
        }
        for (number, gate) in gates.enumerated() {
            gate.open()
            #expect(await removals[number].value == nil)
            #expect(try !fixture.holds("private-\(number)"))
        }
        #expect(try fixture.other().number("SELECT unerased FROM counter") == 0)
    }

    /// Noted at each attempt, it would keep other processes from confirming theirs, and requests from storing.
    @Test func aSignOutThatIsCompletedLaterIsNotedOnce() async throws {
        let store = fixture.store(clock: clock)
        let (key, foreign) = (try DiskCacheFixture.key(), try DiskCacheFixture.key(account: "bob"))
        try await fixture.put(1, "private-1", key, in: store)
        let reader = try fixture.other()
        try reader.execute("BEGIN")
        #expect(try reader.number("SELECT count(*) FROM head") == 1)
        let owner = CachePartition.Owner.account("ada")
        #expect(
            await code { () throws(CacheStoreError) in try await store.removeAll(of: owner) } == .notErased)
        let generation = try await store.generation(for: foreign)
        let unerased = try fixture.other().number("SELECT unerased FROM counter")
        for _ in 0..<3 {
            let problem = await code { () throws(CacheStoreError) in
                try await store.completeRemoval(of: owner)
            }
            #expect(problem == .notErased)
        }
        #expect(try await store.generation(for: foreign) == generation)
        #expect(try fixture.other().number("SELECT unerased FROM counter") == unerased)
        let head = DiskCacheFixture.head(2, bytes: 1)
        #expect(
            try await store.put(head, body: [1], for: foreign, replacing: [], since: generation) == 0)
        try reader.execute("COMMIT")
        try await store.completeRemoval(of: owner)
        #expect(try !fixture.holds("private-"))
        #expect(try fixture.other().number("SELECT unerased FROM counter") == 0)
        #expect(try await store.heads(for: foreign).count == 1)
    }

    /// Another process has removed the responses, and its next login has stored others: nothing more is removed.
    @Test func whatAnotherProcessHasRemovedIsNotRemovedAgain() async throws {
        let (a, b) = (fixture.store(), fixture.store())
        let key = try DiskCacheFixture.key()
        try await fixture.put(1, "text", key, in: a)
        try await b.removeAll(of: .account("ada"))
        try await fixture.put(2, "later", key, in: b)
        let last = try await a.generation(for: key)
        try await a.completeRemoval(of: .account("ada"))
        #expect(try await a.generation(for: key) == last)
        #expect(try await a.heads(for: key).map(\.id) == [.init(2)])
    }
}
