import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

/// Calls whose wait for a token fails.
@Suite(.timeLimit(.minutes(1))) struct TokenWaitTests {
    private static let origin = "https://api.example.com"
    private static let grant = #"{"access_token":"token","token_type":"Bearer","expires_in":3600}"#

    private let recorder = SpanRecorder()

    /// An engine whose token requests are answered by `server`, and whose API answers with these statuses, then with 200.
    private func engine(
        _ server: ScriptedTransport, statuses: [Int] = [], policy: TokenRefreshPolicy = TokenRefreshPolicy()
    ) throws -> GatewayEngine {
        let tokens = InstrumentedTransport(server, instrument: recorder.tracer)
        let api = ScriptedTransport { _, index in
            let status = statuses.dropFirst(index).first ?? 200
            return .status(status, fields: status == 401 ? ["WWW-Authenticate": "Bearer"] : [:])
        }
        var configuration = GatewayConfiguration()
        configuration.clock = recorder.clock
        configuration.events = recorder.tracer
        configuration.coalescing = nil
        configuration.retry.policy = .never
        let endpoint = try TokenEndpoint(
            "https://auth.example.com/token", client: .basic(clientID: "shop", secret: Secret("s3cr3t")),
            transport: tokens, clock: recorder.clock)
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(
                acquirer: ClientCredentials(endpoint: endpoint), policy: policy, clock: recorder.clock,
                random: SeededRandomSource(seed: 1)),
            scope: CredentialScope([try Origin(Self.origin)]))
        return GatewayEngine(transport: api, tokenTransport: tokens, configuration: configuration)
    }

    private func context(_ number: UInt64, _ events: EventRecorder) throws -> RequestContext {
        let caller = try #require(TraceContext(traceIDHigh: 9, traceIDLow: 1, spanID: number, flags: 1))
        var context = RequestContext(
            options: CallOptions(deadline: .seconds(2), trace: caller), clock: recorder.clock)
        context.events = events
        return context
    }

    private func waits(_ events: EventRecorder) -> [Duration] {
        events.events.compactMap { event in
            if case .credentialWaited(let duration) = event.kind { duration } else { nil }
        }
    }

    enum End: CaseIterable { case deadline, cancellation }

    /// The call ends before the token request does.
    @Test(.tags(.concurrent), arguments: End.allCases)
    func aCallThatEndsWhileItWaitsTellsOfIt(end: End) async throws {
        let (clock, gate, events) = (recorder.clock, Gate(), EventRecorder())
        let engine = try engine(
            ScriptedTransport { _, _ in
                await gate.pass()
                return .status(200, fields: ["Content-Type": "application/json"], Self.grant)
            })
        let (request, context) = (try HTTPRequest(.get, Self.origin + "/"), try context(5, events))
        let call = Task { try await engine.send(request, context: context) }
        await gate.waitForArrivals(1)
        switch end {
        case .deadline: clock.advance(by: .seconds(2))
        case .cancellation:
            clock.advance(by: .seconds(1))
            call.cancel()
        }
        await #expect(throws: NetworkError.self) { try await call.value }
        #expect(waits(events) == [end == .deadline ? .seconds(2) : .seconds(1)])
        gate.open()
        #expect(await isEventually { recorder.spans.count == 2 })
        let token = try #require(recorder.spans.first { $0.kind == .client })
        let span = try #require(recorder.spans.first { $0.kind == .internal })
        #expect(span.parentSpanID == 5 && span.links.map(\.spanID) == [token.position.spanID])
        #expect(span.events.contains { $0.name == "gateway.token.waited" })
        #expect(span.isError == (end == .deadline))
    }

    /// The call has a span for the link, although it has sent a request.
    @Test(.tags(.concurrent)) func aReplayThatDoesNotComeTellsOfItsWait() async throws {
        let (gate, events) = (Gate(), EventRecorder())
        let engine = try engine(
            ScriptedTransport { _, index in
                if index > 0 { await gate.pass() }
                return .status(200, fields: ["Content-Type": "application/json"], Self.grant)
            }, statuses: [200, 401])
        let request = try HTTPRequest(.get, Self.origin + "/")
        _ = try await engine.send(request, context: try context(4, EventRecorder()))
        let context = try context(5, events)
        let call = Task { try await engine.send(request, context: context) }
        await gate.waitForArrivals(1)
        call.cancel()
        await #expect(throws: NetworkError.self) { try await call.value }
        #expect(waits(events) == [.zero])
        gate.open()
        #expect(
            await isEventually { recorder.spans.count { $0.attribute("gateway.operation") == "token" } == 2 })
        let token = try #require(recorder.spans.last { $0.attribute("gateway.operation") == "token" })
        let own = recorder.spans.filter { $0.parentSpanID == 5 }
        #expect(own.map(\.kind) == [.client, .internal])
        #expect(own.map { $0.links.map(\.spanID) } == [[], [token.position.spanID]])
    }

    /// The token request fails. A call that comes before the next one may be made does not wait.
    @Test func aTokenRequestThatFailsWasWaitedFor() async throws {
        let clock = recorder.clock
        var policy = TokenRefreshPolicy()
        policy.outagePatience = .zero
        let engine = try engine(
            ScriptedTransport { _, _ in
                clock.advance(by: .milliseconds(80))
                return .status(500)
            }, policy: policy)
        let (first, second) = (EventRecorder(), EventRecorder())
        let request = try HTTPRequest(.get, Self.origin + "/")
        for (number, events) in [(UInt64(4), first), (5, second)] {
            let context = try context(number, events)
            await #expect(throws: NetworkError.self) { try await engine.send(request, context: context) }
        }
        #expect(waits(first) == [.milliseconds(80)] && waits(second).isEmpty)
        let token = try #require(recorder.spans.first { $0.kind == .client })
        let calls = recorder.spans.filter { $0.kind == .internal }
        #expect(calls.map { $0.links.map(\.spanID) } == [[token.position.spanID], []])
        #expect(calls[0].events.contains { $0.name == "gateway.token.waited" })
    }

    /// The time limit of the callers passes while the token request is in progress.
    @Test(.tags(.concurrent)) func aTokenRequestThatTakesTooLongIsLinked() async throws {
        var refresh = TokenRefreshPolicy()
        refresh.timeout = .seconds(1)
        refresh.outagePatience = .zero
        let (clock, gate) = (recorder.clock, Gate())
        let told = Told()
        let tokens = InstrumentedTransport(
            ScriptedTransport { _, _ in
                await gate.pass()
                return .status(500)
            }, instrument: recorder.tracer)
        let endpoint = try TokenEndpoint(
            "https://auth.example.com/token", client: .basic(clientID: "shop", secret: Secret("s3cr3t")),
            transport: tokens, clock: clock)
        let coordinator = TokenRefreshCoordinator(
            acquirer: ClientCredentials(endpoint: endpoint), policy: refresh, clock: clock,
            random: SeededRandomSource(seed: 1))
        let outlet = EventOutlet(told)
        coordinator.report(to: outlet)
        let token = Task { try await coordinator.token() }
        await gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await #expect(throws: NetworkError.self) { _ = try await token.value }
        #expect(told.failures.map { $0 != nil } == [true])
        gate.open()
        withExtendedLifetime(outlet) {}
    }
}

/// Keeps the token requests of refreshes that have failed.
private final class Told: RequestEventSink {
    private let list = Locked<[TraceContext?]>([])

    var failures: [TraceContext?] { list.withLock { $0 } }

    func record(_ event: borrowing RequestEvent) {}

    func record(_ event: borrowing TokenEvent) {
        guard case .refreshFailed = event.kind else { return }
        let exchange = event.exchange
        list.withLock { $0.append(exchange) }
    }
}
