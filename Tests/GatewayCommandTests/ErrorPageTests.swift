import DocumentedErrors
import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// The documentation page on errors: what a person at a shell sees.
@Suite(.timeLimit(.minutes(2))) struct ErrorPageTests {
    /// A command in a wrong situation.
    private struct Situation: Sendable {
        let title: String
        var arguments = ["call", "GET", "/books/bk-1"]
        /// Without the prefix of their names. An empty value counts as none.
        var variables: [String: String] = [:]
        var fault: (@Sendable (EmbeddedGateway) -> Void)?
    }

    @Test(.waits("two situations are waits for a server: 1 s and 1.5 s"))
    func thePageSaysWhatAPersonSees() async throws {
        var rows: [ErrorTable.Row] = []
        for situation in Self.situations {
            var configuration = EmbeddedGateway.Configuration()
            configuration.deviceCodes.interval = .seconds(1)
            let rig = try CommandRig(configuration)
            situation.fault?(rig.gateway)
            let gateway = rig.gateway
            var normalised = Normalisation()
            normalised.replace("http://127.0.0.1:\(gateway.origin.port)", by: "https://api.example.com")
            normalised.replace("http://127.0.0.1:\(gateway.tokenOrigin.port)", by: "https://auth.example.com")
            normalised.replace("127.0.0.1:\(gateway.origin.port)", by: "api.example.com:443")
            normalised.replace("127.0.0.1:\(gateway.tokenOrigin.port)", by: "auth.example.com:443")
            normalised.replace(":\(gateway.tokenOrigin.port)", by: "")
            normalised.replace("Port \(gateway.tokenOrigin.port)", by: "Port 8400")
            normalised.replace(rig.folder, by: "/etc/shop")
            var variables = rig.client
            for (name, value) in situation.variables {
                variables["GATEWAY_" + name] = value.replacing("AUTH", with: "\(gateway.tokenOrigin)")
                    .replacing("FOLDER", with: rig.folder)
                    .replacing("PORT", with: "\(gateway.tokenOrigin.port)")
            }
            let run = try await rig.run(situation.arguments, variables)
            #expect(run.status != 0, "nothing was wrong: \(situation.title)")
            rows.append(
                ErrorTable.Row(
                    situation.title, message: normalised(run.error), guidance: "exit status \(run.status)"))
        }
        let differences = try ErrorTable("shell").differences(from: rows)
        #expect(differences.isEmpty, "\n\(differences.joined(separator: "\n"))")
    }

    private static func answerTokens(
        _ reply: EmbeddedGateway.Reply
    ) -> @Sendable (EmbeddedGateway) -> Void {
        { $0.inject(.reply(reply), into: .token) }
    }

    private static let situations = [
        Situation(title: "An option with a typing error", arguments: ["call", "GET", "/books", "--verbos"]),
        Situation(title: "A variable with a typing error", variables: ["CLIENT_SECRT_FILE": "FOLDER/secret"]),
        Situation(
            title: "The file of the secret is missing", variables: ["CLIENT_SECRET_FILE": "FOLDER/nothing"]),
        Situation(title: "The base URL has no scheme", variables: ["BASE_URL": "api.example.com"]),
        Situation(
            title: "The token endpoint is plain HTTP",
            variables: ["TOKEN_URL": "http://auth.example.com/token"]),
        Situation(
            title: "The token endpoint is at `localhost`",
            variables: ["TOKEN_URL": "http://localhost:PORT/oauth/token"]),
        Situation(
            title: "The issuer has no metadata there",
            variables: ["TOKEN_URL": "", "ISSUER": "AUTH/realm"]),
        Situation(
            title: "The issuer's name differs by a slash at its end",
            variables: ["TOKEN_URL": "", "ISSUER": "AUTH/"]),
        Situation(
            title: "The server does not know the grant",
            fault: answerTokens(
                .text(
                    #"{"error":"unsupported_grant_type"}"#, status: 400, contentType: "application/json"))),
        Situation(
            title: "The server does not know the client",
            variables: ["CLIENT_ID": "shop-servic"]),
        Situation(
            title: "Nobody has signed in yet",
            variables: [
                "GRANT": "device_code", "DEVICE_URL": "AUTH/oauth/device_authorization",
                "TOKEN_STORE": "FOLDER/tokens",
            ]),
        Situation(
            title: "Signing in takes longer than `-t` allows",
            arguments: ["login", "-t", "1500ms"],
            variables: [
                "GRANT": "device_code", "DEVICE_URL": "AUTH/oauth/device_authorization",
                "TOKEN_STORE": "FOLDER/tokens",
            ]),
        Situation(
            title: "The device endpoint is not named",
            variables: ["GRANT": "device_code", "TOKEN_STORE": "FOLDER/tokens"]),
        Situation(
            title: "The port of the redirect URI is in use", arguments: ["login"],
            variables: [
                "GRANT": "authorization_code", "AUTHORIZATION_URL": "AUTH/oauth/authorize",
                "REDIRECT_URI": "http://localhost:PORT/callback", "TOKEN_STORE": "FOLDER/tokens",
            ]),
        Situation(
            title: "The refresh token has ended",
            variables: ["REFRESH_TOKEN_FILE": "FOLDER/secret"]),
        Situation(
            title: "The token service is down", variables: ["TOKEN_PATIENCE": "1s"],
            fault: { $0.inject(.status(503), into: .token) }),
        Situation(
            title: "The API does not accept the token",
            fault: { $0.inject(.status(401), into: .api) }),
        Situation(
            title: "The API needs a credential, and no variable describes one",
            variables: ["TOKEN_URL": "", "CLIENT_ID": "", "CLIENT_SECRET_FILE": ""]),
        Situation(
            title: "The API cannot be reached", fault: { $0.refuseConnections(to: .api) }),
        Situation(
            title: "The password file of the proxy is missing",
            variables: [
                "PROXY": "http://proxy.example.com:3128", "PROXY_USERNAME": "shop",
                "PROXY_PASSWORD_FILE": "FOLDER/nothing",
            ]),
    ]
}
