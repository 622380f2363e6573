import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

/// The client authentication that the server's metadata decides (`token_endpoint_auth_methods_supported`, RFC 8414 §2).
@Suite struct StyleByMetadataTests {
    private static let issuer = "https://login.example.com"

    /// How a request authenticates its client.
    private enum Style: String { case basic, post, signed, none }

    private func endpoint(
        _ client: ClientAuthentication, methods: JSONValue?, _ transport: ScriptedTransport
    ) async throws -> TokenEndpoint {
        var members: [String: JSONValue] = [
            "issuer": .string(Self.issuer), "token_endpoint": .string(Self.issuer + "/token"),
        ]
        members["token_endpoint_auth_methods_supported"] = methods
        let text = String(decoding: try JSONValue.object(members).jsonBytes(), as: UTF8.self)
        let discovery = try AuthorizationServerDiscovery(
            issuer: Self.issuer, transport: ScriptedTransport(.status(200, text)))
        return try TokenEndpoint(
            try await discovery.metadata(), client: client, transport: transport)
    }

    /// The style of the one token request; no other request is made.
    private func style(_ client: ClientAuthentication, methods: JSONValue?) async throws -> Style {
        let transport = ScriptedTransport(.status(200, #"{"access_token":"t","token_type":"Bearer"}"#))
        let endpoint = try await endpoint(client, methods: methods, transport)
        _ = try await endpoint.grant(
            [("grant_type", "client_credentials")], deadline: .after(.seconds(10)))
        #expect(transport.requests.count == 1)
        let request = try #require(transport.requests.first)
        let form = Form(request)
        if request.fields[.authorization]?.hasPrefix("Basic ") == true { return .basic }
        return form["client_secret"] != nil ? .post : form["client_assertion"] != nil ? .signed : .none
    }

    private static let basic: JSONValue = "client_secret_basic"
    private static let post: JSONValue = "client_secret_post"

    @Test(
        arguments: [
            (nil, "basic"), ([], "basic"), ("client_secret_post", "basic"), ([basic], "basic"),
            ([post], "post"),
            ([post, basic], "basic"), (["private_key_jwt", post], "post"), (["new", basic], "basic"),
        ] as [(JSONValue?, String)])
    func aSecretGoesAsTheServerSupportsIt(methods: JSONValue?, expected: String) async throws {
        let client = ClientAuthentication.automatic(clientID: "me", secret: Secret("s"))
        #expect(try await style(client, methods: methods).rawValue == expected)
    }

    @Test(arguments: [nil, [], ["private_key_jwt"], ["tls_client_auth", "private_key_jwt"]] as [JSONValue?])
    func aKeySignsAnAssertion(methods: JSONValue?) async throws {
        let key = try JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)
        let client = try ClientAuthentication.automatic(clientID: "me", key: key)
        #expect(try await style(client, methods: methods) == .signed)
    }

    @Test func whatTheServerSupportsIsNamed() async throws {
        let key = try JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)
        let transport = ScriptedTransport()
        for (client, methods, wanted, names) in [
            (
                ClientAuthentication.automatic(clientID: "me", secret: Secret("s")),
                ["private_key_jwt", "tls_client_auth", "sekrit\n"] as JSONValue,
                "does not support client_secret_basic or client_secret_post",
                "private_key_jwt, tls_client_auth, 1 unknown"
            ),
            (
                try .automatic(clientID: "me", key: key), [Self.post, Self.basic], "private_key_jwt",
                "client_secret_basic, client_secret_post"
            ),
        ] {
            let error = await #expect(throws: NetworkError.self) {
                try await endpoint(client, methods: methods, transport)
            }
            #expect(error?.code == .credentialMisconfigured)
            #expect(error?.message.contains(wanted) == true && error?.message.contains(names) == true)
            #expect(error?.message.contains("sekrit") == false)
        }
        #expect(transport.requests.isEmpty)
    }

    /// Servers may support more than they list; public clients are seldom listed.
    @Test func whatIsSetExplicitlyIsNotChanged() async throws {
        for (client, expected) in [
            (ClientAuthentication.basic(clientID: "me", secret: Secret("s")), Style.basic),
            (.post(clientID: "me", secret: Secret("s")), .post), (.publicClient(clientID: "me"), .none),
            (.assertion(clientID: "me", from: .fixed(Secret("a"))), .signed),
        ] {
            #expect(try await style(client, methods: ["tls_client_auth"]) == expected)
        }
    }

    @Test func withoutMetadataItIsBasic() async throws {
        let transport = ScriptedTransport(.status(200, #"{"access_token":"t","token_type":"Bearer"}"#))
        let endpoint = try TokenEndpoint(
            Self.issuer + "/token", client: .automatic(clientID: "me", secret: Secret("s")),
            transport: transport)
        _ = try await endpoint.grant(
            [("grant_type", "client_credentials")], deadline: .after(.seconds(10)))
        #expect(transport.requests.first?.fields[.authorization]?.hasPrefix("Basic ") == true)
    }
}
