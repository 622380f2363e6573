import Foundation
import GatewayClient
import GatewayTesting
import Testing

private let authlib = ProcessInfo.processInfo.environment["GATEWAY_TEST_AUTHLIB"]

/// The variables of Staging.md for a local authorization server, with Authlib, which `scripts/test.sh` starts.
@Suite(.enabled(if: authlib != nil, "scripts/test.sh starts Authlib"), .timeLimit(.minutes(1)))
struct StagingPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/GatewayClient/GatewayClient.docc/Staging.md")

    /// The variables that the page exports.
    private static func variables() throws -> [String: String] {
        let text = try String(contentsOf: page, encoding: .utf8)
        let block = try #require(text.firstMatch(of: /```sh\n((?:export [^\n]*\n)+)```/))
        let pairs = block.1.matches(of: /(GATEWAY_\w+)=(\S+)/).map { (String($0.1), String($0.2)) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    @Test func aLocalAuthorizationServerTakesTheVariablesOfThePage() async throws {
        let server = try #require(authlib)
        let control = GatewayEngine()
        var registration = try HTTPRequest(.post, server + "/control/clients")
        registration.fields[.contentType] = "application/json"
        registration.body = .text(#"{"methods":["client_secret_basic"],"grants":["client_credentials"]}"#)
        let client = try await control.send(registration).json()
        let secret = Secret(try #require(client["secret"]?.string))
        SecretLedger.note(secret, .clientSecret)
        let file = FileManager.default.temporaryDirectory.appending(path: "staging-\(UUID().uuidString)")
        try Data(secret.exposed.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        var variables = try Self.variables()
        #expect(
            Set(variables.keys) == [
                "GATEWAY_BASE_URL", "GATEWAY_TOKEN_URL", "GATEWAY_CLIENT_ID", "GATEWAY_CLIENT_SECRET_FILE",
                "GATEWAY_SCOPE",
            ])
        // The file is here, and the page's addresses are accepted as they are.
        variables["GATEWAY_CLIENT_SECRET_FILE"] = file.path
        _ = try GatewayEnvironment(variables)
        variables["GATEWAY_BASE_URL"] = server
        variables["GATEWAY_TOKEN_URL"] = server + "/oauth/token"
        variables["GATEWAY_CLIENT_ID"] = client["id"]?.string
        variables["GATEWAY_SCOPE"] = "read"
        let environment = try GatewayEnvironment(variables)
        let engine = try environment.configuration().makeEngine()
        let api = DepotClient(
            server: .init(environment, or: .init(url: "https://api.depot.example")), engine: engine)
        #expect(try await api.named(name: "local").name == "local")
        await engine.shutdown(within: .seconds(5))
    }
}
