import GatewayCore
public import GatewayResilience

/// Checks that a ``GatewayResilience/CacheStore`` meets its requirements.
///
/// ```swift
/// @Test func conforms() async {
///     let failures = await CacheStoreConformance { MyStore(byteLimit: 8 << 20) }.failures()
///     #expect(failures == [])
/// }
/// ```
/// Failures are returned as values, so the suite works inside and outside of a test run.
public struct CacheStoreConformance: Sendable {
    private let make: @Sendable () async throws -> any CacheStore

    /// Creates a suite.
    ///
    /// - Parameter make: creates a new, empty store each time, with space for at least 8 MiB.
    public init(_ make: @escaping @Sendable () async throws -> any CacheStore) { self.make = make }

    /// Runs all checks, in some tenths of a second.
    ///
    /// - Returns: the failures, each with the name of its check; empty if there are none.
    public func failures() async -> [String] {
        let checks: [(String, @Sendable (any CacheStore, inout Findings) async throws -> Void)] = [
            ("empty", empty), ("round trip", roundTrip), ("variants", variants), ("replacing", replacing),
            ("update", update), ("partitions apart", partitionsApart), ("keys apart", keysApart),
            ("remove", remove), ("remove an owner", removeOwner), ("remove all", removeAll),
            ("changes", changes), ("repeated removals", repeatedRemovals),
            ("removals at the same time", removalsAtTheSameTime), ("refused partitions", refusedPartitions),
            ("concurrent use", concurrentUse),
        ]
        return await ConformanceFindings.failures(
            checks.map { [make] (name, check) in (name, { try await check(try await make(), &$0) }) })
    }

    // MARK: Samples

    private static func key(
        _ target: String = "/books?q=1", account: String = "ada", certificate: String? = nil,
        origin: String = "https://api.example.com"
    ) throws -> CacheKey {
        CacheKey(
            partition: CachePartition(owner: .account(account), certificate: certificate),
            origin: try Origin(origin), target: target)
    }

    private static func head(
        _ id: UInt64, bytes: Int, status: Int = 200, fields: HTTPFields = ["ETag": "\"1\""],
        selecting: HTTPFields = [:]
    ) -> CachedHead {
        CachedHead(
            id: .init(id), status: status, fields: fields, requested: .milliseconds(1_767_225_600_123),
            received: .milliseconds(1_767_225_600_456), selecting: selecting, bodyBytes: bytes,
            isDecoded: id.isMultiple(of: 2))
    }

    // MARK: Checks

    private func empty(_ store: any CacheStore, _ found: inout Findings) async throws {
        let key = try Self.key()
        try await store.update(Self.head(1, bytes: 0), for: key)
        try await store.remove(key)
        let heads = try await store.heads(for: key)
        let body = try await store.body(of: .init(1), for: key)
        found.expect(heads.isEmpty, "an empty store has a response")
        found.expect(body == nil, "an empty store has a body")
    }

    private func roundTrip(_ store: any CacheStore, _ found: inout Findings) async throws {
        let odd = "ü \"quoted\" \\ \u{1F600} %7C|;, \u{7F}"
        var fields: HTTPFields = ["ETag": "W/\"a\"", "Vary": "Accept-Language", "X-Odd": "", "x-odd": "\t"]
        fields.append("X-Long", String(repeating: "x", count: 70_000))
        let bodies: [[UInt8]] = [
            [], [0], Array(0...255), [UInt8](repeating: 0xAB, count: 4_096), Self.body(1 << 20, seed: 7),
        ]
        for (index, body) in bodies.enumerated() {
            let key = try Self.key("/\(odd)/\(index)", account: odd, certificate: index == 0 ? odd : nil)
            let head = Self.head(
                UInt64.max - UInt64(index), bytes: body.count, status: 200 + index, fields: fields,
                selecting: ["Accept-Language": "de,en"])
            try await store.put(head, body: body, for: key, replacing: [])
            found.expect(try await store.heads(for: key) == [head], "head \(index) is another one")
            found.expect(
                try await store.body(of: head.id, for: key) == body, "body \(index) is another one")
        }
    }

