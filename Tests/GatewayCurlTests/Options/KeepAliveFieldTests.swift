import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// What a server says about for how long it keeps an idle connection.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct KeepAliveFieldTests {
    @Test(arguments: [
        // The value, milliseconds of rest, and how many connections two calls take.
        ("timeout=5", 3_900, 1), ("timeout=5", 4_000, 2), ("timeout=1, max=100", 400, 1),
        ("max=100, Timeout=1", 500, 2), ("timeout=0", 0, 2), ("timeout=-5", 60_000, 1), ("5", 60_000, 1),
        ("timeout=99999999999999999999", 60_000, 1), ("timeout=9999999999", 60_000, 1),
    ])
    func theConnectionIsNotUsedUpToItsEnd(value: String, milliseconds: Int, connections: Int) async throws {
        let server = FaultServer { _ in ok(fields: "Keep-Alive: \(value)\r\n") }
        defer { server.stop() }
        let clock = ManualClock()
        let transport = transport { $0.clock = clock }
        _ = try await transport.send(.get, server.url, clock: clock)
        clock.advance(by: .milliseconds(milliseconds))
        _ = try await transport.send(.post, server.url, clock: clock)
        #expect(server.connectionCount == connections)
        // It begins anew with each response.
        clock.advance(by: .milliseconds(milliseconds))
        _ = try await transport.send(.post, server.url, clock: clock)
        #expect(server.connectionCount == (connections == 1 ? 1 : 3))
    }
}
