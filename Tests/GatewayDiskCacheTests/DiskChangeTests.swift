import Foundation
import GatewayCore
import GatewayResilience
import GatewaySQLite
import GatewayTesting
import Testing

@testable import GatewayDiskCache

/// Changes of a file that several stores share, as processes do; and a file that others read or write for long.
@Suite(.timeLimit(.minutes(2))) struct DiskChangeTests {
    private let fixture: DiskCacheFixture
    private let clock = ManualClock()

    init() throws { fixture = try DiskCacheFixture() }

    private func logBytes() -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: fixture.path + "-wal")
        return attributes?[.size] as? Int ?? 0
    }

    // MARK: Generations

    enum Change: CaseIterable { case invalidation, signOut, all }

    @Test(arguments: Change.allCases)
    func whatBeganBeforeAChangeIsNotStoredByAnyProcess(change: Change) async throws {
        let (a, b) = (fixture.store(), fixture.store())
        let (key, foreign) = (try DiskCacheFixture.key(), try DiskCacheFixture.key("/else", account: "bob"))
        let certified = CacheKey(
            partition: CachePartition(owner: .account("ada"), certificate: "x"), origin: key.origin,
            target: key.target)
        try await fixture.put(1, "old", key, in: a)
        let generation = try await b.generation(for: key)
        switch change {
        case .invalidation: try await a.invalidate(certified)
        case .signOut: try await a.removeAll(of: .account("ada"))
        case .all: try await a.removeAll()
        }
        let head = DiskCacheFixture.head(2, bytes: 1)
        #expect(try await b.put(head, body: [1], for: key, replacing: [], since: generation) == nil)
        #expect(try await b.put(head, body: [1], for: certified, replacing: [], since: generation) == nil)
        #expect(try await b.heads(for: key).isEmpty)
        // An invalidation is about one URI of one owner.
        let isAboutAll = change != .invalidation
        let elsewhere = try await b.put(head, body: [1], for: foreign, replacing: [], since: generation)
        #expect((elsewhere == nil) == isAboutAll)
        let next = try await b.generation(for: key)
        let late = DiskCacheFixture.head(3, bytes: 1)
        #expect(try await b.put(late, body: [1], for: key, replacing: [], since: next) == 0)
        #expect(try await a.heads(for: key).map(\.id) == [.init(3)])
    }

    @Test func aGenerationOfAFileThatWasReplacedIsRefused() async throws {
        let key = try DiskCacheFixture.key()
        let first = fixture.store()
        let generation = try await first.generation(for: key)
        await first.close()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: fixture.path + suffix)
        }
        let second = fixture.store()
        let head = DiskCacheFixture.head(1, bytes: 1)
        #expect(try await second.put(head, body: [1], for: key, replacing: [], since: generation) == nil)
        let other = CacheGeneration(generation.rawValue &+ 1)
        #expect(try await second.put(head, body: [1], for: key, replacing: [], since: other) == nil)
    }

    /// Places are forgotten, and what is in progress is then refused.
    @Test func changesOfManyPlacesTakeLittleRoom() async throws {
        let store = fixture.store()
        let key = try DiskCacheFixture.key()
        let generation = try await store.generation(for: key)
        for number in 0..<1_100 { try await store.invalidate(try DiskCacheFixture.key("/\(number)")) }
        let head = DiskCacheFixture.head(1, bytes: 1)
        #expect(try await store.put(head, body: [1], for: key, replacing: [], since: generation) == nil)
        let next = try await store.generation(for: key)
        #expect(try await store.put(head, body: [1], for: key, replacing: [], since: next) == 0)
        #expect(try fixture.other().number("SELECT count(*) FROM changed") <= 1_024)
    }

    @Test func aCounterThatIsDamagedIsAnEmptyFile() async throws {
        let key = try DiskCacheFixture.key()
        let store = fixture.store()
        try await fixture.put(1, "text", key, in: store)
        try fixture.other().execute("UPDATE counter SET floor = last + 5")
        let damage = await code { () throws(CacheStoreError) in
            try await fixture.put(2, "text", key, in: store)
        }
        #expect(damage == .corrupt)
        try await fixture.put(3, "text", key, in: store)
        #expect(try await store.heads(for: key).map(\.id) == [.init(3)])
    }

    @Test func aFileOfTheFirstVersionIsEmptied() async throws {
        try fixture.write([])
        do {
            let connection = try fixture.other()
            try connection.execute(
                """
                CREATE TABLE head (
                    id INTEGER PRIMARY KEY, key BLOB NOT NULL, owner BLOB NOT NULL, head BLOB NOT NULL,
                    used INTEGER NOT NULL
                );
                CREATE TABLE body (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
                INSERT INTO body VALUES (1, 'old');
                PRAGMA application_id = \(DiskCacheFile.application);
                PRAGMA user_version = 1;
                """)
        }
        let key = try DiskCacheFixture.key()
        let store = fixture.store()
        #expect(try await store.heads(for: key).isEmpty)
        try await fixture.put(1, "new", key, in: store)
        #expect(try await fixture.store().body(of: .init(1), for: key) == Array("new".utf8))
        #expect(try fixture.other().number("SELECT count(*) FROM body") == 1)
    }

    // MARK: Logins that have ended

    private static func login(_ number: UInt64) -> String {
        CredentialIdentity.account(ofLogin: number, key: "0123456789abcdef0123456789abcdef"[...])
    }

    /// A process that has not heard of the end still has the token of the login.
    @Test func nothingIsStoredForALoginThatHasEnded() async throws {
        let (a, b) = (fixture.store(), fixture.store())
        let login = Self.login(7)
        let key = try DiskCacheFixture.key(account: login)
        try await fixture.put(1, "private", key, in: b)
        try await a.removeAll(ofEnded: .account(login))
        let together = try DiskCacheFixture.key("/x", account: "service|" + login)
        for (id, late) in [(UInt64(2), key), (3, together)] {
            let generation = try await b.generation(for: late)
            let head = DiskCacheFixture.head(id, bytes: 1)
            #expect(try await b.put(head, body: [1], for: late, replacing: [], since: generation) == nil)
            try await fixture.put(id, "late", late, in: b)
            #expect(try await b.heads(for: late).isEmpty)
        }
        let next = try DiskCacheFixture.key(account: Self.login(8))
        try await fixture.put(4, "next", next, in: b)
        #expect(try await b.heads(for: next).count == 1)
        // It is noted once, and not by a removal of everything.
        let last = try fixture.other().number("SELECT last FROM counter")
        try await b.removeAll(ofEnded: .account(login))
        #expect(try fixture.other().number("SELECT last FROM counter") == last)
        try await a.removeAll()
        try await fixture.put(5, "late", key, in: b)
        #expect(try await b.heads(for: key).isEmpty)
    }

    @Test func theNewestLoginsThatHaveEndedAreKept() async throws {
        _ = try await fixture.store().generation(for: try DiskCacheFixture.key())
        let connection = try fixture.other()
        let owners = (0..<1_030).map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        try connection.transaction { () throws(SQLiteError) in
            for owner in owners {
                try DiskCacheChanges.end(owner, connection)
                try DiskCacheChanges.noteGone(owner, connection)
            }
        }
        #expect(try connection.number("SELECT count(*) FROM gone") == 1_024)
        #expect(try !DiskCacheChanges.isGone(owners[5], connection))
        #expect(try DiskCacheChanges.isGone(owners[6], connection))
    }

    // MARK: Sign-outs

    /// The reader sees its snapshot, and the log keeps the bytes of it.
    @Test func aSignOutUnderAReaderIsUnreadableAtOnceAndCompleteAfterIt() async throws {
        let (a, b) = (fixture.store(), fixture.store())
        let (key, foreign) = (try DiskCacheFixture.key(), try DiskCacheFixture.key(account: "bob"))
        try await fixture.put(1, String(repeating: "private-", count: 1_000), key, in: a)
        try await fixture.put(2, "public", foreign, in: a)
        // A store that opens the file later completes the sign-out by itself, and would be in the way.
        #expect(try await b.heads(for: key).count == 1)
        let reader = try fixture.other()
        try reader.execute("BEGIN")
        #expect(try reader.number("SELECT count(*) FROM head") == 2)
        #expect(
            await code { () throws(CacheStoreError) in try await a.removeAll(of: .account("ada")) }
                == .notErased)
        for store in [a, b] {
            #expect(try await store.heads(for: key).isEmpty)
            #expect(try await store.body(of: .init(1), for: key) == nil)
            #expect(try await store.body(of: .init(2), for: foreign) == Array("public".utf8))
        }
        #expect(try fixture.holds("private-"))
        try reader.execute("COMMIT")
        try await a.removeAll(of: .account("ada"))
        #expect(try !fixture.holds("private-"))
        #expect(try fixture.other().number("SELECT unerased FROM counter") == 0)
    }

    /// The process that has signed out ends while another one reads.
    @Test func theNextProcessCompletesASignOut() async throws {
        let key = try DiskCacheFixture.key()
        let first = fixture.store()
        try await fixture.put(1, "private-1", key, in: first)
        let reader = try fixture.other()
        try reader.execute("BEGIN")
        #expect(try reader.number("SELECT count(*) FROM head") == 1)
        _ = await code { () throws(CacheStoreError) in try await first.removeAll(of: .account("ada")) }
        let second = fixture.store(clock: clock)
        #expect(try await second.heads(for: key).isEmpty)
        #expect(try fixture.holds("private-"))
        try reader.execute("COMMIT")
        // It was tried when the file was opened, and is tried again after a second.
        let foreign = try DiskCacheFixture.key(account: "bob")
        #expect(
            await isEventually {
                clock.advance(by: .seconds(1))
                try? await fixture.put(2, "public", foreign, in: second)
                return (try? fixture.holds("private-")) == false
            })
        await first.close()
    }

    /// The process has ended between making the responses unreadable and removing them.
    @Test func aSignOutThatWasCutShortIsEndedByTheNextProcess() async throws {
        let (key, foreign) = (try DiskCacheFixture.key(), try DiskCacheFixture.key(account: "bob"))
        let store = fixture.store()
        for id in 0..<600 {
            try await fixture.put(UInt64(id), "private-\(id)", try DiskCacheFixture.key("/\(id)"), in: store)
        }
        try await fixture.put(1_000, "private", key, in: store)
        try await fixture.put(1_001, "public", foreign, in: store)
        let owner = try #require(DiskCacheKey(key)).owner
        do {
            let connection = try fixture.other()
            try connection.transaction { () throws(SQLiteError) in
                try DiskCacheChanges.end(owner, connection)
            }
        }
        #expect(try await store.heads(for: key).isEmpty)
        #expect(try await store.body(of: .init(1_000), for: key) == nil)
        #expect(try await store.heads(for: foreign).count == 1)
        await store.close()
        let next = fixture.store()
        #expect(try await next.heads(for: foreign).count == 1)
        let connection = try fixture.other()
        #expect(try connection.number("SELECT count(*) FROM head") == 1)
        #expect(try connection.number("SELECT count(*) FROM body") == 1)
        #expect(try connection.number("SELECT count(*) FROM ended") == 0)
        #expect(
            await isEventually { (try? connection.number("SELECT unerased FROM counter")) == 0 })
        #expect(try !fixture.holds("private"))
        // A later login with the same account stores again.
        try await fixture.put(1_002, "later", key, in: next)
        #expect(try await next.heads(for: key).count == 1)
    }

    /// A process that has begun to overwrite bytes before the responses were removed does not confirm their removal.
    @Test func aRemovalHasANumberOfItsOwn() async throws {
        let key = try DiskCacheFixture.key()
        let store = fixture.store()
        try await fixture.put(1, "private", key, in: store)
        await store.close()
        let owner = try #require(DiskCacheKey(key)).owner
        let connection = try fixture.other()
        try connection.transaction { () throws(SQLiteError) in
            try DiskCacheChanges.end(owner, connection)
        }
        let seen = try connection.number("SELECT unerased FROM counter")
        // Keeps the next process from overwriting.
        let reader = try fixture.other()
        try reader.execute("BEGIN")
        #expect(try reader.number("SELECT count(*) FROM head") == 1)
        #expect(try await fixture.store().heads(for: key).isEmpty)
        #expect(try connection.number("SELECT count(*) FROM head") == 0)
        #expect(try connection.number("SELECT unerased FROM counter") > seen)
        try reader.execute("COMMIT")
    }

    /// Balancing its trees, SQLite leaves copies of rows in the unused parts of pages.
    @Test func noCopyOfARowIsLeftWhereOthersWere() async throws {
        let store = fixture.store()
        let random = SeededRandomSource(seed: TestSeed.value(4))
        let people = ["ada-", "bob-", "cem-", "dan-"]
        for number in 0..<400 {
            let person = people[random.int(in: 0..<people.count)]
            let text = String(repeating: "of-\(person)", count: random.int(in: 1..<500))
            let key = try DiskCacheFixture.key("/\(number % 250)", account: person)
            let known = try await store.heads(for: key).map(\.id)
            let head = DiskCacheFixture.head(random.next() >> 1, bytes: text.utf8.count)
            try await store.put(head, body: Array(text.utf8), for: key, replacing: known)
        }
        for person in people.dropLast() {
            #expect(try fixture.holds("of-\(person)"))
            try await store.removeAll(of: .account(person))
            #expect(try !fixture.holds("of-\(person)"), "\(person)")
        }
        #expect(try fixture.holds("of-dan-"))
    }

    /// Such as those of an API key and a token together.
    @Test func aSignOutReachesAccountsThatItIsAPartOf() async throws {
        let store = fixture.store()
        let ended = try ["ada", "key|ada", "ada|key"].map { try DiskCacheFixture.key(account: $0) }
        let others = try ["key", "key|bob", "adas|key"].map { try DiskCacheFixture.key(account: $0) }
        for (id, key) in (ended + others).enumerated() {
            try await fixture.put(UInt64(id), "text-\(id)-", key, in: store)
        }
        try await store.removeAll(of: .account("ada"))
        for key in ended { #expect(try await store.heads(for: key).isEmpty) }
        for key in others { #expect(try await store.heads(for: key).count == 1) }
        for id in 0..<3 { #expect(try !fixture.holds("text-\(id)-")) }
        #expect(try fixture.other().number("SELECT count(*) FROM part") == 4)
    }

    // MARK: Others that use the file for long

    /// A writer delays nothing but what writes, each time for a limited time, and that is one error.
    @Test func whatIsLockedByAnotherProcessIsOneErrorAndReadsGoOn() async throws {
        let (key, other) = (try DiskCacheFixture.key(), try DiskCacheFixture.key("/other"))
        let store = fixture.store()
        try await fixture.put(1, "text", key, in: store)
        let writer = try fixture.other()
        try writer.execute("BEGIN IMMEDIATE")
        var codes: [CacheStoreError.Code?] = []
        for id in 2..<5 {
            codes.append(
                await code { () throws(CacheStoreError) in
                    try await fixture.put(UInt64(id), "x", other, in: store)
                })
            #expect(try await store.body(of: .init(1), for: key) == Array("text".utf8))
        }
        #expect(codes == [.unavailable, nil, nil])
        // Changes throw each time: what they are about must not be used.
        for _ in 0..<2 {
            let problem = await code { () throws(CacheStoreError) in try await store.invalidate(key) }
            #expect(problem == .unavailable)
        }
        try writer.execute("COMMIT")
        try await store.invalidate(key)
        #expect(try await store.heads(for: key).isEmpty)
        try await fixture.put(9, "x", other, in: store)
        #expect(try await store.heads(for: other).count == 1)
    }

    /// What nobody waits for any more does not delay what comes behind it.
    @Test func whatWasCancelledIsNotDone() async throws {
        let store = fixture.store()
        let key = try DiskCacheFixture.key()
        let late = try DiskCacheFixture.key("/late")
        try await fixture.put(1, "text", key, in: store)
        let call = Task { () -> CacheStoreError.Code? in
            while !Task.isCancelled { await Task.yield() }
            return await code { () throws(CacheStoreError) in
                try await fixture.put(2, "late", late, in: store)
            }
        }
        call.cancel()
        #expect(await call.value == .timedOut)
        #expect(try await store.heads(for: late).isEmpty)
        #expect(try await store.heads(for: key).count == 1)
    }

    @Test func theLogIsBoundedUnderAReader() async throws {
        let store = fixture.store(byteLimit: 2 << 20, clock: clock)
        let kept = try DiskCacheFixture.key("/kept")
        try await fixture.put(1, "kept", kept, in: store)
        let reader = try fixture.other()
        try reader.execute("BEGIN")
        #expect(try reader.number("SELECT count(*) FROM head") == 1)
        let text = String(repeating: "x", count: 40_000)
        var codes: [CacheStoreError.Code] = []
        for id in 2..<300 {
            let key = try DiskCacheFixture.key("/\(id)")
            let problem = await code { () throws(CacheStoreError) in
                try await fixture.put(UInt64(id), text, key, in: store)
            }
            if let problem { codes.append(problem) }
        }
        #expect(codes == [.full])
        #expect(logBytes() < 3 << 20, "\(logBytes())")
        #expect(try await store.body(of: .init(1), for: kept) == Array("kept".utf8))
        // Changes go on for longer, and then throw.
        var refused = 0
        for number in 0..<1_500 {
            let key = try DiskCacheFixture.key("/none/\(number)")
            let problem = await code { () throws(CacheStoreError) in try await store.invalidate(key) }
            if problem != nil { refused += 1 }
        }
        #expect(refused > 0 && logBytes() < 9 << 20, "\(refused) refused, \(logBytes()) bytes")
        try reader.execute("COMMIT")
        clock.advance(by: .seconds(1))
        try await fixture.put(1_000, text, try DiskCacheFixture.key("/1000"), in: store)
        #expect(try await store.heads(for: try DiskCacheFixture.key("/1000")).count == 1)
        #expect(logBytes() < 2 << 20)
        try await store.invalidate(kept)
        #expect(try await store.heads(for: kept).isEmpty)
    }
}
