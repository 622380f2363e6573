import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// The conditions of the proxy as a client over libcurl sees them.
@Suite(.timeLimit(.minutes(2))) struct ChaosConnectionsSeenByCurlTests {
    @Test(arguments: [
        (
            ChaosProxy.Conditions.refusing, "connection_refused", NetworkError.Phase.connect, false,
            AttemptLimits()
        ),
        (.blackHole, "timeout", .connect, false, AttemptLimits(connect: .milliseconds(150))),
        (.stalled, "timeout", .firstByte, true, AttemptLimits(firstByte: .milliseconds(150))),
        (.halfOpen, "timeout", .firstByte, true, AttemptLimits(firstByte: .milliseconds(150))),
        (.resetting, "connection_lost", .firstByte, true, AttemptLimits()),
    ])
    func eachConditionHasItsError(
        conditions: ChaosProxy.Conditions, code: String, phase: NetworkError.Phase, wasSent: Bool,
        limits: AttemptLimits
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
        // Only the limit of the phase in which nothing goes on is short.
        var options = CallOptions()
        options.limits = limits
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
