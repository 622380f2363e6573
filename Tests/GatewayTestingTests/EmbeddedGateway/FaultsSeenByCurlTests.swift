import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// What the library's own transport makes of the gateway's faults.
@Suite(.tags(.concurrent)) struct FaultsSeenByCurlTests {
    private func code(
        after fault: EmbeddedGateway.Fault, _ gateway: EmbeddedGateway, _ transport: CurlTransport
    ) async throws -> NetworkError.Code? {
        gateway.inject(fault, times: 1)
        do throws(NetworkError) {
            let request = try HTTPRequest(.get, "\(gateway.origin)/bytes/1000")
            _ = try await transport.send(request, context: RequestContext())
            return nil
        } catch { return error.code }
    }

    @Test func eachFaultIsItsError() async throws {
        let gateway = try EmbeddedGateway.start()
        let transport = CurlTransport()
        #expect(try await code(after: .latency(.milliseconds(1)), gateway, transport) == nil)
        for fault in [EmbeddedGateway.Fault.drop, .reset, .dropAfterProcessing] {
            #expect(try await code(after: fault, gateway, transport) == NetworkError.connectionLost)
        }
        #expect(try await code(after: .tear(afterBytes: 10), gateway, transport) == NetworkError.truncated)
        gateway.refuseConnections(to: .api)
        gateway.cutConnections()
        #expect(
            try await code(after: .latency(.zero), gateway, transport) == NetworkError.connectionRefused)
        try gateway.acceptConnections(to: .api)
        #expect(try await code(after: .latency(.zero), gateway, transport) == nil)
        await transport.shutdown()
        gateway.shutdown()
    }

    @Test func aThousandCallsAtOnceAreAllAnswered() async throws {
        let gateway = try EmbeddedGateway.start()
        let token = try gateway.issueAccessToken().token
        // No limit of time ends a call that waits for a connection.
        var configuration = CurlConfiguration()
        configuration.clock = ManualClock()
        let transport = CurlTransport(configuration: configuration)
        let request = try HTTPRequest(
            .get, "\(gateway.apiURL)/books/bk-1", fields: [.authorization: "Bearer \(token.exposed)"])
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 {
                group.addTask { try await transport.send(request, context: RequestContext()).status }
            }
            return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [200: 1000])
        #expect(gateway.statistics.answered(path: "/v1/books/{bookId}", status: 200) == 1000)
        await transport.shutdown()
        gateway.shutdown()
    }
}
