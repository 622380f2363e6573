import GatewayAuth
import GatewayCore
import Testing

@testable import GatewayClient

/// `GATEWAY_ACCOUNT` names the account of credentials that no store identifies.
@Suite struct AccountVariableTests {
    private func account(_ variables: [String: String]) throws -> String? {
        let variables = variables.merging(["GATEWAY_BASE_URL": "https://api.example.com"]) { own, _ in own }
        let environment = try GatewayEnvironment(variables)
        let coordinator = try #require(environment.configuration().authentication?.coordinator)
        return coordinator.identity(for: try #require(environment.tokenKey)).account
    }

    private static let client = [
        "GATEWAY_TOKEN_URL": "https://login.example.com/token", "GATEWAY_CLIENT_ID": "orders",
        "GATEWAY_CLIENT_SECRET": "s3cret",
    ]

    @Test(arguments: [["GATEWAY_TOKEN": "abc"], ["GATEWAY_TOKEN_FILE": "/run/token"], client])
    func credentialsHaveTheNamedAccount(_ variables: [String: String]) throws {
        let named = variables.merging(["GATEWAY_ACCOUNT": "orders-service"]) { own, _ in own }
        #expect(try account(named) == "orders-service")
        #expect(try account(variables) == nil)
    }

    @Test func aStoreIdentifiesTheAccountItself() throws {
        var variables = Self.client
        variables["GATEWAY_TOKEN_STORE"] = "/var/lib/orders"
        variables["GATEWAY_ACCOUNT"] = "orders-service"
        let error = #expect(throws: GatewayEnvironmentError.self) { try account(variables) }
        #expect(error?.problems.map(\.variable) == ["GATEWAY_ACCOUNT"])
    }

    @Test func anAccountNeedsACredential() throws {
        let error = #expect(throws: GatewayEnvironmentError.self) {
            try GatewayEnvironment(["GATEWAY_ACCOUNT": "orders-service"])
        }
        #expect(error?.problems.map(\.variable) == ["GATEWAY_ACCOUNT"])
    }
}
