import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayClient

/// The acquirer around the one that environment variables describe keeps the contract of acquirers.
@Suite struct HintingAcquirerTests {
    @Test func itConforms() async throws {
        let secret = Secret("cl1ent+secret: 100%")
        for binding in [nil, try DPoPBinding()] {
            var suite = TokenAcquirerConformance { transport in
                let endpoint = try TokenEndpoint(
                    "https://login.example.com/token", client: .basic(clientID: "id", secret: secret),
                    binding: binding, transport: transport)
                return HintingAcquirer(
                    ClientCredentials(endpoint: endpoint),
                    VariableHint(kind: .clientCredentials, isDiscovered: false, isFile: false))
            }
            suite.secrets = [secret]
            #expect(await suite.failures() == [])
        }
    }

    @Test func itKeepsTheContractOfARefreshTokenGrant() async throws {
        let secret = Secret("cl1ent+secret: 100%")
        var suite = TokenAcquirerConformance { transport in
            let endpoint = try TokenEndpoint(
                "https://login.example.com/token", client: .basic(clientID: "id", secret: secret),
                transport: transport)
            return HintingAcquirer(
                RefreshTokenGrant(endpoint: endpoint, initial: Secret("f1rst-refresh-token")),
                VariableHint(kind: .refreshToken, isDiscovered: false, isFile: false))
        }
        suite.secrets = [secret, Secret("f1rst-refresh-token")]
        suite.usesRefreshToken = true
        #expect(await suite.failures() == [])
    }
}
