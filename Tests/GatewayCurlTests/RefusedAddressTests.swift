import GatewayCore
import GatewayCurl
import TestTiers
import Testing

/// Hosts with several addresses, most of which refuse at once.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct RefusedAddressTests {
    private func transport(_ port: UInt16, _ last: [Int]) -> CurlTransport {
        GatewayCurlTests.transport {
            $0.resolutions = [
                CurlConfiguration.Resolution(
                    host: "service.test", port: port, addresses: last.map { "127.0.0.\($0)" })
            ]
        }
    }

    @Test(arguments: [[1], [2, 1], [2, 3, 1], [2, 3, 4, 5, 6, 7, 1]])
    func theOneThatListensIsFound(last: [Int]) async throws {
        let server = FaultServer { _ in ok("found") }
        defer { server.stop() }
        let response = try await transport(server.port, last).send(
            .get, "http://service.test:\(server.port)/")
        #expect(response.text == "found")
    }

    @Test(arguments: [[2], [2, 3], [2, 3, 4], [2, 3, 4, 5, 6, 7]])
    func theErrorIsThatTheyRefuse(last: [Int]) async throws {
        let port = FaultServer.unusedPort()
        let error = await failure { () throws(NetworkError) in
            try await transport(port, last).send(.get, "http://service.test:\(port)/")
        }
        #expect(error?.code == .connectionRefused, "\(error as Any)")
    }
}
