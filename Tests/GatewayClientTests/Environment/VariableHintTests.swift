import GatewayClient
import GatewayTesting
import Testing

/// Errors of a credential that variables describe name the variables to change, and no property of the libraries.
@Suite(.timeLimit(.minutes(2))) struct VariableHintTests {
    private let gateway: EmbeddedGateway
    private let folder: TemporaryFolder

    init() throws {
        gateway = try EmbeddedGateway.start()
        folder = try TemporaryFolder()
    }

    private func error(_ change: [String: String]) async throws -> NetworkError {
        let variables = [
            "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL,
            "GATEWAY_CLIENT_ID": gateway.client.id,
            "GATEWAY_CLIENT_SECRET": gateway.client.secret.exposed, "GATEWAY_TOKEN_PATIENCE": "none",
        ].merging(change) { $1 }
        let environment = try GatewayEnvironment(variables)
        do throws(NetworkError) {
            if change["GATEWAY_GRANT"] == "device_code" {
                let device = try await environment.deviceAuthorization()
                do throws(NetworkError) {
                    _ = try await device?.grant(for: .default) { _ in }
                } catch { throw environment.naming(error) }
            } else {
                let coordinator = environment.configuration().authentication?.coordinator
                _ = try await coordinator?.token(for: environment.tokenKey ?? .default)
            }
        } catch { return error }
        throw NetworkError(.other, "There was no failure.")
    }

    private func refusing(_ code: String) {
        gateway.inject(
            .reply(.json(["error": .string(code), "error_description": "because"], status: 400)),
            into: .token,
            times: 1)
    }

    @Test(arguments: [
        ("invalid_client", "GATEWAY_CLIENT_ID, GATEWAY_CLIENT_SECRET_FILE and GATEWAY_CLIENT_AUTH"),
        ("invalid_scope", "GATEWAY_SCOPE"), ("invalid_target", "GATEWAY_AUDIENCE and GATEWAY_RESOURCE"),
        ("unsupported_grant_type", "`client_credentials` at the authorization server, or set GATEWAY_GRANT"),
        ("scope_invalid", "GATEWAY_SCOPE"), ("temporarily_unavailable", "GATEWAY_TOKEN_PATIENCE"),
    ])
    func refusalsNameVariables(code: String, hint: String) async throws {
        defer { gateway.shutdown() }
        refusing(code)
        let message = try await error([:]).message
        #expect(message.contains(hint) && message.contains("\(code) (\"because\")"), "\(message)")
        #expect(!message.contains("`scopes`") && !message.contains("ClientAuthentication"))
    }

    @Test func aDeadRefreshTokenNamesItsVariable() async throws {
        defer { gateway.shutdown() }
        for (variable, value) in [
            ("GATEWAY_REFRESH_TOKEN", "planted-refresh-token"),
            ("GATEWAY_REFRESH_TOKEN_FILE", try folder.file("refresh", "planted-refresh-token")),
        ] {
            refusing("invalid_grant")
            let error = try await error([variable: value])
            #expect(error.code == .reauthenticationRequired)
            #expect(error.message.hasSuffix("replace the refresh token in \(variable)."), "\(error.message)")
            #expect(!error.message.contains("planted"))
        }
    }

    private func issuer(
        _ metadata: @escaping @Sendable (String) -> [String: JSONValue]
    ) -> String {
        let issuer = "\(gateway.origin)/other"
        gateway.route(.get, "/other/.well-known/openid-configuration") { _ in .json(.object(metadata(issuer)))
        }
        return issuer
    }

    @Test func metadataThatIsNotThereNamesTheConvention() async throws {
        defer { gateway.shutdown() }
        for (convention, other) in [("openid", "oauth"), ("oauth", "openid")] {
            let error = try await error([
                "GATEWAY_ISSUER": "\(gateway.origin)/nowhere", "GATEWAY_DISCOVERY": convention,
                "GATEWAY_TOKEN_URL": "",
            ])
            #expect(error.code == .credentialMisconfigured)
            for part in [
                "GATEWAY_DISCOVERY=\(other)", "/.well-known/openid-configuration",
                "/.well-known/oauth-authorization-server", "404",
            ] { #expect(error.message.contains(part), "\(error.message)") }
        }
    }

    @Test func aTrailingSlashNamesTheVariableThatIgnoresIt() async throws {
        defer { gateway.shutdown() }
        let issuer = issuer { ["issuer": .string($0 + "/"), "token_endpoint": .string($0 + "/token")] }
        let exact = try await error(["GATEWAY_ISSUER": issuer, "GATEWAY_TOKEN_URL": ""])
        #expect(exact.message.contains("GATEWAY_ISSUER_MATCH=ignore_trailing_slash"), "\(exact.message)")
        gateway.route(.post, "/other/token") { _ in .json(["error": "invalid_client"], status: 401) }
        let lenient = try await error([
            "GATEWAY_ISSUER": issuer, "GATEWAY_ISSUER_MATCH": "ignore_trailing_slash",
            "GATEWAY_TOKEN_URL": "",
        ])
        #expect(lenient.message.contains("refused the client"), "\(lenient.message)")
    }

    @Test func aMissingDeviceEndpointNamesItsVariable() async throws {
        defer { gateway.shutdown() }
        let issuer = issuer { ["issuer": .string($0), "token_endpoint": .string($0 + "/token")] }
        let error = try await error([
            "GATEWAY_ISSUER": issuer, "GATEWAY_GRANT": "device_code", "GATEWAY_TOKEN_URL": "",
            "GATEWAY_TOKEN_STORE": folder.path,
        ])
        #expect(
            error.message.contains("Set GATEWAY_TOKEN_URL and GATEWAY_DEVICE_URL in place of GATEWAY_ISSUER"))
    }

    @Test(arguments: ["GATEWAY_TOKEN_URL", "GATEWAY_ISSUER"])
    func localhostIsToldToBeALiteral(variable: String) throws {
        defer { gateway.shutdown() }
        let error = #expect(throws: GatewayEnvironmentError.self) {
            try GatewayEnvironment([
                "GATEWAY_BASE_URL": "https://api.example.com", variable: "http://localhost:8080/x",
                "GATEWAY_CLIENT_ID": "a", "GATEWAY_CLIENT_SECRET": "b",
            ])
        }
        #expect(error?.problems.map(\.variable) == [variable])
        #expect(error?.description.contains("write 127.0.0.1 in place of localhost") == true)
    }

    @Test(arguments: [
        ("404", true), ("abc", true), (",", true), ("400 x", true), ("403", false), ("400,403", false),
    ])
    func onlyTwoStatusesReject(value: String, isWrong: Bool) throws {
        defer { gateway.shutdown() }
        let environment = Result {
            try GatewayEnvironment([
                "GATEWAY_BASE_URL": "https://api.example.com", "GATEWAY_TOKEN": "abc",
                "GATEWAY_REJECTION_STATUSES": value,
            ])
        }
        #expect(((try? environment.get()) == nil) == isWrong)
    }

    @Test func statusesThatRejectReachGeneratedClientsToo() async throws {
        defer { gateway.shutdown() }
        let environment = try GatewayEnvironment([
            "GATEWAY_BASE_URL": "https://api.example.com", "GATEWAY_TOKEN": "abc",
            "GATEWAY_REJECTION_STATUSES": "403",
        ])
        let scope = environment.configuration().authentication?.scope
        #expect(scope?.rejectionStatuses == [try Origin("https://api.example.com"): [403]])
    }
}
