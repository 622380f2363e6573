import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct ShutdownTests {
    private let request: HTTPRequest

    init() throws { request = try HTTPRequest(.get, "http://127.0.0.1/x") }

    private func engine(_ transport: any Transport, clock: ManualClock) -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        return GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    @Test func callsInProgressMayEnd() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        let (engine, request) = (engine(transport, clock: clock), request)
        let call = Task { try await engine.send(request) }
        await gate.waitForArrivals(1)
        let shutdown = Task { await engine.shutdown(within: .seconds(5)) }
        await clock.waitForSleepers(1)
        let error = await #expect(throws: NetworkError.self) { try await engine.send(request) }
        #expect(error?.code == .closed && error?.attempts == 0)
        gate.open()
        #expect(try await call.value.status == 200)
        await shutdown.value
        #expect(transport.requests.count == 1)
    }

    @Test func aStreamCountsUntilItsBodyEnds() async throws {
        let (stream, clock) = (HeldStream(), ManualClock())
        let transport = ScriptedTransport { _, _ in .streamed(status: 200, stream.chunks()) }
        let engine = engine(transport, clock: clock)
        let response = try await engine.stream(request)
        let isDone = Locked(false)
        let shutdown = Task {
            await engine.shutdown(within: .seconds(5))
            isDone.withLock { $0 = true }
        }
        await clock.waitForSleepers(1)
        #expect(isDone.withLock { !$0 })
        response.body.discard()
        await shutdown.value
    }

    /// A call that no transport holds does not hold the shutdown.
    @Test func withoutTimeNothingIsWaitedFor() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        let (engine, request) = (engine(transport, clock: clock), request)
        let call = Task { try await engine.send(request) }
        await gate.waitForArrivals(1)
        await engine.shutdown(within: .zero)
        gate.open()
        #expect(try await call.value.status == 200)
    }

    /// An engine shuts down the transport that was made for it.
    @Test func afterTheTimeItsTransportIsShutDown() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let clock = ManualClock()
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        configuration.deadline = nil
        let long = Duration.seconds(1_000_000)
        configuration.transport.timeouts = .init(
            queue: long, connect: long, firstByte: long, read: long, write: long, whole: long)
        let (engine, hold, url) = (try configuration.makeEngine(), gateway.hold(), gateway.apiURL)
        let call = Task { try await engine.send(try HTTPRequest(.get, "\(url)/books")).status }
        await hold.waitForArrivals(1)
        let shutdown = Task { await engine.shutdown(within: .seconds(5)) }
        #expect(
            await isEventually {
                clock.advance(by: .seconds(1))
                return await engine.statistics().all.connections == 0
            })
        await shutdown.value
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .closed)
        hold.release()
    }

    /// A transport that was given to an engine is not shut down: another engine uses it.
    @Test(arguments: [Duration.zero, .seconds(5)])
    func aSharedTransportServesTheOtherEngine(limit: Duration) async throws {
        let (transport, clock) = (ClosingTransport(), ManualClock())
        let (one, other) = (engine(transport, clock: clock), engine(transport, clock: clock))
        let sent = self.request
        let calls = [one, other].map { engine in Task { try await engine.send(sent).status } }
        await transport.begun.waitForArrivals(2)
        let shutdown = Task { await one.shutdown(within: limit) }
        if limit > .zero {
            await clock.waitForSleepers(1)
            clock.advance(by: limit)
        }
        await shutdown.value
        #expect(!transport.isClosed)
        let late = await #expect(throws: NetworkError.self) { try await one.send(sent) }
        #expect(late?.code == .closed && transport.begun.arrivals == 2)
        // The owner ends the exchanges that are left.
        await transport.shutdown()
        for call in calls {
            let error = await #expect(throws: NetworkError.self) { try await call.value }
            #expect(error?.code == .closed)
        }
    }

    /// Two engines share libcurl's connections: the shutdown of one leaves the other its connection.
    @Test func enginesOverOneTransportAreShutDownByThemselves() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let transport = CurlTransport()
        let engines = (0..<2).map { _ in
            GatewayEngine(transport: transport, tokenTransport: ScriptedTransport())
        }
        let request = try HTTPRequest(.get, "\(gateway.origin)/echo")
        for engine in engines { #expect(try await engine.send(request).status == 200) }
        await engines[0].shutdown(within: .seconds(60))
        #expect(try await engines[1].send(request).status == 200)
        #expect(gateway.statistics.connectionsOpened == 1)
        await transport.shutdown()
    }
}

/// Holds every exchange until it is shut down.
private final class ClosingTransport: Transport {
    let begun = Gate()
    private let closed = Locked(false)

    var isClosed: Bool { closed.withLock { $0 } }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        await begun.pass()
        throw NetworkError(.closed, "The transport was shut down.", origin: request.origin)
    }

    func shutdown() async {
        closed.withLock { $0 = true }
        begun.open()
    }
}
