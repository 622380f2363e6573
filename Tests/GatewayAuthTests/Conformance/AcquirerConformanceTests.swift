import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// Every acquirer keeps its contract, and the suite finds one that does not.
@Suite(.timeLimit(.minutes(2)), .tags(.concurrent)) struct AcquirerConformanceTests {
    private static let secret = Secret("cl1ent+secret: 100%")

    /// Every style of client authentication.
    private static func clients() throws -> [ClientAuthentication] {
        [
            .basic(clientID: "id", secret: secret), .post(clientID: "id", secret: secret),
            .publicClient(clientID: "id"),
            try .privateKeyJWT(
                clientID: "id", key: JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)),
            .assertion(clientID: "id", from: .fixed(secret)),
        ]
    }

    private func endpoint(
        _ client: ClientAuthentication, _ transport: any Transport, _ binding: DPoPBinding? = nil
    ) throws -> TokenEndpoint {
        try TokenEndpoint(
            "https://login.example.com/token", client: client, binding: binding, transport: transport)
    }

    /// Without a binding and with one.
    private static func bindings() throws -> [DPoPBinding?] { [nil, try DPoPBinding()] }

    @Test func clientCredentialsConform() async throws {
        for client in try Self.clients() {
            var suite = TokenAcquirerConformance { transport in
                ClientCredentials(endpoint: try endpoint(client, transport))
            }
            suite.secrets = [Self.secret]
            #expect(await suite.failures() == [])
        }
    }

    @Test func refreshTokenGrantsConform() async throws {
        let first = Secret("f1rst-refresh-token")
        for client in try Self.clients() {
            var suite = TokenAcquirerConformance { transport in
                RefreshTokenGrant(endpoint: try endpoint(client, transport), initial: first)
            }
            suite.secrets = [Self.secret, first]
            suite.usesRefreshToken = true
            #expect(await suite.failures() == [])
        }
    }

    @Test func jwtBearerGrantsConform() async throws {
        let assertion = try SignedAssertion(
            issuer: "id", subject: "reader",
            key: JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256))
        var signing = TokenAcquirerConformance { transport in
            JWTBearerGrant(
                endpoint: try endpoint(.basic(clientID: "id", secret: Self.secret), transport),
                assertion: assertion)
        }
        signing.secrets = [Self.secret, TestKeys.p256.pem]
        #expect(await signing.failures() == [])
        var given = TokenAcquirerConformance { transport in
            JWTBearerGrant(
                endpoint: try endpoint(.publicClient(clientID: "id"), transport),
                assertion: .fixed(Self.secret))
        }
        given.secrets = [Self.secret]
        #expect(await given.failures() == [])
    }

    @Test func tokenExchangesConform() async {
        let subject = Secret("subject-s3cret-token")
        var suite = TokenAcquirerConformance { transport in
            TokenExchange(
                endpoint: try endpoint(.basic(clientID: "id", secret: Self.secret), transport),
                subject: TokenExchange.Token(.fixed(subject)),
                actor: TokenExchange.Token(.fixed(Self.secret)))
        }
        suite.secrets = [Self.secret, subject]
        #expect(await suite.failures() == [])
    }

    @Test func chainsConform() async throws {
        for binding in try Self.bindings() {
            var suite = TokenAcquirerConformance { transport in
                ChainedTokenAcquirer([
                    ProviderAcquirer(FileTokenProvider(path: "/nonexistent/token", isOptional: true)),
                    ClientCredentials(
                        endpoint: try endpoint(
                            .basic(clientID: "id", secret: Self.secret), transport, binding)),
                ])
            }
            suite.secrets = [Self.secret]
            #expect(await suite.failures() == [])
        }
    }

    @Test func boundEndpointsConform() async throws {
        let binding = try DPoPBinding()
        let client = ClientAuthentication.basic(clientID: "id", secret: Self.secret)
        let source = SecretSource.fixed(Self.secret)
        let makes: [TokenAcquirerConformance.Make] = [
            { ClientCredentials(endpoint: try endpoint(client, $0, binding)) },
            { RefreshTokenGrant(endpoint: try endpoint(client, $0, binding)) },
            { JWTBearerGrant(endpoint: try endpoint(client, $0, binding), assertion: source) },
            { TokenExchange(endpoint: try endpoint(client, $0, binding), subject: .init(source)) },
        ]
        for make in makes {
            var suite = TokenAcquirerConformance(make)
            suite.secrets = [Self.secret]
            #expect(await suite.failures() == [])
        }
    }

    /// An acquirer around another; what it passes on beside the grant is its own affair.
    private struct Wrapper: TokenAcquirer {
        let other: any TokenAcquirer
        let passesOn: Bool

        var binding: DPoPBinding? { passesOn ? other.binding : nil }

        func acquire(_ request: TokenRequest) async throws -> TokenGrant { try await other.acquire(request) }
    }

    @Test(arguments: [true, false]) func aWrapperThatKeepsTheBindingToItselfIsFound(
        passesOn: Bool
    ) async throws {
        let binding = try DPoPBinding()
        let client = ClientAuthentication.basic(clientID: "id", secret: Self.secret)
        let suite = TokenAcquirerConformance { transport in
            Wrapper(
                other: ClientCredentials(endpoint: try endpoint(client, transport, binding)),
                passesOn: passesOn)
        }
        let failures = await suite.failures()
        #expect(failures.isEmpty == passesOn)
        #expect(failures.allSatisfy { $0.hasPrefix("binding:") }, "\(failures)")
    }

    /// The metadata comes from a place of its own.
    @Test func discoveredAcquirersConform() async throws {
        let document =
            #"{"issuer":"https://login.example.com","token_endpoint":"https://login.example.com/t"}"#
        let client = ClientAuthentication.basic(clientID: "id", secret: Self.secret)
        for binding in try Self.bindings() {
            var suite = TokenAcquirerConformance { transport in
                let discovery = try AuthorizationServerDiscovery(
                    issuer: "https://login.example.com", transport: ScriptedTransport(.status(200, document)))
                return DiscoveredTokenAcquirer(discovery, binding: binding) { metadata in
                    ClientCredentials(
                        endpoint: try TokenEndpoint(
                            metadata, client: client, binding: binding, transport: transport))
                }
            }
            suite.secrets = [Self.secret]
            #expect(await suite.failures() == [])
        }
    }

    @Test func aProviderMadeAnAcquirerConforms() async {
        let fixed = TokenAcquirerConformance(withoutEndpoint: {
            ProviderAcquirer(StaticTokenProvider(Secret("f1xed-token")))
        })
        #expect(await fixed.failures() == [])
        let renewed = TokenAcquirerConformance(withoutEndpoint: {
            ProviderAcquirer(FaultyTokenProvider())
        })
        #expect(await renewed.failures() == [])
    }

    /// The acquirers that ship. One of them names variables in the errors of another; it is not public, and has its tests in
    /// `GatewayClientTests`.
    @Test func everyAcquirerThatShipsIsHere() throws {
        let names = try ShippedTypes.conforming(to: "TokenAcquirer")
        let here: Set = [
            "ClientCredentials", "RefreshTokenGrant", "JWTBearerGrant", "TokenExchange",
            "ChainedTokenAcquirer", "DiscoveredTokenAcquirer", "ProviderAcquirer",
        ]
        #expect(names.subtracting(["HintingAcquirer"]) == here)
    }

    @Test func anAcquirerThatIsSoundPasses() async { #expect(await failures(nil) == []) }

    @Test(.waits("what never ends is found by waiting"), arguments: AcquirerFault.allCases)
    func theSuiteFindsWhatIsWrong(fault: AcquirerFault) async {
        let failures = await failures(fault, patience: .milliseconds(100))
        #expect(failures.contains { $0.hasPrefix(fault.rawValue + ":") }, "\(failures)")
        for failure in failures { #expect(!failure.contains("c0nf0rmance")) }
    }

    private func failures(_ fault: AcquirerFault?, patience: Duration = .seconds(10)) async -> [String] {
        var suite = TokenAcquirerConformance { transport in
            FaultyTokenAcquirer(fault, transport, secret: Self.secret)
        }
        suite.usesRefreshToken = true
        suite.secrets = [Self.secret]
        suite.patience = patience
        return await suite.failures()
    }
}
