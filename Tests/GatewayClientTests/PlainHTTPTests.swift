import GatewayClient
import GatewayTesting
import Testing

/// Credentials over plain HTTP, in the whole stack.
@Suite(.timeLimit(.minutes(1))) struct PlainHTTPTests {
    private static func engine(
        _ hosts: [String], _ transport: ScriptedTransport, events: (any RequestEventSink)? = nil
    ) throws -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.plainHTTP = try PlainHTTPHosts(hosts)
        configuration.events = events
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(provider: StaticTokenProvider(Secret("hunter2"))),
            scope: try CredentialScope(["http://orders", "http://stock.shop.svc:8080", "http://other"]))
        return GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    private static func code(_ engine: GatewayEngine, _ url: String) async throws -> NetworkError.Code? {
        let request = try HTTPRequest(.get, url)
        do throws(NetworkError) {
            _ = try await engine.send(request)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func isOffByDefault() async throws {
        #expect(GatewayConfiguration().plainHTTP.isEmpty)
        let transport = ScriptedTransport(.status(200))
        let engine = try Self.engine([], transport)
        #expect(try await Self.code(engine, "http://orders/") == .insecureOrigin)
        #expect(transport.requests.isEmpty)
    }

    @Test func listedHostsGetTheCredential() async throws {
        let transport = ScriptedTransport(.status(200))
        let engine = try Self.engine(["orders", ".shop.svc"], transport)
        #expect(try await Self.code(engine, "http://orders/") == nil)
        #expect(try await Self.code(engine, "http://stock.shop.svc:8080/") == nil)
        #expect(try await Self.code(engine, "http://other/") == .insecureOrigin)
        // A list of hosts gives no origin a credential that the scope does not give it.
        #expect(try await Self.code(engine, "http://other.shop.svc/") == nil)
        #expect(
            transport.requests.map { $0.fields[.authorization] } == ["Bearer hunter2", "Bearer hunter2", nil])
    }

    @Test func eachOriginIsReportedOnce() async throws {
        let events = EventRecorder()
        let engine = try Self.engine(
            ["orders", ".shop.svc"], ScriptedTransport(.status(200)), events: events)
        for _ in 1...3 {
            for url in ["http://orders/", "http://stock.shop.svc:8080/", "http://unknown.shop.svc/"] {
                _ = try await Self.code(engine, url)
            }
        }
        let reported = events.stateEvents.filter { $0.kind == .sentOverPlainHTTP }
        #expect(reported.map(\.origin?.description) == ["http://orders", "http://stock.shop.svc:8080"])
    }

    @Test func aRedirectFromTLSIsStillRefused() async throws {
        let transport = ScriptedTransport(.status(302, fields: ["Location": "http://orders/"]))
        let engine = try Self.engine(["orders"], transport)
        #expect(try await Self.code(engine, "https://orders/") == .redirectRefused)
        #expect(transport.requests.count == 1)
    }

    // MARK: Token endpoints

    /// An API and a token endpoint that are called by names of a cluster, over real connections.
    @Test func aTokenEndpointThatIsNamedInFull() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let port = gateway.origin.port
        let events = EventRecorder()
        var configuration = GatewayConfiguration()
        configuration.events = events
        configuration.plainHTTP = try PlainHTTPHosts([".shop.svc", "login.auth.svc"])
        configuration.transport.resolutions = ["books.shop.svc", "login.auth.svc"].map {
            CurlConfiguration.Resolution(host: $0, port: port, addresses: ["127.0.0.1"])
        }
        let engine = try configuration.makeEngine()
        let endpoint = try TokenEndpoint(
            "http://login.auth.svc:\(port)\(try ParsedURL(gateway.tokenURL).target)",
            client: .basic(clientID: gateway.client.id, secret: gateway.client.secret), others: .init(),
            transport: engine.tokenTransport, plainHTTP: engine.services.plainHTTP)
        let coordinator = TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint))
        let path = try ParsedURL(gateway.apiURL).target
        let request = try HTTPRequest(.get, "http://books.shop.svc:\(port)\(path)/books/bk-1")
        for _ in 1...2 {
            var context = RequestContext()
            context.credentials = coordinator.credentials(
                for: endpoint.key(), origins: [request.origin], plainHTTP: engine.services.plainHTTP)
            #expect(try await engine.send(request, context: context).status == 200)
            gateway.revokeCurrentTokens()
        }
        let reported = events.stateEvents.filter { $0.kind == .sentOverPlainHTTP }
        #expect(
            reported.map(\.origin?.host) == ["books.shop.svc", "login.auth.svc"])
        #expect(gateway.statistics.tokenRequestCount == 2)
    }

    @Test(arguments: [[], [".auth.svc"], ["auth.svc"], ["login.auth.svc.cluster.local"]])
    func otherTokenEndpointsAreRefused(hosts: [String]) throws {
        let hosts = try PlainHTTPHosts(hosts)
        let transport = ScriptedTransport()
        let client = ClientAuthentication.publicClient(clientID: "me")
        let url = "http://login.auth.svc/token"
        let calls: [() throws -> Void] = [
            {
                _ = try TokenEndpoint(
                    url, client: client, others: .init(), transport: transport, plainHTTP: hosts)
            },
            {
                _ = try TokenEndpoint(
                    "https://login.auth.svc/token", client: client, others: .init(revocationURL: url),
                    transport: transport, plainHTTP: hosts)
            },
            { _ = try AuthorizationServerDiscovery(issuer: url, transport: transport, plainHTTP: hosts) },
            { _ = try JSONWebKeySetSource(url, transport: transport, plainHTTP: hosts) },
        ]
        for call in calls {
            let error = #expect(throws: NetworkError.self) { try call() }
            #expect(error?.code == .insecureOrigin)
            #expect(error?.message.contains("plainHTTP") == true)
        }
    }

    @Test func metadataNamesEndpointsOfListedHosts() async throws {
        let document = #"""
            {"issuer":"http://login.auth.svc","token_endpoint":"http://login.auth.svc/token",
            "revocation_endpoint":"http://other.auth.svc/revoke"}
            """#
        let discovery = try AuthorizationServerDiscovery(
            issuer: "http://login.auth.svc", allowing: [try Origin("http://other.auth.svc")],
            transport: ScriptedTransport(.status(200, document)),
            plainHTTP: try PlainHTTPHosts(["login.auth.svc", ".auth.svc"]))
        let metadata = try await discovery.metadata()
        #expect(try metadata.url(of: .token) == "http://login.auth.svc/token")
        let error = #expect(throws: NetworkError.self) { try metadata.url(of: .revocation) }
        #expect(error?.code == .insecureOrigin)
    }

    /// A proxy on the way would read what the mesh encrypts.
    @Test func listedHostsAreCalledWithoutTheProxy() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let port = gateway.origin.port
        var configuration = GatewayConfiguration()
        configuration.plainHTTP = try PlainHTTPHosts([".shop.svc"])
        configuration.transport.resolutions = [
            .init(host: "books.shop.svc", port: port, addresses: ["127.0.0.1"])
        ]
        // Nothing listens there.
        configuration.transport.proxy = .init(host: "127.0.0.1", port: 1)
        let engine = try configuration.makeEngine()
        let direct = try await engine.send(try HTTPRequest(.get, "http://books.shop.svc:\(port)/status/204"))
        #expect(direct.status == 204)
        let error = await #expect(throws: NetworkError.self) {
            try await engine.send(try HTTPRequest(.get, "http://other.svc:\(port)/status/204"))
        }
        #expect(error?.code == .proxyFailure)
    }

    // MARK: The environment

    private static let client = [
        "GATEWAY_BASE_URL": "http://books.shop.svc/v1/", "GATEWAY_TOKEN_URL": "http://login.auth.svc/token",
        "GATEWAY_CLIENT_ID": "me", "GATEWAY_CLIENT_SECRET": "s3cret",
    ]

    @Test(
        arguments: [
            ("", ["GATEWAY_BASE_URL", "GATEWAY_TOKEN_URL"]),
            ("books.shop.svc", ["GATEWAY_TOKEN_URL"]),
            ("books.shop.svc, .auth.svc", ["GATEWAY_TOKEN_URL"]),
            ("login.auth.svc", ["GATEWAY_BASE_URL"]),
            ("*.svc", ["GATEWAY_BASE_URL", "GATEWAY_PLAIN_HTTP_HOSTS", "GATEWAY_TOKEN_URL"]),
            ("login.auth.svc .shop.svc", []),
        ])
    func theVariable(hosts: String, problems: [String]) throws {
        var variables = Self.client
        variables["GATEWAY_PLAIN_HTTP_HOSTS"] = hosts
        do throws(GatewayEnvironmentError) {
            let engine = GatewayEngine(configuration: try GatewayEnvironment(variables).configuration())
            #expect(problems.isEmpty)
            #expect(engine.services.plainHTTP == (try? PlainHTTPHosts(["login.auth.svc", ".shop.svc"])))
        } catch {
            #expect(Set(error.problems.map(\.variable)) == Set(problems))
        }
    }
}
