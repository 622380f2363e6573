import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

/// Which calls share responses, by their cache modes.
@Suite(.timeLimit(.minutes(1))) struct CacheModeSharingTests {
    private func context(_ mode: CacheMode) -> RequestContext {
        RequestContext(options: CallOptions(cache: mode))
    }

    @Test func modesDoNotShareWithEachOther() throws {
        let request = try HTTPRequest(.get, "http://h/x")
        let standard = RequestIdentity(request, context: context(.standard))
        #expect(standard != nil && standard == RequestIdentity(request, context: context(.standard)))
        #expect(standard != RequestIdentity(request, context: context(.forceCache)))
    }

    @Test(arguments: [CacheMode.reload, .noCache, .noStore, .onlyIfCached])
    func aCallWithAResponseOfItsOwnSharesNone(mode: CacheMode) throws {
        let request = try HTTPRequest(.get, "http://h/x")
        #expect(RequestIdentity(request, context: context(mode)) == nil)
    }

    @Test(arguments: ["no-cache", "max-age=60, No-Cache", "no-store"])
    func soDoesACallWithTheField(value: String) throws {
        let request = try HTTPRequest(.get, "http://h/x", fields: ["Cache-Control": value])
        #expect(RequestIdentity(request, context: context(.standard)) == nil)
    }

    @Test func aReloadDoesNotJoinAFlightThatBeganBefore() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _, index in
            if index == 0 { await gate.pass() }
            return .response(status: 200, body: Array("answer \(index)".utf8))
        }
        let engine = AsyncRequestEngine(transport: transport)
        let request = try HTTPRequest(.get, "http://127.0.0.1/x")
        let first = Task { try await engine.send(request) }
        await gate.waitForArrivals(1)
        let reload = try await engine.send(request, options: CallOptions(cache: .reload))
        #expect(reload.body.bytes == Array("answer 1".utf8) && reload.exchange.source == .network)
        #expect(transport.requests.last?.fields["Cache-Control"] == "no-cache")
        gate.open()
        #expect(try await first.value.body.bytes == Array("answer 0".utf8))
    }

    /// Nothing is sent, with or without observers, and no token is waited for.
    @Test(arguments: [true, false]) func onlyIfCachedSendsNothing(isObserved: Bool) async throws {
        let transport = ScriptedTransport(.status(200))
        var context = context(.onlyIfCached)
        if isObserved { context.events = EventRecorder() }
        let request = try HTTPRequest(.get, "http://127.0.0.1/x")
        let error = await #expect(throws: NetworkError.self) {
            try await AsyncRequestEngine(transport: transport).send(request, context: context)
        }
        #expect(error?.code == .notCached && error?.attempts == 0 && error?.isLocalRejection == true)
        #expect(transport.requests.isEmpty)
    }
}
