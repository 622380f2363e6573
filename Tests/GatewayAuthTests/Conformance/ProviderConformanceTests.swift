import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// Every provider keeps its contract, and the suite finds one that does not.
@Suite(.timeLimit(.minutes(2)), .tags(.concurrent)) struct ProviderConformanceTests {
    @Test func aProviderThatIsSoundPasses() async {
        let suite = TokenProviderConformance(
            failing: { FaultyTokenProvider(isFailing: true) }, { FaultyTokenProvider() })
        #expect(await suite.failures() == [])
    }

    /// The providers that ship.
    enum Shipped: String, CaseIterable, Sendable {
        case fixed = "StaticTokenProvider"
        case file = "FileTokenProvider"
        case function = "ClosureTokenProvider"
        case environment = "EnvironmentTokenProvider"
    }

    @Test func everyProviderThatShipsIsHere() throws {
        let names = try ShippedTypes.conforming(to: "TokenProvider")
        #expect(names == Set(Shipped.allCases.map(\.rawValue)))
    }

    @Test(arguments: Shipped.allCases) func everyProviderThatShipsConforms(provider: Shipped) async throws {
        switch provider {
        case .fixed: await aFixedTokenConforms()
        case .file: try await aFileConforms()
        case .function: await aFunctionConforms()
        case .environment: try await theEnvironmentConforms()
        }
    }

    private func aFixedTokenConforms() async {
        let token = Secret("f1xed-token")
        let suite = TokenProviderConformance(renewal: .never, secrets: [token]) { StaticTokenProvider(token) }
        #expect(await suite.failures() == [])
    }

    private func aFileConforms() async throws {
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

    private func aFunctionConforms() async {
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

    @Test(.waits("failures are waited for"), arguments: ProviderFault.allCases)
    func theSuiteFindsWhatIsWrong(fault: ProviderFault) async {
        let suite = TokenProviderConformance(
            patience: .milliseconds(100), failing: { FaultyTokenProvider(fault, isFailing: true) },
            { FaultyTokenProvider(fault) })
        let failures = await suite.failures()
        let text = fault == .concurrentCalls ? "concurrent calls: one fails" : fault.rawValue + ":"
        #expect(failures.contains { $0.hasPrefix(text) }, "\(failures)")
    }

    @Test(.waits("failures are waited for")) func aFixedTokenThatFailsInPassingIsFound() async {
        let suite = TokenProviderConformance(renewal: .never) { FaultyTokenProvider(isFailing: true) }
        let failures = await suite.failures()
        #expect(failures.contains { $0.hasPrefix("fixed token:") }, "\(failures)")
    }

    private func theEnvironmentConforms() async throws {
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
}
