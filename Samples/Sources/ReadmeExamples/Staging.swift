import BookshopAPI
import GatewayClient
import GatewayTesting

// The examples of Staging.md.

/// A client with the server and the credential of the environment.
func clientOfTheEnvironment() throws -> BookshopClient {
    let environment = try GatewayEnvironment()
    let engine = try environment.configuration().makeEngine()
    let api = BookshopClient(server: .init(environment, or: .production), engine: engine)
    return api
}

/// A credential in code at endpoints of the environment.
func credentialInCode() throws -> BookshopClient {
    let environment = try GatewayEnvironment(requiresClient: false)
    let credential = OAuthCredential.clientCredentials(id: "my-service", secret: .file("/run/secrets/client"))
    let api = BookshopClient(
        server: .init(environment, or: .production),
        credentials: .init(bookshopAuth: credential.at(environment)))
    return api
}

/// A client of the embedded gateway.
func clientOfTheEmbeddedGateway() async throws {
    let gateway = try EmbeddedGateway.start()
    defer { gateway.shutdown() }
    let environment = try GatewayEnvironment([
        "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL,
        "GATEWAY_CLIENT_ID": gateway.client.id, "GATEWAY_CLIENT_SECRET": gateway.client.secret.exposed,
    ])
    let engine = try environment.configuration().makeEngine()
    let api = BookshopClient(server: .init(environment, or: .production), engine: engine)
    _ = try await api.books.list()
}

/// Token endpoints that the document does not have, or has wrong.
func tokenURLs(id: String, secret: SecretSource) -> [OAuthCredential] {
    let ways: [OAuthCredential] = [
        .clientCredentials(id: id, secret: secret).at(tokenURL: "https://login.example.com/oauth/token"),
        .clientCredentials(id: id, secret: secret).at(issuer: "https://login.example.com"),
    ]
    return ways
}
