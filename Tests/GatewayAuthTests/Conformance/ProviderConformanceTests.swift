import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

/// Every provider and every acquirer keeps its contract, and the suites find those that do not.
@Suite(.timeLimit(.minutes(2))) struct ProviderConformanceTests {
    private static let secret = Secret("cl1ent+secret: 100%")

    // MARK: Providers

    @Test func aProviderThatIsSoundPasses() async {
        let suite = TokenProviderConformance(
            failing: { FaultyTokenProvider(isFailing: true) }, { FaultyTokenProvider() })
        #expect(await suite.failures() == [])
    }

    @Test func aFixedTokenConforms() async {
        let token = Secret("f1xed-token")
        let suite = TokenProviderConformance(renewal: .never, secrets: [token]) { StaticTokenProvider(token) }
        #expect(await suite.failures() == [])
    }

    @Test func aFileConforms() async throws {
        let (directory, numbers) = (TemporaryDirectory(), Counter())
        let renew: @Sendable () throws -> Void = {
            try directory.write("f1le-token-\(numbers.next())", "token")
        }
        try renew()
        let suite = TokenProviderConformance(
            renewal: .elsewhere(renew),
            failing: { FileTokenProvider(path: directory.path("missing")) },
            { FileTokenProvider(path: directory.path("token")) })
        #expect(await suite.failures() == [])
    }

    @Test func aTokenFromElsewhereThatIsNotSeenIsFound() async {
        let token = Secret("f1xed-token")
        let suite = TokenProviderConformance(renewal: .elsewhere {}) { StaticTokenProvider(token) }
        let failures = await suite.failures()
        for text in ["the next one is not seen", "counts as an end for good"] {
            #expect(failures.contains { $0.hasPrefix("token from elsewhere:") && $0.contains(text) })
        }
    }

    @Test func aFunctionConforms() async {
        let numbers = Locked(0)
        let suite = TokenProviderConformance(
            failing: { ClosureTokenProvider { throw NetworkError(.tokenUnavailable, "not now") } },
            {
                ClosureTokenProvider {
                    numbers.withLock { number in
                        number += 1
                        return "closure-token-\(number)"
                    }
                }
            })
        #expect(await suite.failures() == [])
    }

    @Test(arguments: ProviderFault.allCases) func theSuiteFindsWhatIsWrong(fault: ProviderFault) async {
        let suite = TokenProviderConformance(
            patience: .milliseconds(200), failing: { FaultyTokenProvider(fault, isFailing: true) },
            { FaultyTokenProvider(fault) })
        let failures = await suite.failures()
        #expect(failures.contains { $0.hasPrefix(fault.rawValue + ":") }, "\(failures)")
    }

    @Test func aFixedTokenThatFailsInPassingIsFound() async {
        let suite = TokenProviderConformance(renewal: .never) { FaultyTokenProvider(isFailing: true) }
        let failures = await suite.failures()
        #expect(failures.contains { $0.hasPrefix("fixed token:") }, "\(failures)")
    }

    // MARK: Acquirers

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

    private func endpoint(_ client: ClientAuthentication, _ transport: any Transport) throws -> TokenEndpoint
    {
        try TokenEndpoint("https://login.example.com/token", client: client, transport: transport)
    }

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

    @Test func chainsConform() async {
        var suite = TokenAcquirerConformance { transport in
            ChainedTokenAcquirer([
                ProviderAcquirer(FileTokenProvider(path: "/nonexistent/token", isOptional: true)),
                ClientCredentials(
                    endpoint: try endpoint(.basic(clientID: "id", secret: Self.secret), transport)),
            ])
        }
        suite.secrets = [Self.secret]
        #expect(await suite.failures() == [])
    }

    @Test func theEnvironmentConforms() async throws {
        let variables = Variables()
        variables["TOKEN"] = "env1ronment-token"
        let fixed = TokenProviderConformance(renewal: .never, secrets: [Secret("env1ronment-token")]) {
            EnvironmentTokenProvider(variable: "TOKEN", lookUp: variables.lookUp)
        }
        #expect(await fixed.failures() == [])
        let (directory, numbers) = (TemporaryDirectory(), Counter())
        let renew: @Sendable () throws -> Void = {
            try directory.write("env1ronment-file-\(numbers.next())", "token")
        }
        try renew()
        variables["TOKEN_FILE"] = directory.path("token")
        variables["MISSING_FILE"] = directory.path("missing")
        let file = TokenProviderConformance(
            renewal: .elsewhere(renew),
            failing: { EnvironmentTokenProvider(fileNamedBy: "MISSING_FILE", lookUp: variables.lookUp) },
            { EnvironmentTokenProvider(fileNamedBy: "TOKEN_FILE", lookUp: variables.lookUp) })
        #expect(await file.failures() == [])
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

    @Test func anAcquirerThatIsSoundPasses() async { #expect(await failures(nil) == []) }

    @Test(arguments: AcquirerFault.allCases) func theSuiteFindsWhatIsWrong(fault: AcquirerFault) async {
        let failures = await failures(fault, patience: .milliseconds(200))
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
