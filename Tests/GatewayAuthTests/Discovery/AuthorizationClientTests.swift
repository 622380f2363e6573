import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// The client that the environment and generated code share.
@Suite struct AuthorizationClientTests {
    private static let issuer = "https://login.example.com"

    private func clients(_ transport: ScriptedTransport) throws -> [AuthorizationClient] {
        let authentication = ClientAuthentication.publicClient(clientID: "shelf")
        return [
            .endpoint(
                try TokenEndpoint(Self.issuer + "/token", client: authentication, transport: transport)),
            .issuer(try AuthorizationServerDiscovery(issuer: Self.issuer, transport: transport)),
        ].map {
            AuthorizationClient(
                $0, authentication: authentication, binding: nil, showsCertificate: false,
                transport: transport)
        }
    }

    /// A key says by which of both the endpoints are found; the endpoint is the same.
    @Test func anEndpointIsNamedOrDiscovered() async throws {
        let transport = ScriptedTransport { _, _ in
            .status(200, #"{"issuer":"\#(Self.issuer)","token_endpoint":"\#(Self.issuer)/token"}"#)
        }
        let clients = try clients(transport)
        let keys = clients.map {
            $0.key(tenant: "t", subject: "s", scopes: ["a"], audiences: ["b"], resources: ["c"])
        }
        #expect(
            keys
                == ["/token", ""].map {
                    TokenKey(
                        issuer: Self.issuer + $0, client: "shelf", tenant: "t", subject: "s", scopes: ["a"],
                        audiences: ["b"], resources: ["c"])
                })
        let named = try await clients[0].endpoint()
        #expect(named.metadata == nil && transport.requests.isEmpty)
        let discovered = try await clients[1].endpoint()
        #expect(discovered.metadata != nil && transport.requests.count == 1)
        #expect(named.endpoint.key() == discovered.endpoint.key())
        for client in clients {
            #expect(client.acquirer(canStepUp: true) { ClientCredentials(endpoint: $0) }.canStepUp)
            #expect(!client.acquirer(canStepUp: false) { RefreshTokenGrant(endpoint: $0) }.canStepUp)
        }
    }
}
