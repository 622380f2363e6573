import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

/// The way back to the engine that a call entered.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct ReentryTests {
    /// Keeps the contexts of the calls.
    private final class Capturing: Transport {
        let contexts = Locked<[RequestContext]>([])
        let requests = Locked<[HTTPRequest]>([])

        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            contexts.withLock { $0.append(context) }
            requests.withLock { $0.append(request) }
            return HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
        }
    }

    private static func request() throws -> HTTPRequest {
        try HTTPRequest(.get, "https://api.example.com/books")
    }

    private func engine(_ transport: Capturing, _ kind: String) -> any RequestEngine {
        kind == "gateway"
            ? GatewayEngine(transport: transport, tokenTransport: transport)
            : AsyncRequestEngine(transport: transport)
    }

    @Test(arguments: ["gateway", "resilience"])
    func aContextDoesNotKeepItsEngine(kind: String) async throws {
        weak var transport: Capturing?
        var context: RequestContext?
        do {
            let capturing = Capturing()
            transport = capturing
            let engine = engine(capturing, kind)
            _ = try await engine.send(try Self.request(), context: RequestContext())
            context = capturing.contexts.withLock { $0.first }
            let reentry = try #require(context?.reentry)
            #expect(
                try await reentry.start(try Self.request(), context: RequestContext()).value.status == 200)
        }
        #expect(transport == nil)
        let reentry = try #require(context?.reentry)
        let late = reentry.start(try Self.request(), context: RequestContext())
        let error = await #expect(throws: NetworkError.self) { try await late.value }
        #expect(error?.code == .closed && error?.isLocalRejection == true)
    }

    @Test func oneWayBackServesAllCalls() async throws {
        let transport = Capturing()
        let engine = engine(transport, "gateway")
        for _ in 0..<2 { _ = try await engine.send(try Self.request(), context: RequestContext()) }
        let contexts = transport.contexts.withLock { $0 }
        #expect(contexts.count == 2 && contexts[0].reentry === contexts[1].reentry)
        #expect(contexts[0].reentry != nil)
    }

    /// A background call passes every layer: it is stamped, has a deadline and an ID of its own, is recorded, and does not
    /// end with the call that it belongs to.
    @Test func aBackgroundCallPassesTheWholeEngine() async throws {
        let (transport, recorder, clock) = (Capturing(), EventRecorder(), ManualClock())
        var configuration = GatewayConfiguration()
        configuration.events = recorder
        configuration.clock = clock
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(
                provider: StaticTokenProvider(Secret("hunter2")), clock: clock),
            scope: try CredentialScope(["https://api.example.com"]))
        let engine = GatewayEngine(
            transport: transport, tokenTransport: transport, configuration: configuration)
        let options = CallOptions(deadline: .seconds(1), cache: .reload)
        _ = try await engine.send(
            try Self.request(), context: RequestContext(options: options, operation: "list", clock: clock))
        let call = try #require(transport.contexts.withLock { $0.first })
        clock.advance(by: .seconds(5))
        let request = try Self.request()
        // Started by a task that is cancelled already.
        let starter = Task { () -> HTTPResponse in
            while !Task.isCancelled { await Task.yield() }
            guard let reentry = call.reentry else { throw NetworkError(.other, "There is no way back.") }
            return try await reentry.start(request, context: call.background()).value
        }
        starter.cancel()
        #expect(try await starter.value.status == 200)
        let background = try #require(transport.contexts.withLock { $0.last })
        #expect(background.callID != call.callID && background.operation == "list")
        #expect(background.deadline == Deadline.after(.seconds(60), clock: clock))
        #expect(background.cache == .standard && background.reentry === call.reentry)
        #expect(transport.requests.withLock { $0.last?.fields[.authorization] } == "Bearer hunter2")
        #expect(Set(recorder.events.map(\.callID)) == [call.callID, background.callID])
    }

    /// auth.no-credential: a call that is sent without a credential has none when its stored response is validated in the
    /// background, and neither has the hop of a redirect to another origin that the engine has a credential for.
    @Test(arguments: [true, false])
    func aValidationHasTheCredentialOfItsCall(isAnonymous: Bool) async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport { request, _ in
            if request.target == "/moved" {
                return .status(302, fields: [.location: "https://files.example.com/books"])
            }
            return .status(
                200, fields: ["Cache-Control": "max-age=1, stale-while-revalidate=60", "ETag": "\"a\""])
        }
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        configuration.cache = HTTPCache(clock: clock)
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(
                provider: StaticTokenProvider(Secret("hunter2")), clock: clock),
            scope: try CredentialScope(["https://api.example.com", "https://files.example.com"]))
        let engine = GatewayEngine(
            transport: transport, tokenTransport: transport, configuration: configuration)
        func call(_ url: String) async throws {
            var context = RequestContext(clock: clock)
            context.isAnonymous = isAnonymous
            let status = try await engine.send(try HTTPRequest(.get, url), context: context).status
            #expect(status == 200)
        }
        for _ in 0..<2 {
            try await call("https://api.example.com/books")
            try await call("https://api.example.com/moved")
            clock.advance(by: .seconds(5))
        }
        // Two calls and the hop, another redirect, and two validations.
        #expect(await isEventually { transport.requests.count == 6 })
        for request in transport.requests {
            let hasNone = isAnonymous || request.origin.host == "files.example.com"
            #expect(request.fields[.authorization] == (hasNone ? nil : "Bearer hunter2"), "\(request)")
        }
    }

    @Test func afterAShutdownNothingReenters() async throws {
        let transport = Capturing()
        let engine = GatewayEngine(transport: transport, tokenTransport: transport)
        _ = try await engine.send(try Self.request(), context: RequestContext())
        let call = try #require(transport.contexts.withLock { $0.first })
        await engine.shutdown(within: .zero)
        let late = try #require(call.reentry).start(try Self.request(), context: call.background())
        let error = await #expect(throws: NetworkError.self) { try await late.value }
        #expect(error?.code == .closed)
        #expect(transport.requests.withLock { $0.count } == 1)
    }
}
