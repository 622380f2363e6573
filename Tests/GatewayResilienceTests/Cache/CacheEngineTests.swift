import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite(.timeLimit(.minutes(1))) struct CacheEngineTests {
    @Test func aFreshResponseIsUsedAndTellsItsSource() async throws {
        let bench = CacheBench(CacheBench.counting())
        #expect(try await bench.send().exchange.source == .network)
        bench.clock.advance(by: .seconds(10))
        let hit = try await bench.send()
        #expect(hit.bodyText == "0" && hit.exchange.source == .cache && hit.exchange.attempts == 0)
        #expect(hit.fields["Age"] == "10")
        bench.clock.advance(by: .seconds(50))
        #expect(try await bench.send().bodyText == "1")
        #expect(bench.results == [.miss, .hit, .miss])
    }

    @Test func theKeyIsThatOfTheHop() async throws {
        let transport = ScriptedTransport { request, index in
            request.target == "/from"
                ? .status(307, fields: [.location: "/to", "Cache-Control": "no-store"])
                : .status(200, fields: ["Cache-Control": "max-age=60"], "\(index)")
        }
        let bench = CacheBench(transport)
        #expect(try await bench.send("/from").bodyText == "1")
        // The redirect is asked for again, and its target is not.
        #expect(try await bench.send("/from").bodyText == "1")
        #expect(transport.requests.map(\.target) == ["/from", "/to", "/from"])
        #expect(try await bench.send("/to").bodyText == "1")
    }

    @Test(arguments: [401, 407, 511, 403, 428, 429, 431])
    func refusalsAreNeverStored(status: Int) async throws {
        let bench = CacheBench(
            CacheBench.counting(
                ["Cache-Control": "public, max-age=60", .wwwAuthenticate: "Bearer"], status: status))
        try await bench.send()
        try await bench.send()
        #expect(bench.transport.requests.count == 2)
    }

    @Test func a403WithoutAChallengeMayBeStored() async throws {
        let bench = CacheBench(CacheBench.counting(["Cache-Control": "max-age=60"], status: 403))
        try await bench.send()
        #expect(try await bench.send().exchange.source == .cache)
    }

    @Test(arguments: [AttemptInfo.Reason.replay, .nonce, .stepUp])
    func aReplayDoesNotUseStoredResponses(reason: AttemptInfo.Reason) async throws {
        let bench = CacheBench(CacheBench.counting())
        try await bench.send()
        let response = try await bench.send { $0.attempt = AttemptInfo(number: 2, reason: reason) }
        #expect(response.bodyText == "1")
        // Its response is stored.
        #expect(try await bench.send().bodyText == "1")
    }

    @Test func variantsAreStoredNextToEachOther() async throws {
        let bench = CacheBench(
            CacheBench.counting(["Cache-Control": "max-age=60", "Vary": "Accept-Language, Accept"]))
        let languages = ["de, en;q=0.5", "en", "fr"]
        for (index, language) in languages.enumerated() {
            #expect(try await bench.send(fields: ["Accept-Language": language]).bodyText == "\(index)")
        }
        #expect(try await bench.send(fields: ["Accept-Language": "EN;q=0.5 ,DE"]).bodyText == "0")
        #expect(try await bench.send(fields: ["Accept-Language": "fr"]).bodyText == "2")
        #expect(try await bench.send().bodyText == "3")
        #expect(try await bench.send(fields: ["Accept-Language": "fr", .accept: "a/b"]).bodyText == "4")
    }

    @Test func anExpiredVariantHidesNoFreshOne() async throws {
        let transport = ScriptedTransport { request, index in
            .status(
                200,
                fields: [
                    "Vary": "Accept",
                    "Cache-Control": request.fields[.accept] == "a/b" ? "max-age=600" : "max-age=1",
                ], "\(index)")
        }
        let bench = CacheBench(transport)
        try await bench.send(fields: [.accept: "a/b"])
        try await bench.send(fields: [.accept: "c/d"])
        bench.clock.advance(by: .seconds(5))
        #expect(try await bench.send(fields: [.accept: "a/b"]).bodyText == "0")
    }

    @Test(arguments: ["*", "* ", "*,", "Accept, *", ",*"])
    func varyThatMeansAllIsNeverUsed(vary: String) async throws {
        let bench = CacheBench(CacheBench.counting(["Cache-Control": "max-age=60", "Vary": vary]))
        try await bench.send()
        try await bench.send()
        #expect(bench.transport.requests.count == 2)
    }

    @Test func variantsAreLimited() async throws {
        var policy = CachePolicy()
        policy.mostVariants = 2
        let store = MemoryCacheStore()
        let bench = CacheBench(
            CacheBench.counting(["Cache-Control": "max-age=60", "Vary": "Accept"]), policy: policy,
            store: store)
        for index in 0..<5 {
            try await bench.send(fields: [.accept: "a/\(index)"])
            bench.clock.advance(by: .milliseconds(1))
        }
        #expect(store.count == 2)
        for index in 3..<5 {
            #expect(try await bench.send(fields: [.accept: "a/\(index)"]).bodyText == "\(index)")
        }
    }

    @Test func theOrderOfMediaTypesDoesNotMatter() async throws {
        let bench = CacheBench(CacheBench.counting(["Cache-Control": "max-age=60", "Vary": "Accept"]))
        try await bench.send(fields: [.accept: "a/b, c/d"])
        #expect(try await bench.send(fields: [.accept: "c/d,a/b"]).exchange.source == .cache)
    }

    @Test func a304FreshensTheResponseThatItIsAbout() async throws {
        let transport = ScriptedTransport { request, index in
            request.fields["If-None-Match"] == "\"a\""
                ? .status(304, fields: ["ETag": "\"a\"", "Cache-Control": "max-age=100", "X": "new"])
                : .status(
                    200, fields: ["ETag": "\"a\"", "Cache-Control": "max-age=1", "X": "old", "Age": "0"],
                    "body")
        }
        let bench = CacheBench(transport)
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        let validated = try await bench.send()
        #expect(validated.status == 200 && validated.bodyText == "body" && validated.fields["X"] == "new")
        #expect(validated.exchange.source == .revalidated && validated.exchange.attempts == 1)
        bench.clock.advance(by: .seconds(50))
        let hit = try await bench.send()
        #expect(hit.fields["X"] == "new" && hit.fields["Age"] == "50" && hit.exchange.source == .cache)
        #expect(transport.requests.count == 2)
    }

    @Test func a304AboutAnotherResponseIsNotUsed() async throws {
        let transport = ScriptedTransport { request, index in
            request.fields.contains("If-None-Match")
                ? .status(304, fields: ["ETag": "\"b\""])
                : .status(200, fields: ["ETag": "\"a\"", "Cache-Control": "max-age=1"], "\(index)")
        }
        let bench = CacheBench(transport)
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        let response = try await bench.send()
        #expect(response.bodyText == "2" && response.exchange.attempts == 2)
    }

    @Test func aResponseThatIsGoneAtItsValidationIsAskedForAgain() async throws {
        let bench = CacheBench(
            ScriptedTransport(
                .status(200, fields: ["ETag": "\"a\"", "Cache-Control": "max-age=1"], "old"),
                .status(304), .status(200, "new")), store: ForgetfulStore())
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        #expect(try await bench.send().bodyText == "new")
        #expect(!bench.transport.requests[2].fields.contains("If-None-Match"))
    }

    @Test(arguments: [HTTPMethod.post, .put, .delete, .patch, HTTPMethod("M-SEARCH")])
    func unsafeMethodsInvalidate(method: HTTPMethod) async throws {
        let transport = ScriptedTransport { request, index in
            request.method == .get
                ? .status(200, fields: ["Cache-Control": "max-age=60"], "\(index)")
                : .status(
                    index == 3 ? 500 : 201,
                    fields: [.location: "/y", "Content-Location": "https://b.example/z"])
        }
        let bench = CacheBench(transport)
        for target in ["/x", "/y", "/z"] { try await bench.send(target) }
        try await bench.send("/x", method)
        #expect(try await bench.send("/x").exchange.source == .cache, "A failed request changes nothing.")
        bench.clock.advance(by: .milliseconds(1))
        try await bench.send("/x", method)
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.send("/x").exchange.source == .network)
        #expect(try await bench.send("/y").exchange.source == .network)
        #expect(try await bench.send("/z").exchange.source == .cache)
    }

    @Test func aReadThatBeganBeforeAWriteIsNotStored() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request, index in
            if request.method == .get, index == 0 { await gate.pass() }
            return .status(200, fields: ["Cache-Control": "max-age=60"], "\(index)")
        }
        let bench = CacheBench(transport)
        let read = Task { try await bench.send() }
        await gate.waitForArrivals(1)
        try await bench.send("/x", .put)
        gate.open()
        #expect(try await read.value.bodyText == "0")
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.send().bodyText == "2")
    }

    @Test func aBrokenStoreIsAMiss() async throws {
        let store = RecordingStore()
        let bench = CacheBench(CacheBench.counting(), store: store)
        try await bench.send()
        store.fail(.corrupt)
        #expect(try await bench.send().bodyText == "1")
        #expect(
            bench.events.stateEvents.contains {
                if case .cacheStoreFailed("corrupt") = $0.kind { true } else { false }
            })
        store.fail(nil)
        #expect(try await bench.send().exchange.source == .cache)
    }

    @Test func aClockThatWentBackMakesNothingFresh() async throws {
        let bench = CacheBench(CacheBench.counting())
        try await bench.send()
        bench.clock.setUnixTime(bench.clock.unixTime - .seconds(3600))
        #expect(try await bench.send().bodyText == "1")
    }

    /// cache.clock-backwards
    @Test func whatWasStoredWhileTheClockWasAheadIsReplaced() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport { _, index in
            // The first answer comes while the clock is an hour ahead of the server's.
            let seconds = clock.unixTime.wholeSeconds - (index == 0 ? 3_600 : 0)
            let fields: HTTPFields = ["Cache-Control": "max-age=7200", "Date": HTTPDate.format(seconds)]
            return .status(200, fields: fields, "\(index)")
        }
        let bench = CacheBench(transport, clock: clock)
        try await bench.send()
        clock.setUnixTime(clock.unixTime - .seconds(3_600))
        clock.advance(by: .seconds(5))
        #expect(try await bench.send().bodyText == "1")
        #expect(try await bench.send().exchange.source == .cache)
        clock.advance(by: .seconds(3_700))
        #expect(try await bench.send().bodyText == "1")
    }

    @Test func aResponseThatTookLongReplacesNoNewerOne() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _, index in
            if index == 0 { await gate.pass() }
            return .status(200, fields: ["Cache-Control": "max-age=60"], "\(index)")
        }
        let bench = CacheBench(transport, coalesces: false)
        let slow = Task { try await bench.send() }
        await gate.waitForArrivals(1)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.send().bodyText == "1")
        gate.open()
        #expect(try await slow.value.bodyText == "0")
        #expect(try await bench.send().bodyText == "1")
    }

    @Test func cacheStatusIsAddedOnRequest() async throws {
        var policy = CachePolicy()
        policy.statusName = "Gateway"
        let bench = CacheBench(CacheBench.counting(), policy: policy)
        #expect(try await bench.send().fields["Cache-Status"] == "Gateway; fwd=miss; fwd-status=200; stored")
        bench.clock.advance(by: .seconds(20))
        #expect(try await bench.send().fields["Cache-Status"] == "Gateway; hit; ttl=40")
        #expect(try await bench.send(mode: .noStore).fields["Cache-Status"] == "Gateway; fwd=bypass")
        #expect(
            try await bench.send("/y", fields: ["Cache-Control": "only-if-cached"]).fields["Cache-Status"]
                == "Gateway; detail=only-if-cached")
    }

    /// A durable store takes no response with a credential.
    @Test(arguments: [true, false]) func cacheStatusSaysWhetherACookieIsStored(isDurable: Bool) async throws {
        var policy = CachePolicy()
        policy.statusName = "Gateway"
        let transport = CacheBench.counting(["Cache-Control": "max-age=60", "Set-Cookie": "a=b"])
        let bench = CacheBench(transport, policy: policy, store: RecordingStore(isDurable: isDurable))
        let ada = CacheCredential("ada", account: "ada")
        let status = try await bench.send(credentials: ada).fields["Cache-Status"]
        #expect(status == "Gateway; fwd=miss; fwd-status=200" + (isDurable ? "" : "; stored"))
        #expect(try await bench.send(credentials: ada).exchange.source == (isDurable ? .network : .cache))
    }

    /// A member has `hit` or `fwd`, not both (RFC 9211 §2.2).
    @Test func cacheStatusOfForwardedRequestsIsNoHit() async throws {
        var policy = CachePolicy()
        policy.statusName = "Gateway"
        let fields: HTTPFields = ["Cache-Control": "max-age=10, stale-if-error=60", "ETag": "\"a\""]
        let replaced = CacheBench(
            ScriptedTransport(
                .status(200, fields: fields), .status(503),
                .failure(NetworkError(.connectionLost, "A test.")), .status(304)), policy: policy)
        try await replaced.send()
        replaced.clock.advance(by: .seconds(30))
        let statuses = [
            "Gateway; fwd=stale; fwd-status=503; ttl=-20", "Gateway; fwd=stale; ttl=-20",
            "Gateway; fwd=stale; fwd-status=304; stored",
        ]
        for status in statuses { #expect(try await replaced.send().fields["Cache-Status"] == status) }
        let gone = CacheBench(CacheBench.counting(), policy: policy, store: ForgetfulStore())
        try await gone.send()
        #expect(try await gone.send().fields["Cache-Status"] == "Gateway; fwd=miss; fwd-status=200; stored")
    }

    /// RFC 9111 §5.2.2.5: the response must not be used for another request.
    @Test(arguments: [HTTPMethod.get, .head])
    func aResponseThatForbidsStoringEndsTheStoredOne(method: HTTPMethod) async throws {
        let transport = ScriptedTransport { request, index in
            switch index {
            case 0: .status(200, fields: ["ETag": "\"a\"", "Cache-Control": "max-age=1"], "0")
            case 1:
                .status(
                    request.method == .head ? 200 : 304,
                    fields: ["ETag": "\"a\"", "Cache-Control": "no-store"])
            default: .status(200, "\(index)")
            }
        }
        let bench = CacheBench(transport)
        try await bench.send()
        bench.clock.advance(by: .seconds(2))
        #expect(try await bench.send("/x", method).bodyText == (method == .head ? "" : "0"))
        #expect(try await bench.send(mode: .forceCache).bodyText == "2")
    }
}

/// Keeps heads and forgets bodies.
final class ForgetfulStore: CacheStore {
    private let inner = MemoryCacheStore()
    var isDurable: Bool { false }
    func heads(for key: CacheKey) -> [CachedHead] { inner.heads(for: key) }
    func body(of id: CachedHead.ID, for key: CacheKey) -> [UInt8]? { nil }
    func generation(for key: CacheKey) -> CacheGeneration { inner.generation(for: key) }
    func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID],
        since generation: CacheGeneration
    ) -> Int? {
        inner.put(head, body: body, for: key, replacing: replaced, since: generation)
    }
    func update(_ head: CachedHead, for key: CacheKey) { inner.update(head, for: key) }
    func remove(_ key: CacheKey) { inner.remove(key) }
    func invalidate(_ key: CacheKey) { inner.invalidate(key) }
    func removeAll(of owner: CachePartition.Owner) { inner.removeAll(of: owner) }
    func removeAll() { inner.removeAll() }
}
