import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayOpenAPI
import GatewayResilience

@testable import GatewayClient
@testable import GatewayTesting

enum ClientSpecimens {
    static func all() throws -> [Any] {
        let coordinator = TokenRefreshCoordinator(acquirer: Leaky())
        let authentication = GatewayConfiguration.Authentication(
            coordinator: coordinator, scope: try CredentialScope(["https://api.example.com"]))
        var configuration = GatewayConfiguration()
        configuration.transport = CurlSpecimens.configuration()
        configuration.retry.policy = Leaky()
        configuration.events = LeakySink()
        configuration.tokenTransport = TokenTransport(configuration: CurlSpecimens.configuration())
        configuration.authentication = authentication
        let environment = try GatewayEnvironment([
            "GATEWAY_BASE_URL": "https://api.example.com/\(Marker.token)",
            "GATEWAY_TOKEN_URL": "https://login.example.com/?key=\(Marker.token)",
            "GATEWAY_CLIENT_ID": Marker.text, "GATEWAY_CLIENT_SECRET": Marker.text,
            "GATEWAY_PROXY": "http://proxy.example.com:3128", "GATEWAY_PROXY_USERNAME": Marker.token,
            "GATEWAY_PROXY_PASSWORD": Marker.text,
        ])
        var error: [Any] = []
        do {
            _ = try GatewayEnvironment([
                "GATEWAY_BASE_URL": "https://user:\(Marker.token)@example.com",
                "GATEWAY_RETRIES": Marker.text,
                "GATEWAY_DEADLINE": Marker.text, "GATEWAY_PROXY": Marker.text,
                "GATEWAY_TOKEN_STORE": Marker.text,
                "GATEWAY_CLIENT_AUTH": Marker.text, "GATEWAY_GRANT": Marker.text,
                "GATEWAY_TOKEN_URL": Marker.text,
            ])
        } catch let problem {
            error = [problem] + problem.problems
        }
        return [
            configuration, NetworkAdaptation(), authentication,
            try GatewayConfiguration.Authentication(
                .clientCredentials(id: Marker.text, secret: Marker.text),
                origins: ["https://api.example.com"]),
            environment, environment.configuration(),
            GatewayEngine(transport: Leaky(), tokenTransport: Leaky(), configuration: configuration),
            GatewayEnvironment.SignOutResult.revocationFailed(
                NetworkError(.tokenUnavailable, "The server is not available.")),
        ] + error + GatewayEnvironment.Variable.all
    }
}

enum TestingSpecimens {
    static func all() throws -> [Any] {
        let fields: HTTPFields = ["Set-Cookie": Marker.text]
        let client = EmbeddedGateway.Client(id: "client", secret: Secret(Marker.text), scopes: ["books:read"])
        var configuration = EmbeddedGateway.Configuration()
        configuration.clients = [client]
        configuration.trustedIssuers = ["issuer": try AuthSpecimens.key()]
        configuration.signing = .secret(try AuthSpecimens.key())
        configuration.threads = 1
        let gateway = try EmbeddedGateway.start(configuration)
        defer { gateway.shutdown() }
        let reply = EmbeddedGateway.Reply(status: 200, fields: fields, body: Marker.bytes)
        let request = EmbeddedGateway.Request(
            method: .get, target: "/books?key=\(Marker.token)", fields: fields, body: Marker.bytes,
            connection: 1)
        let claims = EmbeddedGateway.TokenClaims(
            issuer: "issuer", subject: "subject", clientID: "client", scopes: [], issuedAt: 0, expiresAt: 0,
            id: "id", generation: 1, keyThumbprint: nil)
        let access = EmbeddedGateway.IssuedAccessToken(token: Secret(Marker.text), claims: claims)
        let signings: [EmbeddedGateway.Signing] = [
            .generatedSecret, .secret(try AuthSpecimens.key()),
            .keyPair(signing: try AuthSpecimens.key(), verification: try AuthSpecimens.key()),
        ]
        let replies: [ScriptedTransport.Reply] = [
            .response(status: 200, fields: fields, body: Marker.bytes),
            .streamed(status: 200, fields: fields, HeldStream().chunks()),
            .failure(NetworkError(.timeout, "late", underlying: LeakyError())),
        ]
        let renewals: [TokenProviderConformance.Renewal] = [.byProvider, .elsewhere({}), .never]
        var acquirer = TokenAcquirerConformance(withoutEndpoint: { Leaky() })
        acquirer.secrets = [Secret(Marker.text)]
        let proxy = try ChaosProxy.start(to: 9)
        defer { proxy.shutdown() }
        let recorder = EventRecorder()
        recorder.record(
            RequestEvent(
                callID: 1, operation: nil, origin: gateway.origin, method: .get, kind: .started))
        return [
            client, configuration, gateway, reply, request, claims, access, acquirer, recorder,
            EmbeddedGateway.SignedIn(access: access, refreshToken: Secret(Marker.text)),
            EmbeddedGateway.DeviceCodes(), EmbeddedGateway.StartError("The port is in use."),
            EmbeddedGateway.Fault.reply(reply), EmbeddedGateway.Fault.latency(.zero),
            gateway.hold(), gateway.inject(.reply(reply)), EmbeddedGateway.Scope.api,
            EmbeddedGateway.JournalEntry(
                number: 1, method: .get, path: "/books", arrival: .now, connection: 1, requestID: "id",
                hasIdempotencyKey: true),
            gateway.statistics, EmbeddedGateway.Statistics.Key(path: "/books", status: 200),
            EmbeddedGateway.Access.open, Gate(), ManualClock(), SeededRandomSource(seed: 1),
            ScriptedTransport(.status(200, fields: fields, Marker.text)), HeldStream(),
            TokenProviderConformance(secrets: [Secret(Marker.text)]) { Leaky() },
            TokenStoreConformance { [Leaky()] }, CacheStoreConformance { MemoryCacheStore() },
            SimulatedNetwork(over: ScriptedTransport(.status(200, fields: fields, Marker.text))),
            ScriptedNetwork(),
            proxy, ChaosProxy.Conditions.veryBad, ChaosProxy.Conditions.Direction(),
            try proxy.statistics(), NetworkProfile.perfect, NetworkProfile.Outcome(failure: .responseLost),
        ] + signings + replies + renewals
    }
}
