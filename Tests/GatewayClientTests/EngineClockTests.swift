import GatewayClient
import GatewayTesting
import TestTiers
import Testing

/// The clock of an engine is also that of the transports that it makes.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct EngineClockTests {
    @Test func aMovedClockEndsACall() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let clock = ManualClock()
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        configuration.retry.policy = .never
        configuration.deadline = .seconds(3_600)
        // The other limits do not end it.
        configuration.transport.timeouts.firstByte = .seconds(36_000)
        configuration.transport.timeouts.whole = .seconds(36_000)
        let engine = try configuration.makeEngine()
        let request = try HTTPRequest(.get, "\(gateway.apiURL)/books")
        let hold = gateway.hold()
        let call = Task { await #expect(throws: NetworkError.self) { try await engine.send(request) } }
        await hold.waitForArrivals(1)
        clock.advance(by: .seconds(3_601))
        let error = await call.value
        #expect(error?.code == .timeout && error?.limit == .call)
        hold.release()
        // The next one has its whole time.
        #expect(try await engine.send(request).status == 401)
    }
}