    private func variants(_ store: any CacheStore, _ found: inout Findings) async throws {
        let key = try Self.key()
        for id in 1...16 {
            let head = Self.head(UInt64(id), bytes: 1, selecting: ["Accept-Language": "x\(id)"])
            try await store.put(head, body: [UInt8(id)], for: key, replacing: [])
        }
        let heads = try await store.heads(for: key)
        found.expect(Set(heads.map(\.id.rawValue)) == Set(1...16), "variants are missing")
        for head in heads {
            found.expect(
                try await store.body(of: head.id, for: key) == [UInt8(head.id.rawValue)],
                "a variant has the body of another one")
        }
    }

    private func replacing(_ store: any CacheStore, _ found: inout Findings) async throws {
        let key = try Self.key()
        for id in 1...3 {
            try await store.put(Self.head(UInt64(id), bytes: 1), body: [1], for: key, replacing: [])
        }
        try await store.put(
            Self.head(4, bytes: 1), body: [4], for: key, replacing: [.init(1), .init(3), .init(99)])
        let heads = try await store.heads(for: key)
        let other = try Self.key("/other")
        try await store.put(Self.head(5, bytes: 1), body: [5], for: other, replacing: [.init(2)])
        let untouched = try await store.heads(for: key)
        found.expect(Set(heads.map(\.id.rawValue)) == [2, 4], "not exactly the named responses are replaced")
        found.expect(try await store.body(of: .init(1), for: key) == nil, "a replaced response has a body")
        found.expect(untouched.count == 2, "a response of another key was replaced")
    }

