import BookshopAPI
import GatewayClient

// What the page on security shows, so that it is compiled; scripts/check-readme.sh compares the two.

/// Ways to a token.
func waysToAToken(
    id: String, secret: Secret, key: JSONWebTokenKey, client: ClientAuthentication, refreshToken: Secret,
    store: any TokenStore, binding: DPoPBinding, acquirer: any TokenAcquirer
) throws -> [OAuthCredential] {
    let ways: [OAuthCredential] = [
        .clientCredentials(id: id, secret: secret),
        .clientCredentials(id: id, secret: .file("/run/secrets/client")),
        try .clientCredentials(id: id, privateKeyJWT: key, keyID: "2026"),
        .clientCredentials(.mutualTLS(clientID: id)),
        .refreshToken(refreshToken, clientID: id).stored(in: store, for: "anna"),
        .jwtBearer(.file("/var/run/secrets/tokens/sa"), client: client),
        .tokenExchange(.init(.file("/var/run/secrets/tokens/sa"), type: .jwt), client: client),
        .file("/var/run/secrets/tokens/gateway"),
        .acquirer(acquirer),
        .clientCredentials(id: id, secret: secret).bound(to: binding),
        .clientCredentials(id: id, secret: secret).scopes(.ofDocument),
        .clientCredentials(id: id, secret: secret).at(issuer: "https://login.example.com"),
    ]
    return ways
}

/// People who sign in.
func peopleWhoSignIn(folder: String) async throws {
    let login = OAuthLogin(clientID: "shelf-tool")
    let store = FileTokenStore(directory: folder)
    let api = BookshopClient(credentials: .init(bookshopAuth: .login(login).stored(in: store, for: "me")))
    try await login.byDevice { prompt in print("Open \(prompt.verificationURI): \(prompt.userCode)") }
    _ = try await api.books.list()
    try login.signOut()
    try await login.waitUntilStored()
}

/// The engine's credential.
func enginesCredential(credential: OAuthCredential) throws -> BookshopClient {
    var configuration = GatewayConfiguration()
    configuration.authentication = try .init(credential, origins: ["https://api.bookshop.example"])
    let api = BookshopClient(configuration: configuration)
    return api
}

/// Several schemes, and what the document alone knows.
func severalSchemes(token: Secret) {
    let credentials = BookshopClient.Credentials(
        partnerToken: .token(token),
        options: SecurityOptions(preferred: ["partnerToken"], origins: ["https://files.bookshop.example"]))
    let signature = CustomCredential.custom { request in
        request.fields["Signature"] = try sign(request.method, request.target, request.body.bytes ?? [])
    }
    _ = (credentials, signature)
}

private func sign(_ method: HTTPMethod, _ target: String, _ body: [UInt8]) throws -> String { "" }
