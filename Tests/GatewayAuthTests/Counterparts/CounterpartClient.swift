import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

/// A client that is registered at a counterpart for one test, and the whole stack that uses it.
struct CounterpartClient: Sendable {
    /// The paths of the server's endpoints.
    struct Paths: Sendable {
        var token = "/oauth/token"
        var revocation = "/oauth/revoke"
        var introspection = "/oauth/introspect"
        var device = "/oauth/device"

        static let django = Paths(
            token: "/o/token/", revocation: "/o/revoke_token/", introspection: "/o/introspect/",
            device: "/o/device-authorization/")
    }

    let server: String
    let paths: Paths
    let id: String
    let secret: Secret

    /// Registers a client.
    ///
    /// - Parameters:
    ///   - methods: its authentication methods, by the server's names.
    ///   - grants: the grants that it may use.
    ///   - secret: its secret; `nil` for one that the server creates.
    init(
        _ server: String?, paths: Paths = Paths(), methods: [String], grants: [String],
        secret: Secret? = nil
    ) async throws {
        self.server = server ?? ""
        self.paths = paths
        let answer = try await TokenCounterparts.ask(
            self.server + "/control/clients",
            [
                "methods": .array(methods.map { .string($0) }),
                "grants": .array(grants.map { .string($0) }),
                "secret": secret.map { .string($0.exposed) } ?? .null,
            ])
        id = try #require(answer["id"]?.string)
        self.secret = Secret(try #require(answer["secret"]?.string))
        SecretLedger.note(self.secret, .clientSecret)
    }

    var basic: ClientAuthentication { .basic(clientID: id, secret: secret) }
    var post: ClientAuthentication { .post(clientID: id, secret: secret) }

    func endpoint(
        _ authentication: ClientAuthentication, transport: any Transport = CurlTransport(),
        clock: any GatewayClock = SystemClock()
    ) throws -> TokenEndpoint {
        try TokenEndpoint(
            server + paths.token, client: authentication,
            others: TokenEndpoint.Others(
                revocationURL: server + paths.revocation, introspectionURL: server + paths.introspection,
                deviceAuthorizationURL: server + paths.device),
            transport: transport, clock: clock)
    }

    /// A stack whose calls to the server have the tokens of an acquirer.
    func stack(
        _ acquirer: any TokenAcquirer, key: TokenKey, grant: TokenGrant? = nil,
        _ change: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws -> CounterpartStack {
        try CounterpartStack(server, acquirer, key: key, grant: grant, change)
    }

    // MARK: Test control

    /// The grant of a person who signed in.
    func signIn() async throws -> TokenGrant {
        let answer = try await control("/sign-in", [:])
        let grant = TokenGrant(
            accessToken: Secret(try #require(answer["access_token"]?.string)),
            expiresIn: (answer["expires_in"]?.int).map { .seconds($0) },
            refreshToken: Secret(try #require(answer["refresh_token"]?.string)))
        NotingAcquirer.note(grant)
        return grant
    }

    /// Revokes every access token that was issued so far.
    func expire() async throws { _ = try await control("/expire", [:]) }

    /// How many requests of this client the token endpoint has received, and how many grants it has issued.
    struct Counts: Equatable, Sendable {
        var requests: Int
        var granted: Int
    }

    func counts() async throws -> Counts {
        Counts(requests: try await statistic("requests"), granted: try await statistic("granted"))
    }

    /// How many requests the token endpoint has received.
    func requests() async throws -> Int { try await statistic("requests") }
    /// How many grants it has issued.
    func granted() async throws -> Int { try await statistic("granted") }

    func statistic(_ name: String) async throws -> Int {
        try #require(try await control("", nil)[name]?.int)
    }

    private func control(_ path: String, _ body: JSONValue?) async throws -> JSONValue {
        try await TokenCounterparts.ask("\(server)/control/clients/\(id)\(path)", body)
    }

    /// Uses a refresh token, as a thief of the client's secret would.
    func trade(_ refreshToken: Secret?) async throws -> Result<TokenGrant, NetworkError> {
        let endpoint = try endpoint(basic)
        let token = refreshToken?.exposed ?? ""
        return await outcome { () throws(NetworkError) in
            let grant = try await endpoint.grant(
                [("grant_type", "refresh_token"), ("refresh_token", token)], spends: true,
                deadline: .after(.seconds(30)))
            NotingAcquirer.note(grant)
            return grant
        }
    }
}

/// The whole stack, configured for one server.
struct CounterpartStack: Sendable {
    let engine: GatewayEngine
    let coordinator: TokenRefreshCoordinator
    let key: TokenKey
    let server: String

    init(
        _ server: String, _ acquirer: any TokenAcquirer, key: TokenKey, grant: TokenGrant? = nil,
        _ change: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws {
        self.key = key
        self.server = server
        coordinator = TokenRefreshCoordinator(acquirer: NotingAcquirer(acquirer)) { TestTrace.show($0) }
        if let grant { coordinator.signIn(key, with: grant) }
        var configuration = GatewayConfiguration()
        // Otherwise equal calls would share one response.
        configuration.coalescing = nil
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: coordinator, scope: try CredentialScope([server], key: key))
        change(&configuration)
        engine = try configuration.makeEngine()
    }

    func get(_ path: String) async throws -> HTTPResponse {
        try await engine.send(try HTTPRequest(.get, server + path))
    }
}

/// Notes the tokens of each grant, so that the output can be searched for them.
struct NotingAcquirer: TokenAcquirer {
    private let acquirer: any TokenAcquirer

    init(_ acquirer: any TokenAcquirer) { self.acquirer = acquirer }

    var canStepUp: Bool { acquirer.canStepUp }
    var binding: DPoPBinding? { acquirer.binding }

    func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        let grant = try await acquirer.acquire(request)
        Self.note(grant)
        TestTrace.show(grant)
        return grant
    }

    func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await acquirer.revoke(grant, deadline: deadline)
    }

    static func note(_ grant: TokenGrant) {
        SecretLedger.note(grant.accessToken, .accessToken)
        if let token = grant.refreshToken { SecretLedger.note(token, .refreshToken) }
        if let token = grant.idToken { SecretLedger.note(token, .idToken) }
    }
}
