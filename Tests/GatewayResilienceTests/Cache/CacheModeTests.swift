import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite(.timeLimit(.minutes(1))) struct CachingModeTests {
    private static let tagged: HTTPFields = ["Cache-Control": "max-age=10", "ETag": "\"a\""]

    @Test func modesUseStoredResponsesAsTheySay() async throws {
        let bench = CacheBench(CacheBench.counting(Self.tagged))
        try await bench.send()
        #expect(try await bench.send(mode: .noStore).bodyText == "1")
        #expect(try await bench.send().bodyText == "0", "noStore stores nothing.")
        #expect(try await bench.send(mode: .reload).bodyText == "2")
        #expect(!bench.transport.requests[2].fields.contains("If-None-Match"))
        #expect(try await bench.send().bodyText == "2", "reload stores.")
        #expect(try await bench.send(mode: .noCache).bodyText == "3")
        #expect(bench.transport.requests[3].fields["If-None-Match"] == "\"a\"")
        #expect(try await bench.send(mode: .networkFirst).bodyText == "4")
        bench.clock.advance(by: .seconds(60))
        #expect(try await bench.send(mode: .forceCache).exchange.source == .staleCache)
        #expect(try await bench.send(mode: .onlyIfCached).bodyText == "4")
        #expect(try await bench.send("/other", mode: .forceCache).bodyText == "5")
        do {
            try await bench.send("/none", mode: .onlyIfCached)
            Issue.record("It was not stored.")
        } catch let error as NetworkError { #expect(error.code == .notCached && error.attempts == 0) }
    }

    /// A stored response that cannot answer the call is none.
    @Test(arguments: [[.range: "bytes=0-0,2-2"], ["If-Match": "\"a\""]] as [HTTPFields])
    func aCallForStoredResponsesIsNeverSent(fields: HTTPFields) async throws {
        let bench = CacheBench(CacheBench.counting(Self.tagged))
        try await bench.send()
        await #expect(throws: NetworkError.self) { try await bench.send(fields: fields, mode: .onlyIfCached) }
        var fields = fields
        fields.append("Cache-Control", "only-if-cached")
        #expect(try await bench.send(fields: fields).status == 504)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func aCallForStoredResponsesIsNotSentIfTheBodyIsGone() async throws {
        let bench = CacheBench(CacheBench.counting(Self.tagged), store: ForgetfulStore())
        try await bench.send()
        await #expect(throws: NetworkError.self) { try await bench.send(mode: .onlyIfCached) }
        #expect(try await bench.send(fields: ["Cache-Control": "only-if-cached"]).status == 504)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func aFailureOfNetworkFirstUsesTheStoredResponse() async throws {
        let bench = CacheBench(
            ScriptedTransport(
                .status(200, fields: ["Cache-Control": "max-age=1"], "old"), .status(502),
                .failure(NetworkError(.noConnection, "A test."))))
        try await bench.send()
        bench.clock.advance(by: .seconds(1000))
        for _ in 0..<2 {
            let response = try await bench.send(mode: .networkFirst)
            #expect(response.bodyText == "old" && response.exchange.source == .staleCache)
        }
    }

    @Test func anImmutableResponseIsNotReloadedWhileItIsFresh() async throws {
        let bench = CacheBench(
            CacheBench.counting(["Cache-Control": "max-age=10, immutable", "ETag": "\"a\""]))
        try await bench.send()
        #expect(try await bench.send(mode: .noCache).bodyText == "0")
        #expect(try await bench.send(mode: .reload).bodyText == "1")
    }

    @Test func otherNamesOfModes() {
        let names = ["standard", "cache-first", "network-first", "cache-only", "network-only", "revalidate"]
        #expect(
            names.map { CacheMode(name: $0) } == [
                .standard, .forceCache, .networkFirst, .onlyIfCached, .noStore, .noCache,
            ])
        #expect(CacheMode(name: "force-cache") == .forceCache && CacheMode(name: "x") == nil)
    }

    @Test func negativeResponsesAreStoredForAsLongAsThePolicySays() async throws {
        var policy = CachePolicy()
        policy.negative = .seconds(5)
        let bench = CacheBench(CacheBench.counting([:], status: 404), policy: policy)
        try await bench.send()
        bench.clock.advance(by: .seconds(4))
        #expect(try await bench.send().bodyText == "0")
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.send().bodyText == "1")
    }

    @Test func theStoredResponseThenTheFreshOne() async throws {
        let bench = CacheBench(
            ScriptedTransport(
                .status(200, fields: ["Cache-Control": "max-age=1", "ETag": "\"a\""], "old"), .status(304),
                .status(200, "new"), .failure(NetworkError(.connectionLost, "A test."))))
        let request = try HTTPRequest(.get, "https://a.example/x")
        func all() async throws -> [String] {
            var seen: [String] = []
            for try await response in bench.engine.cachedThenFresh(request) {
                seen.append("\(response.exchange.source) \(response.bodyText)")
            }
            return seen
        }
        #expect(try await all() == ["network old"])
        bench.clock.advance(by: .seconds(5))
        #expect(try await all() == ["staleCache old", "revalidated old"])
        bench.clock.advance(by: .seconds(5))
        #expect(try await all() == ["staleCache old", "network new"])
        var iterator = bench.engine.cachedThenFresh(request).makeAsyncIterator()
        #expect(try await iterator.next()?.bodyText == "new")
        await #expect(throws: NetworkError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func modesShareNoFlight() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _, index in
            await gate.pass()
            return .status(200, fields: ["Cache-Control": "max-age=60"], "\(index)")
        }
        let bench = CacheBench(transport)
        let calls = [CacheMode.standard, .forceCache, .networkFirst, .noCache].map { mode in
            Task { try await bench.send(mode: mode).bodyText }
        }
        await gate.waitForArrivals(4)
        gate.open()
        for call in calls { _ = try await call.value }
        #expect(transport.requests.count == 4)
    }
}
