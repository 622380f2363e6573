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

    @Test func afterTheTimeTheTransportIsShutDown() async throws {
        let (transport, clock) = (ClosingTransport(), ManualClock())
        let (engine, request) = (engine(transport, clock: clock), request)
        let call = Task { try await engine.send(request) }
        await transport.begun.waitForArrivals(1)
        let shutdown = Task { await engine.shutdown(within: .seconds(5)) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        await shutdown.value
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .closed)
    }
}

/// Holds every exchange until it is shut down.
private final class ClosingTransport: Transport {
    let begun = Gate()

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        await begun.pass()
        throw NetworkError(.closed, "The transport was shut down.", origin: request.origin)
    }

    func shutdown() async { begun.open() }
}
