import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

/// What a shutdown ends is told before the last flush.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct ShutdownSpanTests {
    private let recorder = SpanRecorder()
    private var clock: ManualClock { recorder.clock }

    /// What is known when the sinks are flushed.
    private final class LastFlush: RequestEventSink {
        let recorder: SpanRecorder
        let metrics: RequestMetricsCollector
        let spans = Locked<[FinishedSpan]>([])
        let active = Locked<[Double]>([])

        init(_ recorder: SpanRecorder, _ metrics: RequestMetricsCollector) {
            (self.recorder, self.metrics) = (recorder, metrics)
        }

        func record(_ event: borrowing RequestEvent) {}

        func flush() async {
            let active = await metrics.exportSnapshot().families
                .filter { $0.instrument == .activeRequests }.flatMap(\.points).map { point -> Double in
                    if case .number(let number) = point.value { number } else { -1 }
                }
            spans.withLock { $0 = recorder.spans }
            self.active.withLock { $0 = active }
        }
    }

    /// An engine that shuts down its transport, and a sink that is flushed last.
    private func engine(
        _ transport: ClosedLateTransport,
        _ change: (inout AsyncRequestEngine.Configuration) -> Void = { _ in }
    ) -> (AsyncRequestEngine, LastFlush) {
        let metrics = RequestMetricsCollector(clock: clock)
        let last = LastFlush(recorder, metrics)
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.retry.policy = .never
        configuration.coalescing = nil
        configuration.events = ClientTelemetry(metrics: metrics, tracer: recorder.tracer, others: [last])
        change(&configuration)
        let engine = AsyncRequestEngine(
            transport: transport, ownsTransport: true, tokenTransport: nil, configuration: configuration,
            problem: nil, limits: nil, authenticating: { $0 })
        return (engine, last)
    }

    /// Shuts down, and lets the exchanges end after the transport.
    ///
    /// - Parameter passing: the time that calls in progress have.
    private func shutDown(
        _ engine: AsyncRequestEngine, _ transport: ClosedLateTransport, passing: Duration
    ) async {
        let shutdown = Task { await engine.shutdown(within: .seconds(10)) }
        if passing > .zero {
            #expect(await isEventually { clock.requestedDelays.contains(passing) })
            clock.advance(by: passing)
        }
        #expect(await isEventually { transport.isClosed })
        transport.late.open()
        await shutdown.value
    }

    @Test func aCallThatIsEndedIsTold() async throws {
        let transport = ClosedLateTransport(held: [1])
        let (engine, last) = engine(transport)
        let request = try HTTPRequest(.get, "http://127.0.0.1:1/x")
        let call = Task { try await engine.send(request) }
        await transport.begun.waitForArrivals(1)
        await shutDown(engine, transport, passing: .seconds(9))
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .closed)
        #expect(last.spans.withLock { $0.map(\.kind) } == [.client, .internal])
        #expect(last.spans.withLock { $0.allSatisfy(\.isError) } && last.active.withLock { $0 } == [0])
    }

    /// The call has its response: the other attempt has not failed.
    @Test func aHedgeThatIsEndedIsTold() async throws {
        let transport = ClosedLateTransport(held: [1])
        let (engine, last) = engine(transport) {
            $0.protection.hedging = HedgingPolicy(fixedDelay: .milliseconds(50), maximumShare: 1)
        }
        let request = try HTTPRequest(.get, "http://127.0.0.1:1/x")
        let call = Task { try await engine.send(request) }
        await transport.begun.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        #expect(try await call.value.status == 200)
        await shutDown(engine, transport, passing: .zero)
        let exchanges = last.spans.withLock { $0.filter { $0.kind == .client } }
        #expect(exchanges.count == 2 && exchanges.allSatisfy { !$0.isError })
        #expect(last.active.withLock { $0 } == [0])
    }

    /// A token request is not ended, and waited for.
    @Test func aTokenRequestIsTold() async throws {
        let gate = Gate()
        let server = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(500)
        }
        let last = LastFlush(recorder, RequestMetricsCollector(clock: clock))
        let tokens = InstrumentedTransport(server, instrument: recorder.tracer)
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        configuration.events = ClientTelemetry(tracer: recorder.tracer, others: [last])
        let endpoint = try TokenEndpoint(
            "https://auth.example.com/token", client: .basic(clientID: "shop", secret: Secret("s3cr3t")),
            transport: tokens, clock: clock)
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(
                acquirer: ClientCredentials(endpoint: endpoint), clock: clock,
                random: SeededRandomSource(seed: 1)),
            scope: CredentialScope([try Origin("https://api.example.com")]))
        let engine = GatewayEngine(
            transport: ScriptedTransport(.status(200)), tokenTransport: tokens, configuration: configuration)
        let request = try HTTPRequest(.get, "https://api.example.com/")
        let call = Task { try await engine.send(request) }
        await gate.waitForArrivals(1)
        call.cancel()
        await #expect(throws: NetworkError.self) { try await call.value }
        let shutdown = Task { await engine.shutdown(within: .seconds(10)) }
        // Half of the limit is waited for the token request.
        #expect(await isEventually { clock.requestedDelays.contains(.seconds(5)) })
        gate.open()
        await shutdown.value
        #expect(last.spans.withLock { $0.contains { $0.attribute("gateway.operation") == "token" } })
    }
}

/// Holds some exchanges until it is shut down, and a little longer.
private final class ClosedLateTransport: Transport {
    let begun = Gate()
    let late = Gate()
    private let held: Set<Int>
    private let state = Locked((count: 0, isClosed: false))

    init(held: Set<Int>) { self.held = held }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        guard held.contains(number) else {
            return HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
        }
        await begun.pass()
        await late.pass()
        throw NetworkError(.closed, "The transport was shut down.", origin: request.origin, attempts: 1)
    }

    func shutdown() async {
        state.withLock { $0.isClosed = true }
        begun.open()
    }
}
