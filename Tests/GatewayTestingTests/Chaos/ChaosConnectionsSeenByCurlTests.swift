import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// The conditions of the proxy as a client over libcurl sees them.
@Suite(.timeLimit(.minutes(2))) struct ChaosConnectionsSeenByCurlTests {
    @Test(arguments: [
        (ChaosProxy.Conditions.refusing, "connection_refused", NetworkError.Phase.connect, false),
        (.blackHole, "timeout", .connect, false), (.stalled, "timeout", .firstByte, true),
        (.halfOpen, "timeout", .firstByte, true), (.resetting, "connection_lost", .firstByte, true),
    ])
    func eachConditionHasItsError(
        conditions: ChaosProxy.Conditions, code: String, phase: NetworkError.Phase, wasSent: Bool
    ) async throws {
        let server = try ByteServer.http()
        defer { server.stop() }
        let proxy = try ChaosProxy.start(to: server.port)
        defer { proxy.shutdown() }
        let transport = CurlTransport()
        let request = HTTPRequest(method: .get, origin: proxy.origin, target: "/")
        #expect(try await transport.send(request, context: RequestContext()).body.bytes == Array("ok".utf8))
        transport.dropIdleConnections()
        try proxy.closeConnections()
        try proxy.apply(conditions)
        var options = CallOptions()
        options.deadline = .milliseconds(400)
        let context = RequestContext(options: options)
        let error = try #require(
            await #expect(throws: NetworkError.self) { try await transport.send(request, context: context) })
        #expect(error.code.name == code && error.mayHaveBeenSent == wasSent, "\(error)")
        #expect(error.phase == phase || error.code == NetworkError.connectionLost, "\(error)")
        try proxy.apply(.perfect)
        #expect(try await transport.send(request, context: RequestContext()).status == 200)
        await transport.shutdown()
    }
}
