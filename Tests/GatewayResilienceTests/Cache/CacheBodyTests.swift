import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// What is stored of bodies, and how much.
@Suite(.timeLimit(.minutes(1))) struct CacheBodyTests {
    private static func streaming(_ pieces: [String], error: NetworkError? = nil) -> ScriptedTransport {
        ScriptedTransport { _, _ in
            .streamed(
                status: 200, fields: ["Cache-Control": "max-age=60"],
                AsyncThrowingStream<HTTPBody.Chunk, any Error> { continuation in
                    for piece in pieces { continuation.yield(Array(piece.utf8)[...]) }
                    continuation.finish(throwing: error)
                })
        }
    }

    @Test func aStreamIsStoredWhenItWasReadToItsEnd() async throws {
        let bench = CacheBench(Self.streaming(["ab", "cd"]))
        let response = try await bench.send { $0.response = .stream }
        await #expect(throws: NetworkError.self) { try await bench.send(mode: .onlyIfCached) }
        #expect(try await response.body.collect(upToBytes: 100) == Array("abcd".utf8))
        #expect(try await bench.send().bodyText == "abcd")
        let again = try await bench.send { $0.response = .stream }
        #expect(try await again.body.collect(upToBytes: 100) == Array("abcd".utf8))
        #expect(bench.transport.requests.count == 1)
    }

    @Test func aStreamThatBreaksIsNotStored() async throws {
        let bench = CacheBench(Self.streaming(["ab"], error: NetworkError(.truncated, "A test.")))
        let response = try await bench.send { $0.response = .stream }
        await #expect(throws: NetworkError.self) { try await response.body.collect(upToBytes: 100) }
        await #expect(throws: NetworkError.self) { try await bench.send(mode: .onlyIfCached) }
    }

    /// What comes after the error is no end.
    @Test func aStreamThatBreaksIsNotStoredByReadingOn() async throws {
        let bench = CacheBench(Self.streaming(["ab"], error: NetworkError(.truncated, "A test.")))
        let response = try await bench.send { $0.response = .stream }
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        await #expect(throws: NetworkError.self) { try await iterator.next() }
        _ = try? await iterator.next()
        await #expect(throws: NetworkError.self) { try await bench.send(mode: .onlyIfCached) }
    }

    @Test func aStreamThatIsGivenUpIsNotStored() async throws {
        let bench = CacheBench(Self.streaming(["ab", "cd"]))
        for try await _ in try await bench.send(change: { $0.response = .stream }).body { break }
        await #expect(throws: NetworkError.self) { try await bench.send(mode: .onlyIfCached) }
    }

    @Test(arguments: [(4, true), (3, false)])
    func aLargeBodyIsNotStored(limit: Int, isStored: Bool) async throws {
        var policy = CachePolicy()
        policy.largestEntryBytes = limit
        let streamed = CacheBench(Self.streaming(["ab", "cd"]), policy: policy)
        _ = try await streamed.send { $0.response = .stream }.body.collect(upToBytes: 100)
        let collected = CacheBench(
            ScriptedTransport(.status(200, fields: ["Cache-Control": "max-age=60"], "abcd")), policy: policy)
        try await collected.send()
        for bench in [streamed, collected] {
            let stored = try? await bench.send(mode: .onlyIfCached)
            #expect((stored != nil) == isStored)
        }
    }

    @Test func theResponseLimitCountsForStoredResponses() async throws {
        let bench = CacheBench(
            ScriptedTransport(.status(200, fields: ["Cache-Control": "max-age=60"], "abcd")))
        try await bench.send()
        do {
            try await bench.send { $0.response = .collect(upToBytes: 3) }
            Issue.record("It is larger.")
        } catch let error as NetworkError { #expect(error.code == .responseTooLarge) }
    }

    @Test func aDecodedBodyAnswersNoRange() async throws {
        let bench = CacheBench(CacheBench.counting(["Cache-Control": "max-age=60", "ETag": "\"a\""]))
        try await bench.send()
        // Without Content-Length a coding may have been removed in transit.
        #expect(try await bench.send(fields: [.range: "bytes=0-0"]).exchange.source == .network)
    }

    @Test func theLimitOfBytesHolds() async throws {
        let limit = 64 << 20
        let store = MemoryCacheStore(byteLimit: limit)
        let key = CacheKey(
            partition: CachePartition(owner: .anonymous), origin: try Origin("https://a.example"), target: "/"
        )
        let random = SeededRandomSource(seed: TestSeed.value(7))
        var offered = 0
        var number: UInt64 = 0
        while offered < 1 << 30 {
            let size = Int(random.next() % 1_000_000)
            number += 1
            store.put(
                head(number, size), body: [UInt8](repeating: 1, count: size),
                for: CacheKey(partition: key.partition, origin: key.origin, target: "/\(number % 2_000)"),
                replacing: [])
            offered += size
            #expect(store.byteCount <= limit)
        }
        #expect(store.byteCount > limit * 95 / 100)
    }

    @Test func theLeastRecentlyUsedIsRemovedFirst() throws {
        let store = MemoryCacheStore(byteLimit: 3 * 2_000)
        let origin = try Origin("https://a.example")
        let keys = (0..<4).map {
            CacheKey(partition: CachePartition(owner: .anonymous), origin: origin, target: "/\($0)")
        }
        for (index, key) in keys[..<3].enumerated() {
            store.put(
                head(UInt64(index), 1_000), body: [UInt8](repeating: 0, count: 1_000), for: key, replacing: []
            )
        }
        _ = store.body(of: CachedHead.ID(0), for: keys[0])
        let evicted = store.put(
            head(3, 2_000), body: [UInt8](repeating: 0, count: 2_000), for: keys[3], replacing: [])
        #expect(evicted == 1)
        #expect(keys.map { store.heads(for: $0).count } == [1, 0, 1, 1])
        store.remove(keys[2])
        store.removeAll(of: .anonymous)
        #expect(store.count == 0 && store.byteCount == 0)
    }

    @Test func theLimitHoldsForNewHeadsToo() throws {
        let store = MemoryCacheStore(byteLimit: 3_000)
        let origin = try Origin("https://a.example")
        let keys = (0..<2).map {
            CacheKey(partition: CachePartition(owner: .anonymous), origin: origin, target: "/\($0)")
        }
        for (index, key) in keys.enumerated() {
            store.put(
                head(UInt64(index), 500), body: [UInt8](repeating: 0, count: 500), for: key, replacing: [])
        }
        #expect(store.count == 2)
        store.update(head(1, 500, ["X": String(repeating: "a", count: 1_500)]), for: keys[1])
        #expect(store.byteCount <= 3_000)
        #expect(keys.map { store.heads(for: $0).count } == [0, 1])
    }

    @Test func aResponseLargerThanTheStoreIsNotStored() throws {
        let store = MemoryCacheStore(byteLimit: 600)
        let key = CacheKey(
            partition: CachePartition(owner: .anonymous), origin: try Origin("https://a.example"), target: "/"
        )
        store.put(head(1, 10), body: [UInt8](repeating: 0, count: 10), for: key, replacing: [])
        #expect(store.count == 1)
        let removed = store.put(
            head(2, 9_000), body: [UInt8](repeating: 0, count: 9_000), for: key, replacing: [CachedHead.ID(1)]
        )
        #expect(removed == 0 && store.count == 0)
    }

    private func head(_ id: UInt64, _ bytes: Int, _ fields: HTTPFields = [:]) -> CachedHead {
        CachedHead(
            id: CachedHead.ID(id), status: 200, fields: fields, requested: .zero, received: .zero,
            selecting: [:], bodyBytes: bytes, isDecoded: false)
    }
}
