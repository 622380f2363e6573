import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// Authorization servers that are found by their names (RFC 8414), and where secrets go.
@Suite(.timeLimit(.minutes(1))) struct DiscoveryTests {
    private static let issuer = "https://login.example.com/tenant"

    private static func document(
        issuer: String = issuer, token: String = "https://login.example.com/tenant/token", _ more: String = ""
    ) -> String {
        #"{"issuer":"\#(issuer)","token_endpoint":"\#(token)"\#(more)}"#
    }

    private func metadata(
        _ document: String, allowing: [String] = []
    ) async throws -> AuthorizationServerMetadata {
        try await AuthorizationServerDiscovery(
            issuer: Self.issuer, allowing: Set(allowing.map { try Origin($0) }),
            transport: ScriptedTransport(.status(200, document))
        ).metadata()
    }

    @Test(arguments: [
        (
            "https://a.example", AuthorizationServerDiscovery.Convention.oauth,
            "/.well-known/oauth-authorization-server"
        ),
        ("https://a.example/", .oauth, "/.well-known/oauth-authorization-server"),
        ("https://a.example/t/1", .oauth, "/.well-known/oauth-authorization-server/t/1"),
        ("https://a.example", .openID, "/.well-known/openid-configuration"),
        ("https://a.example/t/1", .openID, "/t/1/.well-known/openid-configuration"),
        ("https://a.example/t/1/", .openID, "/t/1/.well-known/openid-configuration"),
    ])
    func whereTheMetadataStands(
        issuer: String, convention: AuthorizationServerDiscovery.Convention, target: String
    ) async throws {
        let transport = ScriptedTransport(.status(200, Self.document(issuer: issuer)))
        let discovery = try AuthorizationServerDiscovery(
            issuer: issuer, convention: convention, transport: transport)
        #expect(try await discovery.metadata().issuer == issuer)
        #expect(transport.requests.map(\.target) == [target])
        #expect(transport.requests.first?.fields.contains(.authorization) == false)
    }

    @Test(arguments: [
        "https://login.example.com/tenant/", "https://login.example.com", "https://LOGIN.example.com/tenant",
        "https://login.example.com:443/tenant", "https://evil.example/tenant", "",
    ])
    func theIssuerIsMatchedByteByByte(told: String) async throws {
        let result = await outcome { () throws(NetworkError) in
            try await discover(.status(200, Self.document(issuer: told))).metadata()
        }
        #expect(result.code == .credentialMisconfigured)
        #expect(!Self.message(result).contains(told) || told.isEmpty)
    }

    private static func message(_ result: Result<AuthorizationServerMetadata, NetworkError>) -> String {
        if case .failure(let error) = result { error.message } else { "" }
    }

    @Test(arguments: [
        ("https://login.example.com/tenant", "https://login.example.com/tenant/"),
        ("https://login.example.com/tenant/", "https://login.example.com/tenant"),
        ("https://login.example.com", "https://login.example.com/"),
    ])
    func aTrailingSlashIsNamedAndMayBeIgnored(issuer: String, told: String) async throws {
        let reply = ScriptedTransport.Reply.status(200, Self.document(issuer: told))
        let exact = try AuthorizationServerDiscovery(issuer: issuer, transport: ScriptedTransport(reply))
        let result = await outcome { () throws(NetworkError) in try await exact.metadata() }
        #expect(result.code == .credentialMisconfigured)
        #expect(Self.message(result).contains("a slash at the end"))
        #expect(Self.message(result).contains("`ignoresTrailingSlash`"))
        let lenient = try AuthorizationServerDiscovery(
            issuer: issuer, ignoresTrailingSlash: true, transport: ScriptedTransport(reply))
        #expect(try await lenient.metadata().issuer == told)
        let other = try AuthorizationServerDiscovery(
            issuer: "https://login.example.com/other", ignoresTrailingSlash: true,
            transport: ScriptedTransport(reply))
        let differs = await outcome { () throws(NetworkError) in try await other.metadata() }
        #expect(differs.code == .credentialMisconfigured)
    }

    @Test func metadataThatIsNotThereNamesBothConventions() async throws {
        for (convention, other) in [
            (AuthorizationServerDiscovery.Convention.openID, "`convention: .oauth`"),
            (.oauth, "`convention: .openID`"),
        ] {
            let transport = ScriptedTransport(.status(404, "<html>"))
            let discovery = try AuthorizationServerDiscovery(
                issuer: Self.issuer, convention: convention, transport: transport)
            let result = await outcome { () throws(NetworkError) in try await discovery.metadata() }
            let message = Self.message(result)
            #expect(result.code == .credentialMisconfigured)
            for part in [
                "404", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", other,
            ] { #expect(message.contains(part), "\(message)") }
        }
    }

    /// It may be a proxy's 404: the credential is not dead.
    @Test func metadataThatIsNotThereIsAskedForAgain() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(
            .status(404), .status(200, Self.document()), .status(200, #"{"access_token":"t"}"#))
        let discovery = try AuthorizationServerDiscovery(
            issuer: Self.issuer, transport: transport, clock: clock)
        let acquirer = DiscoveredTokenAcquirer(discovery, isSingleUse: false) { metadata in
            ClientCredentials(
                endpoint: try TokenEndpoint(
                    metadata, client: .publicClient(clientID: "app"), transport: transport, clock: clock))
        }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: clock)
        let first = await outcome { () throws(NetworkError) in try await coordinator.token() }
        #expect(first.code == .credentialMisconfigured)
        clock.advance(by: .seconds(1))
        #expect(try await coordinator.token().accessToken == Secret("t"))
    }

    @Test(arguments: ["http://localhost:8080", "http://localhost"])
    func localhostIsToldToBeALiteral(issuer: String) {
        let error = #expect(throws: NetworkError.self) {
            try AuthorizationServerDiscovery(issuer: issuer, transport: ScriptedTransport(.status(200)))
        }
        #expect(error?.code == .insecureOrigin)
        #expect(error?.message.contains("write 127.0.0.1") == true)
    }

    private func discover(
        _ reply: ScriptedTransport.Reply
    ) throws(NetworkError) -> AuthorizationServerDiscovery {
        try AuthorizationServerDiscovery(issuer: Self.issuer, transport: ScriptedTransport(reply))
    }

    @Test(arguments: [
        ("http://login.example.com", false), ("http://localhost:8080", false), ("http://10.0.0.1", false),
        ("https://a.example/?x=1", false), ("https://a.example/#x", false), ("https://a.example", true),
        ("http://127.0.0.1:9000/t", true), ("http://[::1]:9000", true),
    ])
    func onlySecureIssuers(issuer: String, isFine: Bool) throws {
        let result = Result {
            try AuthorizationServerDiscovery(issuer: issuer, transport: ScriptedTransport(.status(200)))
        }
        #expect(((try? result.get()) != nil) == isFine)
    }

    /// Nothing is sent to an endpoint that the metadata puts elsewhere, until that is allowed.
    @Test func secretsGoToConfirmedOriginsAlone() async throws {
        let elsewhere = Self.document(token: "https://tokens.example.net/token")
        let secret = ClientAuthentication.basic(clientID: "app", secret: Secret("s3cret"))
        let transport = ScriptedTransport(.status(200, #"{"access_token":"t"}"#))
        let hostile = try await metadata(elsewhere)
        let error = #expect(throws: NetworkError.self) {
            try TokenEndpoint(hostile, client: secret, transport: transport)
        }
        #expect(error?.code == .insecureOrigin)
        let allowed = try await metadata(elsewhere, allowing: ["https://tokens.example.net"])
        #expect(
            try TokenEndpoint(allowed, client: secret, transport: transport).origin.description
                == "https://tokens.example.net")
        // Beside the token endpoint they count as well: the client proves itself there, too.
        for name in ["revocation", "introspection", "device_authorization"] {
            let document = Self.document(#","\#(name)_endpoint":"https://tokens.example.net/x""#)
            let metadata = try await metadata(document)
            #expect(throws: NetworkError.self) {
                try TokenEndpoint(metadata, client: secret, transport: transport)
            }
        }
        // Another port is another origin, and plain HTTP is none at all, allowed or not.
        for url in ["https://login.example.com:8443/token", "http://login.example.com/token"] {
            let metadata = try await metadata(
                Self.document(token: url), allowing: ["http://login.example.com"])
            #expect(throws: NetworkError.self) {
                try TokenEndpoint(metadata, client: secret, transport: transport)
            }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        (200, "<html>", NetworkError.Code.tokenResponseMalformed), (200, "[]", .tokenResponseMalformed),
        (200, "{}", .tokenResponseMalformed),
        (200, #"{"issuer":"https://login.example.com/tenant","issuer":"x"}"#, .tokenResponseMalformed),
        (302, "", .credentialMisconfigured), (404, "", .credentialMisconfigured),
        (403, "<html>", .credentialMisconfigured), (429, "", .tokenUnavailable),
        (503, "", .tokenUnavailable),
    ])
    func whatIsNoMetadata(status: Int, body: String, code: NetworkError.Code) async throws {
        let result = await outcome { () throws(NetworkError) in
            try await discover(.status(status, body)).metadata()
        }
        #expect(result.code == code)
    }

    @Test func metadataAboveItsLimitIsAFailureThatLasts() async throws {
        let (clock, filling) = (ManualClock(), String(repeating: " ", count: 300 << 10))
        let transport = ScriptedTransport(.status(200, Self.document() + filling))
        let discovery = try AuthorizationServerDiscovery(
            issuer: Self.issuer, transport: transport, clock: clock)
        let acquirer = DiscoveredTokenAcquirer(discovery, isSingleUse: false) { _ in
            throw NetworkError(.other, "not reached")
        }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: clock)
        for _ in 0..<2 {
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code == .credentialMisconfigured)
            if case .failure(let error) = result { #expect(error.message.contains("262144 bytes")) }
            clock.advance(by: .seconds(3600))
        }
        #expect(transport.requests.count == 1)
    }

    @Test func metadataIsKeptForAnHour() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(.status(200, Self.document()))
        let discovery = try AuthorizationServerDiscovery(
            issuer: Self.issuer, transport: transport, clock: clock)
        for (advance, count) in [(0, 1), (3599, 1), (1, 2)] {
            clock.advance(by: .seconds(advance))
            _ = try await discovery.metadata()
            #expect(transport.requests.count == count)
        }
    }

    @Test func aliasesServeConnectionsWithACertificate() async throws {
        let aliases =
            #","mtls_endpoint_aliases":{"token_endpoint":"https://mtls.login.example.com/token"}"#
            + #","revocation_endpoint":"https://login.example.com/revoke""#
        let metadata = try await metadata(
            Self.document(aliases), allowing: ["https://mtls.login.example.com"])
        let transport = ScriptedTransport(.status(200, #"{"access_token":"t"}"#))
        let client = ClientAuthentication.mutualTLS(clientID: "app")
        let plain = try TokenEndpoint(metadata, client: client, transport: transport)
        let bound = try TokenEndpoint(metadata, client: client, usesMutualTLS: true, transport: transport)
        #expect(plain.origin.host == "login.example.com")
        #expect(bound.origin.host == "mtls.login.example.com")
        _ = try await bound.grant([("grant_type", "client_credentials")], deadline: .after(.seconds(60)))
        let form = Form(transport.requests.first)
        #expect(form["client_id"] == "app" && form["client_secret"] == nil)
    }

    @Test func aServerThatTakesNoSuchProofsIsToldBeforehand() async throws {
        let metadata = try await metadata(
            Self.document(#","dpop_signing_alg_values_supported":["RS256"]"#))
        let error = #expect(throws: NetworkError.self) {
            try TokenEndpoint(
                metadata, client: .publicClient(clientID: "app"), binding: DPoPBinding(),
                transport: ScriptedTransport(.status(200)))
        }
        #expect(error?.code == .credentialMisconfigured)
    }

    // MARK: Against a server

    @Test(arguments: [AuthorizationServerDiscovery.Convention.oauth, .openID])
    func aServerIsFoundAndUsed(convention: AuthorizationServerDiscovery.Convention) async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let transport = CurlTransport()
        let discovery = try AuthorizationServerDiscovery(
            issuer: gateway.tokenOrigin.description, convention: convention, transport: transport)
        let client = ClientAuthentication.basic(
            clientID: gateway.client.id, secret: gateway.client.secret)
        let acquirer = DiscoveredTokenAcquirer(discovery) { metadata in
            ClientCredentials(
                endpoint: try TokenEndpoint(metadata, client: client, transport: transport))
        }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer)
        let lease = try await coordinator.token()
        // What the server says of the token, before it is taken back and after.
        let endpoint = try TokenEndpoint(
            try await discovery.metadata(), client: client, transport: transport)
        let deadline = Deadline.after(.seconds(10))
        let active = try await endpoint.introspect(
            lease.accessToken, hint: "access_token", deadline: deadline)
        #expect(active.isActive && active.scopes.contains("books:read"))
        #expect(!"\(active) \(String(reflecting: active))".contains(gateway.client.id))
        try await endpoint.revoke(TokenGrant(accessToken: lease.accessToken), deadline: deadline)
        let inactive = try await endpoint.introspect(lease.accessToken, deadline: deadline)
        #expect(!inactive.isActive && inactive.members.isEmpty)
    }

    @Test(arguments: ["[]", "{}", #"{"active":"true"}"#, #"{"active":null}"#, "<html>"])
    func whatIsNoIntrospection(body: String) async throws {
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(clientID: "app"),
            others: .init(introspectionURL: "https://login.example.com/introspect"),
            transport: ScriptedTransport(.status(200, body)))
        let result = await outcome { () throws(NetworkError) in
            try await endpoint.introspect(Secret("t"), deadline: .after(.seconds(60)))
        }
        #expect(result.code == .tokenResponseMalformed)
    }
}
