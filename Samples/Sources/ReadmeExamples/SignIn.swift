import GatewayClient

// The code of the pages on sign-in and client authentication, so that it is compiled; scripts/check-readme.sh compares them.

func signInByBrowser() async throws {
    let transport = CurlTransport()
    let discovery = try AuthorizationServerDiscovery(
        issuer: "https://login.example.com", convention: .openID, transport: transport)
    let metadata = try await discovery.metadata()
    let endpoint = try TokenEndpoint(
        metadata, client: .publicClient(clientID: "shelf-tool"), transport: transport)
    let key = endpoint.key(scopes: ["openid", "offline_access", "books:read"])

    var options = AuthorizationCode.Options()
    options.redirect = try LoopbackRedirect("http://localhost:8400/callback")
    options.parameters = ["prompt": "select_account"]
    let browser = try AuthorizationCode(endpoint: endpoint, metadata: metadata, options: options)
    let grant = try await browser.grant(for: key, deadline: .after(.seconds(300))) { url in
        print("Open \(url)")
    }

    let idToken = try grant.idToken.map { try JSONWebToken(decoding: $0) }
    let subject = idToken?.subject

    let coordinator = TokenRefreshCoordinator(
        acquirer: RefreshTokenGrant(endpoint: endpoint),
        store: FileTokenStore(directory: "/home/ada/.local/state/shelf-tool"))
    coordinator.signIn(key, with: grant)
    try await coordinator.waitUntilStored(key)

    var configuration = GatewayConfiguration()
    configuration.authentication = GatewayConfiguration.Authentication(
        coordinator: coordinator, scope: try CredentialScope(["https://api.example.com"], key: key))
    let engine = try configuration.makeEngine()
    let response = try await engine.send(try HTTPRequest(.get, "https://api.example.com/books"))
    print(subject == nil ? "no ID token" : "signed in", response.status)

    coordinator.signOut(key, revoking: true)
    try await coordinator.waitUntilStored(key)
}

func validateSignatures(
    _ metadata: AuthorizationServerMetadata, _ options: inout AuthorizationCode.Options,
    _ transport: any Transport
) throws {
    if let url = try metadata.url(of: .keys) {
        options.idTokenKeys = try JSONWebKeySetSource(url, transport: transport)
    }
}

func signInByDevice(_ endpoint: TokenEndpoint, _ key: TokenKey) async throws -> TokenGrant {
    let grant = try await DeviceAuthorization(endpoint: endpoint).grant(for: key) { prompt in
        print("Open \(prompt.verificationURI) and enter \(prompt.userCode)")
    }
    return grant
}

func clientAuthenticationStyles(key: JSONWebTokenKey) throws -> [ClientAuthentication] {
    let clients: [ClientAuthentication] = [
        .automatic(clientID: "my-service", secret: .file("/run/secrets/client")),
        .post(clientID: "my-service", secret: .file("/run/secrets/client")),
        try .automatic(clientID: "my-service", key: key, keyID: "2026"),
        .assertion(clientID: "my-service", from: .file("/var/run/secrets/tokens/sa")),
        .mutualTLS(clientID: "my-service"),
        .publicClient(clientID: "shelf-tool"),
    ]
    return clients
}
