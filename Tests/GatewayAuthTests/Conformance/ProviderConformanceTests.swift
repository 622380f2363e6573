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
    private static var clients: [ClientAuthentication] {
        [
            .basic(clientID: "id", secret: secret), .post(clientID: "id", secret: secret),
            .publicClient(clientID: "id"),
        ]
    }

    private func endpoint(_ client: ClientAuthentication, _ transport: any Transport) throws -> TokenEndpoint
    {
        try TokenEndpoint("https://login.example.com/token", client: client, transport: transport)
    }

    @Test func clientCredentialsConform() async {
        for client in Self.clients {
            var suite = TokenAcquirerConformance { transport in
                ClientCredentials(endpoint: try endpoint(client, transport))
            }
            suite.secrets = [Self.secret]
            #expect(await suite.failures() == [])
        }
    }

    @Test func refreshTokenGrantsConform() async {
        let first = Secret("f1rst-refresh-token")
        for client in Self.clients {
            var suite = TokenAcquirerConformance { transport in
                RefreshTokenGrant(endpoint: try endpoint(client, transport), initial: first)
            }
            suite.secrets = [Self.secret, first]
            suite.usesRefreshToken = true
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
