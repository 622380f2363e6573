import GatewayClient
import GatewayTesting
import Testing

/// A thousand calls meet a token that was just revoked.
@Suite(.serialized) struct RevocationStormTests {
    private static let callCount = 1000

    /// The whole stack against the embedded gateway.
    private struct Rig {
        let gateway: EmbeddedGateway
        let departures: DepartureCounter
        let engine: GatewayEngine
        let coordinator: TokenRefreshCoordinator

        init() throws {
            var configuration = EmbeddedGateway.Configuration()
            configuration.bookCount = RevocationStormTests.callCount
            gateway = try EmbeddedGateway.start(configuration)
            departures = DepartureCounter(CurlTransport())
            let tokenTransport = CurlTransport()
            let endpoint = try TokenEndpoint(
                gateway.tokenURL,
                client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
                transport: tokenTransport)
            coordinator = TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint))
            var gatewayConfiguration = GatewayConfiguration()
            gatewayConfiguration.authentication = GatewayConfiguration.Authentication(
                coordinator: coordinator,
                scope: CredentialScope([gateway.origin], key: endpoint.key(scopes: ["books:read"])))
            engine = GatewayEngine(
                transport: departures, tokenTransport: tokenTransport, configuration: gatewayConfiguration)
        }

        func get(_ number: Int) async throws -> HTTPResponse {
            try await engine.send(try HTTPRequest(.get, "\(gateway.apiURL)/books/bk-\(number + 1)"))
        }

        /// Sends all calls, revokes the token when each of them carries it, and gives what came of them.
        func storm(cancelling isCancelled: (Int) -> Bool) async throws -> [Result<HTTPResponse, any Error>] {
            let hold = gateway.hold()
            let expected = departures.count + RevocationStormTests.callCount
            let calls = (0..<RevocationStormTests.callCount).map { number in
                Task { try await get(number) }
            }
            await departures.reach(expected)
            gateway.revokeCurrentTokens()
            for (number, call) in calls.enumerated() where isCancelled(number) { call.cancel() }
            hold.release()
            var results: [Result<HTTPResponse, any Error>] = []
            for call in calls { results.append(await call.result) }
            return results
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func oneTokenRequestAndOneReplayEach() async throws {
        let rig = try Rig()
        defer { rig.gateway.shutdown() }
        #expect(try await rig.get(0).status == 200)
        for round in 1...SoakScale.rounds(100) {
            let tokens = rig.gateway.statistics.tokenRequestCount
            let results = try await rig.storm { _ in false }
            #expect(rig.gateway.statistics.tokenRequestCount == tokens + 1, "round \(round)")
            let responses = try results.map { try $0.get() }
            #expect(responses.allSatisfy { $0.status == 200 }, "round \(round)")
            #expect(responses.allSatisfy { $0.exchange.attempts <= 2 }, "round \(round)")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func aFifthOfTheCallersGoAway() async throws {
        let rig = try Rig()
        defer { rig.gateway.shutdown() }
        let random = SeededRandomSource(seed: 20)
        #expect(try await rig.get(0).status == 200)
        for round in 1...SoakScale.rounds(100) {
            let tokens = rig.gateway.statistics.tokenRequestCount
            var cancelled: Set<Int> = []
            let results = try await rig.storm { number in
                guard random.int(in: 0..<5) == 0 else { return false }
                cancelled.insert(number)
                return true
            }
            #expect(rig.gateway.statistics.tokenRequestCount == tokens + 1, "round \(round)")
            for (number, result) in results.enumerated() {
                switch result {
                case .success(let response):
                    #expect(response.status == 200, "round \(round)")
                    #expect(response.exchange.attempts <= 2, "round \(round)")
                case .failure(let error):
                    #expect(
                        cancelled.contains(number) && (error as? NetworkError)?.code == .cancelled,
                        "round \(round)")
                }
            }
            #expect(results.contains { if case .failure = $0 { true } else { false } })
        }
    }
}
