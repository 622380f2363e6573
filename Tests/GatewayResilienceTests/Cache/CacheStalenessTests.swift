import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

/// When stale responses are used, and how they are validated.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct CacheStalenessTests {
    static let limiting = ["must-revalidate", "no-cache"]

    private static func stale(_ control: String, then second: ScriptedTransport.Reply) -> CacheBench {
        CacheBench(
            ScriptedTransport(
                .status(200, fields: ["ETag": "\"a\"", "Cache-Control": "max-age=1, \(control)"], "old"),
                second))
    }

    @Test(arguments: limiting)
    func mustRevalidateBeatsMaxStale(directive: String) async throws {
        let bench = Self.stale(directive, then: .status(200, "new"))
        try await bench.send()
        bench.clock.advance(by: .seconds(5))
        #expect(try await bench.send(fields: ["Cache-Control": "max-stale"]).bodyText == "new")
    }

    @Test(arguments: limiting)
    func mustRevalidateBeatsStaleIfError(directive: String) async throws {
        let bench = Self.stale("\(directive), stale-if-error=60", then: .status(503, "down"))
        try await bench.send()
        bench.clock.advance(by: .seconds(5))
        #expect(try await bench.send().status == 503)
        #expect(try await bench.send(mode: .networkFirst).status == 503)
    }

    @Test(arguments: limiting)
    func mustRevalidateBeatsStaleWhileRevalidate(directive: String) async throws {
        let bench = Self.stale("\(directive), stale-while-revalidate=60", then: .status(200, "new"))
        try await bench.send()
        bench.clock.advance(by: .seconds(5))
        #expect(try await bench.send().bodyText == "new")
    }

    @Test(arguments: limiting)
    func mustRevalidateBeatsTheMode(directive: String) async throws {
        let bench = Self.stale(directive, then: .status(200, "new"))
        try await bench.send()
        bench.clock.advance(by: .seconds(5))
        await #expect(throws: NetworkError.self) { try await bench.send(mode: .onlyIfCached) }
        #expect(try await bench.send(mode: .forceCache).bodyText == "new")
    }

    @Test(arguments: [
        (500, true), (502, true), (503, true), (504, true), (501, false), (404, false), (400, false),
    ])
    func onlyTheseStatusesAreReplaced(status: Int, isReplaced: Bool) async throws {
        let bench = Self.stale("stale-if-error=60", then: .status(status, "error"))
        try await bench.send()
        bench.clock.advance(by: .seconds(5))
        let response = try await bench.send()
        #expect(response.status == (isReplaced ? 200 : status))
        if isReplaced { #expect(response.exchange.source == .staleCache && response.fields["Age"] == "5") }
    }

    @Test(arguments: [
        (NetworkError.connectionLost, true), (.timeout, true), (.noConnection, true), (.circuitOpen, true),
        (.cancelled, false), (.tlsFailure, false), (.tokenUnavailable, false), (.signedOut, false),
    ])
    func onlyTransportErrorsAreReplaced(code: NetworkError.Code, isReplaced: Bool) async throws {
        let bench = Self.stale("stale-if-error=60", then: .failure(NetworkError(code, "A test.")))
        try await bench.send()
        bench.clock.advance(by: .seconds(5))
        if isReplaced {
            #expect(try await bench.send().bodyText == "old")
        } else {
            await #expect(throws: NetworkError.self) { try await bench.send() }
        }
    }

    @Test func anErrorIsReplacedForALimitedTime() async throws {
        let bench = Self.stale("stale-if-error=60", then: .status(503))
        try await bench.send()
        bench.clock.advance(by: .seconds(61))
        #expect(try await bench.send().status == 200)
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.send().status == 503)
    }

    @Test func thePolicyMayReplaceErrors() async throws {
        var policy = CachePolicy()
        policy.staleIfError = .seconds(10)
        let transport = ScriptedTransport(
            .status(200, fields: ["Cache-Control": "max-age=1"], "old"), .status(503))
        let bench = CacheBench(transport, policy: policy)
        try await bench.send()
        bench.clock.advance(by: .seconds(5))
        #expect(try await bench.send().bodyText == "old")
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.send().status == 503)
    }

    @Test func oneValidationForManyStaleHits() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request, index in
            if request.fields.contains("If-None-Match") {
                await gate.pass()
                return .status(304, fields: ["ETag": "\"a\""])
            }
            return .status(
                200, fields: ["ETag": "\"a\"", "Cache-Control": "max-age=1, stale-while-revalidate=60"],
                "\(index)")
        }
        let bench = CacheBench(transport, coalesces: false)
        try await bench.send()
        bench.clock.advance(by: .seconds(5))
        // All return while the origin is held.
        await withTaskGroup(of: Exchange.Source?.self) { group in
            for _ in 0..<1_000 { group.addTask { try? await bench.send().exchange.source } }
            for await source in group { #expect(source == .staleCache) }
        }
        await gate.waitForArrivals(1)
        gate.open()
        #expect(await isEventually { bench.cache.validationCount == 0 })
        #expect(transport.requests.count == 2)
        #expect(try await bench.send().exchange.source == .cache)
    }

    @Test func aValidationInTheBackgroundHasItsOwnDeadlineAndTask() async throws {
        let gate = Gate()
        let seen = Locked<[Duration?]>([])
        let clock = ManualClock()
        let transport = ScriptedTransport { request, index in
            if index > 0 {
                await gate.pass()
                seen.withLock { $0.append(.zero) }
            }
            return .status(200, fields: ["Cache-Control": "max-age=1, stale-while-revalidate=60"], "\(index)")
        }
        let bench = CacheBench(transport, clock: clock)
        try await bench.send()
        clock.advance(by: .seconds(5))
        let call = Task {
            try await bench.send { $0 = $0.limited(to: .after(.seconds(1), clock: clock)) }
        }
        #expect(try await call.value.bodyText == "0")
        call.cancel()
        await gate.waitForArrivals(1)
        // The deadline of the call passes.
        clock.advance(by: .seconds(10))
        gate.open()
        #expect(await isEventually { bench.cache.validationCount == 0 })
        #expect(seen.withLock { $0.count } == 1)
        #expect(try await bench.send(mode: .onlyIfCached).bodyText == "1")
    }

    @Test func aFailedValidationIsTriedAgain() async throws {
        let transport = ScriptedTransport(
            .status(200, fields: ["Cache-Control": "max-age=1, stale-while-revalidate=60"], "0"),
            .status(503),
            .status(200, "2"))
        let bench = CacheBench(transport)
        try await bench.send()
        bench.clock.advance(by: .seconds(5))
        for _ in 0..<2 {
            #expect(try await bench.send().bodyText == "0")
            #expect(await isEventually { bench.cache.validationCount == 0 })
        }
        #expect(transport.requests.count == 3)
    }

    @Test func aBudgetOfStalenessIsThatOfTheOperation() async throws {
        var policy = CachePolicy()
        policy.stalenessBudgets = ["news": .seconds(30)]
        let bench = CacheBench(CacheBench.counting(["Cache-Control": "max-age=1"]), policy: policy)
        func send(_ operation: Operation) async throws -> HTTPResponse {
            try await bench.engine.send(
                try HTTPRequest(.get, "https://a.example/x"),
                context: RequestContext(operation: operation, clock: bench.clock))
        }
        _ = try await send("news")
        bench.clock.advance(by: .seconds(20))
        #expect(try await send("other").bodyText == "1")
        bench.clock.advance(by: .seconds(20))
        #expect(try await send("news").exchange.source == .staleCache)
        #expect(await isEventually { bench.cache.validationCount == 0 })
        bench.clock.advance(by: .seconds(40))
        #expect(try await send("news").exchange.source == .network)
    }

    @Test func missesShareOneExchange() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _, index in
            await gate.pass()
            return .status(200, fields: ["Cache-Control": "max-age=60"], "\(index)")
        }
        let bench = CacheBench(transport)
        let calls = (0..<1_000).map { _ in Task { try await bench.send().bodyText } }
        await gate.waitForArrivals(1)
        gate.open()
        for call in calls { #expect(try await call.value == "0") }
        #expect(transport.requests.count == 1)
    }
}
