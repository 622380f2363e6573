import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// The engine against an authorization server, over the wire.
@Suite(.timeLimit(.minutes(1))) struct EmbeddedGatewayTests {
    /// A gateway, and an engine that calls it with a transport for calls and one for tokens.
    private struct Rig {
        let gateway: EmbeddedGateway
        let coordinator: TokenRefreshCoordinator
        let engine: AuthenticatedRequestEngine
        let key: TokenKey

        init(
            calls: CurlConfiguration = CurlConfiguration(), scopes: [String] = ["books:read"],
            stepUp: Set<String> = []
        ) throws {
            gateway = try EmbeddedGateway.start()
            let endpoint = try TokenEndpoint(
                gateway.tokenURL,
                client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
                transport: CurlTransport())
            key = endpoint.key(scopes: scopes)
            coordinator = TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint))
            var scope = CredentialScope([gateway.origin], key: key)
            scope.stepUpScopes[gateway.origin] = stepUp
            engine = AuthenticatedRequestEngine(
                transport: CurlTransport(configuration: calls), coordinator: coordinator, scope: scope)
        }

        func get(_ path: String) async throws -> HTTPResponse {
            try await engine.send(try HTTPRequest(.get, gateway.apiURL + path))
        }
    }

    @Test func aScopeThatTheGatewayAsksForIsHadOnce() async throws {
        let rig = try Rig(stepUp: ["orders:read"])
        defer { rig.gateway.shutdown() }
        #expect(try await rig.get("/books").status == 200)
        #expect(rig.gateway.statistics.tokenRequestCount == 1)
        try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for _ in 0..<50 { group.addTask { try await rig.get("/orders/none") } }
            // Let in, and not found.
            for try await response in group { #expect(response.status == 404) }
        }
        #expect(rig.gateway.statistics.tokenRequestCount == 2)
        #expect(try await rig.get("/orders/none").exchange.attempts == 1)
        #expect(try await rig.get("/books").status == 200)
        // What may not be asked for is not.
        let refused = try await rig.engine.send(
            try HTTPRequest(.post, rig.gateway.apiURL + "/orders", body: .text("{}")))
        #expect(refused.status == 403)
        #expect(rig.gateway.statistics.tokenRequestCount == 2)
    }
}
