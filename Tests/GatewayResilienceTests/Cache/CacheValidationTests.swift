import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// What responses of the server do to stored ones.
@Suite(.timeLimit(.minutes(1))) struct CacheValidationTests {
    private static let (early, late) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:51:17 GMT")

    private static func bench(
        _ stored: HTTPFields, status: Int = 200, then replies: ScriptedTransport.Reply...
    ) -> CacheBench {
        var fields = stored
        if !fields.contains("Cache-Control") { fields["Cache-Control"] = "max-age=1" }
        let first = ScriptedTransport.Reply.status(status, fields: fields, "0")
        return CacheBench(
            ScriptedTransport { _, index in
                index == 0 ? first : index <= replies.count ? replies[index - 1] : .status(200, "\(index)")
            })
    }

    @Test func a304DoesNotChangeTheCodingOfTheBody() async throws {
        let bench = Self.bench(
            ["ETag": "\"a\""],
            then: .status(
                304, fields: ["ETag": "\"a\"", "Content-Encoding": "br", "Cache-Control": "max-age=60"]))
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        #expect(try await bench.send().exchange.source == .revalidated)
        let hit = try await bench.send()
        #expect(hit.exchange.source == .cache && !hit.fields.contains("Content-Encoding"))
    }

    /// nginx names the tag of a response that it has compressed so.
    @Test func a304MayNameTheTagWithoutItsWeakness() async throws {
        let bench = Self.bench(["ETag": "W/\"a\""], then: .status(304, fields: ["ETag": "\"a\""]))
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        let validated = try await bench.send()
        #expect(validated.exchange.source == .revalidated)
        // The bytes need not be those that the strong tag names.
        #expect(validated.fields[.entityTag] == "W/\"a\"")
        #expect(try await bench.send(mode: .forceCache).fields[.entityTag] == "W/\"a\"")
    }

    @Test(
        arguments: [
            (["Last-Modified": early], ["ETag": "\"a\""]),
            (["Last-Modified": early], ["Last-Modified": late]),
        ] as [(HTTPFields, HTTPFields)])
    func a304WithAnotherValidatorIsAboutAnotherResponse(stored: HTTPFields, newer: HTTPFields) async throws {
        let bench = Self.bench(stored, then: .status(304, fields: newer))
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        #expect(try await bench.send().bodyText == "2")
    }

    @Test func anErrorOfTheSecondRequestCountsBoth() async throws {
        let bench = Self.bench(
            ["ETag": "\"a\""], then: .status(304, fields: ["ETag": "\"b\""]),
            .failure(NetworkError(.tlsFailure, "A test.")))
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        do {
            try await bench.send()
            Issue.record("It failed.")
        } catch let error as NetworkError { #expect(error.attempts == 2 && error.mayHaveBeenSent) }
    }

    @Test func a304ToConditionsOfTheCallerFreshensOnlyWhatItNames() async throws {
        let fields: HTTPFields = ["ETag": "\"b\"", "Cache-Control": "max-age=60"]
        let bench = Self.bench(["ETag": "\"a\""], then: .status(304, fields: fields))
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        #expect(try await bench.send(fields: ["If-None-Match": "\"b\""]).status == 304)
        #expect(try await bench.send().exchange.source == .network)
    }

    @Test func headWithAnotherDateRemoves() async throws {
        let bench = Self.bench(
            ["Last-Modified": Self.early, "Cache-Control": "max-age=60"],
            then: .status(200, fields: ["Last-Modified": Self.late]))
        try await bench.send()
        try await bench.send("/x", .head, mode: .noCache)
        #expect(try await bench.send().bodyText == "2")
    }

    @Test func headFreshensNoErrorPage() async throws {
        let bench = Self.bench(
            ["ETag": "\"a\""], status: 404,
            then: .status(200, fields: ["ETag": "\"a\"", "Cache-Control": "max-age=60"]))
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        try await bench.send("/x", .head)
        #expect(try await bench.send().bodyText == "2")
    }

    @Test func aPartReplacesNothingAndIsNotStored() async throws {
        let bench = Self.bench(
            [:], then: .status(206, fields: ["Content-Range": "bytes 0-0/9", "Cache-Control": "max-age=60"]))
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        #expect(try await bench.send(fields: [.range: "bytes=0-0"]).status == 206)
        #expect(try await bench.send(mode: .forceCache).bodyText == "0")
        #expect(try await bench.send().bodyText == "2")
    }

    @Test(arguments: [(404, "2"), (410, "2"), (500, "0")])
    func aResponseThatIsNotStoredEndsTheOneBefore(status: Int, then body: String) async throws {
        let bench = Self.bench(
            [:], then: .status(status, fields: ["Cache-Control": "no-store"], "gone"))
        try await bench.send()
        #expect(try await bench.send(mode: .reload).bodyText == "gone")
        #expect(try await bench.send(mode: .forceCache).bodyText == body)
    }

    @Test func contentLocationIsInvalidated() async throws {
        let transport = ScriptedTransport { request, index in
            request.method == .get
                ? .status(200, fields: ["Cache-Control": "max-age=60"], "\(index)")
                : .status(200, fields: ["Content-Location": "/y"])
        }
        let bench = CacheBench(transport)
        try await bench.send("/y")
        bench.clock.advance(by: .milliseconds(1))
        try await bench.send("/x", .post)
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.send("/y").exchange.source == .network)
    }

    @Test func aReplayOfACallThatStoresNothingStoresNothing() async throws {
        let bench = CacheBench(CacheBench.counting())
        try await bench.send()
        let replay = try await bench.send {
            $0.cache = .noStore
            $0.attempt = AttemptInfo(number: 2, reason: .replay)
        }
        #expect(replay.bodyText == "1")
        #expect(try await bench.send().bodyText == "0")
    }

    @Test func theStoredResponseTellsTheAttemptsOfTheErrorThatItReplaces() async throws {
        let bench = Self.bench(
            ["Cache-Control": "max-age=1, stale-if-error=60"],
            then: .failure(NetworkError(.connectionLost, "A test.")))
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        let response = try await bench.send()
        #expect(response.exchange.source == .staleCache && response.exchange.attempts == 1)
    }

    /// Without an engine that could validate it in the background it is validated at once.
    @Test func aLayerAloneServesNothingStale() async throws {
        let transport = CacheBench.counting(
            ["Cache-Control": "max-age=1, stale-while-revalidate=60", "ETag": "\"a\""])
        let clock = ManualClock()
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        let engine = CacheEngine(
            below: AsyncRequestEngine(transport: transport, configuration: configuration), cache: HTTPCache())
        let request = try HTTPRequest(.get, "https://a.example/x")
        _ = try await engine.send(request, context: RequestContext(clock: clock))
        clock.advance(by: .seconds(5))
        let response = try await engine.send(request, context: RequestContext(clock: clock))
        #expect(response.bodyText == "1")
        #expect(transport.requests.last?.fields["If-None-Match"] == "\"a\"")
    }

    // MARK: In the background

    @Test(arguments: [true, false])
    func aStaleHitIsValidatedWhateverTheStore(isMemory: Bool) async throws {
        let store: any CacheStore = isMemory ? MemoryCacheStore() : RecordingStore()
        let bench = CacheBench(
            CacheBench.counting(["Cache-Control": "max-age=1, stale-while-revalidate=60"]), store: store)
        try await bench.send()
        bench.clock.advance(by: .seconds(5))
        #expect(try await bench.send().bodyText == "0")
        #expect(await isEventually { bench.cache.validationCount == 0 })
        #expect(try await bench.send().bodyText == "1")
    }

    @Test func aValidationInTheBackgroundFollowsNoRedirect() async throws {
        let bench = Self.bench(
            ["Cache-Control": "max-age=1, stale-while-revalidate=60"],
            then: .status(307, fields: [.location: "/to"]))
        try await bench.send()
        bench.clock.advance(by: .seconds(5))
        #expect(try await bench.send().bodyText == "0")
        #expect(await isEventually { bench.cache.validationCount == 0 })
        #expect(bench.transport.requests.count == 2)
    }
}