    private func update(_ store: any CacheStore, _ found: inout Findings) async throws {
        let key = try Self.key()
        try await store.put(Self.head(1, bytes: 3), body: [1, 2, 3], for: key, replacing: [])
        let new = Self.head(1, bytes: 3, fields: ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
        try await store.update(new, for: key)
        let gone = Self.head(2, bytes: 3)
        try await store.update(gone, for: key)
        let foreign = try Self.key("/other")
        try await store.update(Self.head(1, bytes: 3, fields: [:]), for: foreign)
        found.expect(try await store.heads(for: key) == [new], "the head is not the new one")
        found.expect(try await store.body(of: new.id, for: key) == [1, 2, 3], "the body has changed")
        found.expect(try await store.heads(for: foreign).isEmpty, "a response appears under another key")
    }

    private func partitionsApart(_ store: any CacheStore, _ found: inout Findings) async throws {
        // Several of these are equal if they are concatenated without lengths.
        let partitions: [(String, String?)] = [
            ("ada", nil), ("ada", "x"), ("ada+x", nil), ("bob", nil), ("", nil), ("ada", ""), ("a", "da"),
            ("1:a", nil),
        ]
        for (index, (account, certificate)) in partitions.enumerated() {
            let key = try Self.key(account: account, certificate: certificate)
            found.expect(try await store.heads(for: key).isEmpty, "partition \(index) is another one")
            try await store.put(
                Self.head(UInt64(index), bytes: 1), body: [UInt8(index)], for: key, replacing: [])
        }
        for (index, (account, certificate)) in partitions.enumerated() {
            let key = try Self.key(account: account, certificate: certificate)
            found.expect(
                try await store.body(of: .init(UInt64(index)), for: key) == [UInt8(index)],
                "partition \(index) has lost its response")
            let other = try await store.body(of: .init(UInt64((index + 1) % partitions.count)), for: key)
            found.expect(other == nil, "a body is returned for another partition")
        }
    }

    private func keysApart(_ store: any CacheStore, _ found: inout Findings) async throws {
        let keys = [
            try Self.key("/a"), try Self.key("/A"), try Self.key("/a?"), try Self.key("/a/"),
            try Self.key("/a", origin: "http://api.example.com"),
            try Self.key("/a", origin: "https://api.example.com:8443"),
            try Self.key("/a", origin: "https://api.example.org"),
        ]
        for (index, key) in keys.enumerated() {
            found.expect(try await store.heads(for: key).isEmpty, "key \(index) is another one")
            try await store.put(
                Self.head(UInt64(index), bytes: 0), body: [], for: key, replacing: [])
        }
    }

    private func remove(_ store: any CacheStore, _ found: inout Findings) async throws {
        let (key, other) = (try Self.key("/a"), try Self.key("/b"))
        try await store.put(Self.head(1, bytes: 0), body: [], for: key, replacing: [])
        try await store.put(Self.head(2, bytes: 0), body: [], for: key, replacing: [])
        try await store.put(Self.head(3, bytes: 0), body: [], for: other, replacing: [])
        try await store.remove(key)
        found.expect(try await store.heads(for: key).isEmpty, "responses are left")
        found.expect(try await store.heads(for: other).count == 1, "another key has lost its response")
    }

    private func removeOwner(_ store: any CacheStore, _ found: inout Findings) async throws {
        let mine = [
            try Self.key("/a"), try Self.key("/b", certificate: "x"), try Self.key("/c", account: "key|ada"),
        ]
        let other = try Self.key("/a", account: "bob")
        for (id, key) in (mine + [other]).enumerated() {
            try await store.put(Self.head(UInt64(id), bytes: 1), body: [1], for: key, replacing: [])
        }
        try await store.removeAll(of: .account("ada"))
        found.expect(
            try await store.heads(for: other).count == 1, "another owner has lost a response")
        for (id, key) in mine.enumerated() {
            found.expect(try await store.heads(for: key).isEmpty, "a response is left")
            found.expect(
                try await store.body(of: .init(UInt64(id)), for: key) == nil, "a body is left")
        }
    }

    private func removeAll(_ store: any CacheStore, _ found: inout Findings) async throws {
        let keys = [try Self.key(), try Self.key(account: "bob")]
        for (id, key) in keys.enumerated() {
            try await store.put(Self.head(UInt64(id), bytes: 0), body: [], for: key, replacing: [])
        }
        try await store.removeAll()
        for key in keys { found.expect(try await store.heads(for: key).isEmpty, "a response is left") }
    }

    /// A response whose request began before a change is not stored after it. Responses of later requests, and
    /// responses that the change does not affect, are stored.
    private func changes(_ store: any CacheStore, _ found: inout Findings) async throws {
        let (key, other) = (try Self.key("/a"), try Self.key("/b"))
        let certified = try Self.key("/a", certificate: "x")
        let changes: [(String, @Sendable () async throws -> Void)] = [
            ("an invalidation", { try await store.invalidate(certified) }),
            ("a sign-out", { try await store.removeAll(of: .account("ada")) }),
            ("a removal of all", { try await store.removeAll() }),
        ]
        var id: UInt64 = 0
        for (name, change) in changes {
            let before = try await store.generation(for: key)
            let ofOther = try await store.generation(for: other)
            try await change()
            id += 1
            let late = try await store.put(
                Self.head(id, bytes: 1), body: [1], for: key, replacing: [], since: before)
            found.expect(late == nil, "\(name): a response from before it is stored")
            found.expect(
                try await store.heads(for: key).isEmpty, "\(name): a response from before is there")
            if name == "an invalidation" {
                id += 1
                let next = try await store.put(
                    Self.head(id, bytes: 1), body: [1], for: other, replacing: [], since: ofOther)
                found.expect(next != nil, "\(name): a response of another URI is refused")
            }
            id += 1
            let after = try await store.put(
                Self.head(id, bytes: 1), body: [1], for: key, replacing: [],
                since: try await store.generation(for: key))
            found.expect(after != nil, "\(name): a response from after it is refused")
        }
    }

    /// Repeating a completed removal affects no other owner, and responses stored later can be removed again.
    private func repeatedRemovals(_ store: any CacheStore, _ found: inout Findings) async throws {
        let (mine, other) = (try Self.key("/a"), try Self.key("/a", account: "bob"))
        try await store.put(Self.head(1, bytes: 1), body: [1], for: other, replacing: [])
        for id in 2...3 as ClosedRange<UInt64> {
            try await store.put(Self.head(id, bytes: 1), body: [1], for: mine, replacing: [])
            found.expect(
                try await store.heads(for: mine).count == 1, "nothing is stored after a removal")
            let before = try await store.generation(for: mine)
            for _ in 0..<2 { try await store.removeAll(of: mine.partition.owner) }
            try await store.completeRemoval(of: mine.partition.owner)
            let late = try await store.put(
                Self.head(id, bytes: 1), body: [1], for: mine, replacing: [], since: before)
            found.expect(late == nil, "a response from before a removal is stored")
            found.expect(try await store.heads(for: mine).isEmpty, "a response is left")
        }
        found.expect(try await store.heads(for: other).count == 1, "another owner has lost a response")
    }

    /// Simultaneous sign-outs of several owners do not block each other.
    private func removalsAtTheSameTime(_ store: any CacheStore, _ found: inout Findings) async throws {
        let other = try Self.key("/a", account: "bob")
        try await store.put(Self.head(100, bytes: 1), body: [1], for: other, replacing: [])
        var keys: [CacheKey] = []
        for id in 0..<8 as Range<UInt64> {
            let key = try Self.key("/a", account: "ada\(id)")
            try await store.put(Self.head(id, bytes: 1), body: [1], for: key, replacing: [])
            keys.append(key)
        }
        let before = try await store.generation(for: other)
        let ended = try await withThrowingTaskGroup(of: Bool.self) { group in
            for key in keys {
                group.addTask { try await Self.signOut(key.partition.owner, store) }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        found.expect(ended == keys.count, "\(ended) of \(keys.count) removals are completed")
        for (id, key) in keys.enumerated() {
            let late = try await store.put(
                Self.head(UInt64(id), bytes: 1), body: [1], for: key, replacing: [], since: before)
            found.expect(late == nil, "a response from before a removal is stored")
            found.expect(try await store.heads(for: key).isEmpty, "a response is left")
        }
        found.expect(try await store.heads(for: other).count == 1, "another owner has lost a response")
    }

    /// Removes the responses of an owner as the cache does.
    ///
    /// - Returns: whether the removal was completed.
    private static func signOut(
        _ owner: CachePartition.Owner, _ store: any CacheStore
    ) async throws -> Bool {
        for attempt in 0..<100 {
            do throws(CacheStoreError) {
                if attempt == 0 {
                    try await store.removeAll(of: owner)
                } else {
                    try await store.completeRemoval(of: owner)
                }
                return true
            } catch {
                guard error.code == .notErased else { throw error }
                await Task.yield()
            }
        }
        return false
    }

    private func refusedPartitions(_ store: any CacheStore, _ found: inout Findings) async throws {
        guard store.isDurable else { return }
        let owners: [CachePartition.Owner] = [
            .anonymous, .identity(CredentialIdentity(key: "|", epoch: 1)),
        ]
        for (id, owner) in owners.enumerated() {
            let key = CacheKey(
                partition: CachePartition(owner: owner), origin: try Origin("https://api.example.com"),
                target: "/")
            let isStored: Bool
            do {
                try await store.put(Self.head(UInt64(id), bytes: 0), body: [], for: key, replacing: [])
                isStored = try await !store.heads(for: key).isEmpty
            } catch { isStored = false }
            found.expect(!isStored, "a response without an account is stored")
        }
    }

    private func concurrentUse(_ store: any CacheStore, _ found: inout Findings) async throws {
        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var wrong = 0
                    let key = try Self.key("/shared/\(worker % 4)")
                    for round in 0..<20 {
                        let seed = UInt64(worker * 100 + round)
                        let body = Self.body(2_000, seed: seed)
                        let known = try await store.heads(for: key).map(\.id)
                        try await store.put(
                            Self.head(seed, bytes: 2_000), body: body, for: key, replacing: known)
                        for head in try await store.heads(for: key) {
                            let stored = try await store.body(of: head.id, for: key)
                            if let stored, stored != Self.body(2_000, seed: head.id.rawValue) { wrong += 1 }
                        }
                    }
                    return wrong
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 }
        }
        found.expect(wrong == 0, "a body belongs to another response")
    }

    private static func body(_ count: Int, seed: UInt64) -> [UInt8] {
        var counter = seed
        return (0..<count).map { _ in
            counter &+= SplitMix64.increment
            return UInt8(truncatingIfNeeded: SplitMix64.scatter(counter))
        }
    }
}

extension CacheStore {
    /// Stores a response whose request begins now.
    @discardableResult
    fileprivate func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID]
    ) async throws(CacheStoreError) -> Int {
        let generation = try await generation(for: key)
        return try await put(head, body: body, for: key, replacing: replaced, since: generation) ?? 0
    }
}
