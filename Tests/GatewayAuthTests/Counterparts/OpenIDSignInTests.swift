import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayJSON
import Testing

/// OpenID Connect at Django OAuth Toolkit: the nonce that comes back, and an ID token whose signature is validated with the
/// keys that the server publishes.
@Suite(.timeLimit(.minutes(2))) struct OpenIDSignInTests {
    @Test(.needsDjango, .covers(.django, .idToken), arguments: [true, false])
    func aSignInBringsAnIDToken(validatingSignature: Bool) async throws {
        let client = try await CounterpartClient(
            TokenCounterparts.django, paths: .django, methods: [], grants: ["refresh_token"])
        let transport = CurlTransport()
        let metadata = try await AuthorizationServerDiscovery(
            issuer: client.server + "/o", convention: .openID, transport: transport
        ).metadata()
        let endpoint = try TokenEndpoint(metadata, client: client.basic, transport: transport)
        var options = AuthorizationCode.Options()
        if validatingSignature {
            let url = try #require(try metadata.url(of: .keys))
            options.idTokenKeys = try JSONWebKeySetSource(url, transport: transport)
        }
        let flow = try AuthorizationCode(endpoint: endpoint, metadata: metadata, options: options)
        let grant = try await flow.grant(
            for: endpoint.key(scopes: ["openid", "read"]), deadline: .after(.seconds(60))
        ) { url in
            let answer = try await TokenCounterparts.send(try HTTPRequest(.get, url))
            let place = try #require(answer.fields[.location], "status \(answer.status)")
            _ = try await TokenCounterparts.send(try HTTPRequest(.get, place))
        }
        NotingAcquirer.note(grant)
        let token = try JSONWebToken(decoding: try #require(grant.idToken))
        #expect(token.issuer == metadata.issuer && token.audiences == [client.id])
        #expect(token.claims["nonce"]?.string?.utf8.count == 43)
    }
}
