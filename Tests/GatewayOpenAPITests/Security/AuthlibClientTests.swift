import Foundation
import GatewayClient
import GatewayTesting
import TestTiers
import Testing

private let authlib = ProcessInfo.processInfo.environment["GATEWAY_TEST_AUTHLIB"]

/// A generated client whose tokens and API are Authlib's, which `scripts/test.sh` starts.
@Suite(
    .enabled(if: authlib != nil, "scripts/test.sh starts Authlib"), .tags(.concurrent),
    .timeLimit(.minutes(2)))
struct AuthlibClientTests {
    /// A client that Authlib knows.
    private struct Registered {
        let server: String
        let id: String
        let secret: Secret
        private let engine = GatewayEngine()

        init(_ methods: [String], _ grants: [String]) async throws {
            server = try #require(authlib)
            let answer = try await Self.ask(
                engine, server + "/control/clients",
                [
                    "methods": .array(methods.map { .string($0) }),
                    "grants": .array(grants.map { .string($0) }),
                ])
            id = try #require(answer["id"]?.string)
            secret = Secret(try #require(answer["secret"]?.string))
            SecretLedger.note(secret, .clientSecret)
        }

        private static func ask(
            _ engine: GatewayEngine, _ url: String, _ body: JSONValue?
        ) async throws -> JSONValue {
            var request = try HTTPRequest(body == nil ? .get : .post, url)
            if let body {
                request.fields[.contentType] = "application/json"
                request.body = .bytes(try body.jsonBytes())
            }
            let response = try await engine.send(request)
            try #require(response.status == 200)
            return try JSONValue(jsonBytes: response.body.bytes ?? [])
        }

        func control(_ path: String = "", _ body: JSONValue? = nil) async throws -> JSONValue {
            try await Self.ask(engine, "\(server)/control/clients/\(id)\(path)", body)
        }

        func approve(_ userCode: String) async throws {
            _ = try await Self.ask(engine, "\(server)/control/device/\(userCode)", ["approved": true])
        }

        func requests() async throws -> Int? { try await control()["requests"]?.int }

        func api(_ credential: OAuthCredential) -> DepotClient {
            var configuration = GatewayConfiguration()
            // Equal calls that share one answer would make one of many.
            configuration.coalescing = nil
            return DepotClient(
                server: .init(url: server),
                credentials: .init(
                    depotAuth: credential.at(
                        tokenURL: server + "/oauth/token", revocationURL: server + "/oauth/revoke",
                        deviceAuthorizationURL: server + "/oauth/device")),
                configuration: configuration)
        }
    }

    private func storm(_ api: DepotClient) async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for call in 0..<50 {
                group.addTask { try await api.withResponse.named(name: "n\(call)").attempts }
            }
            for try await attempts in group { #expect(attempts <= 2) }
        }
    }

    /// Fifty generated calls at once with a token that no longer counts are one token request, one replay each.
    @Test(arguments: ["client_secret_basic", "client_secret_post", "client_assertion_jwt"])
    func clientCredentials(method: String) async throws {
        let client = try await Registered([method], ["client_credentials"])
        let credential: OAuthCredential
        switch method {
        case "client_secret_basic": credential = .clientCredentials(id: client.id, secret: client.secret)
        case "client_secret_post":
            credential = .clientCredentials(.post(clientID: client.id, secret: client.secret))
        default:
            let folder = ProcessInfo.processInfo.environment["GATEWAY_TEST_KEYS"] ?? ""
            let pem = Secret(try String(contentsOfFile: folder + "/ES256.pem", encoding: .utf8))
            SecretLedger.note(pem, .privateKey)
            credential = try .clientCredentials(
                id: client.id, privateKeyJWT: try JSONWebTokenKey(pem: pem, algorithm: .es256),
                keyID: "ES256")
        }
        let api = client.api(credential)
        #expect(try await api.named(name: "first").name == "first")
        for round in 2...3 {
            _ = try await client.control("/expire", [:])
            try await storm(api)
            #expect(try await client.requests() == round)
        }
    }

    @Test func refreshTokensRotate() async throws {
        let client = try await Registered(["client_secret_basic"], ["refresh_token"])
        let signedIn = try await client.control("/sign-in", [:])
        let token = Secret(try #require(signedIn["refresh_token"]?.string))
        SecretLedger.note(token, .refreshToken)
        let api = client.api(
            .refreshToken(token, clientID: client.id, clientSecret: client.secret)
                .stored(in: MemoryTokenStore(), for: "person"))
        for round in 1...3 {
            try await storm(api)
            #expect(try await client.requests() == round)
            _ = try await client.control("/expire", [:])
        }
    }

    @Test(.waits("a device asks at most once a second, and generated clients have no clock for it"))
    func aDeviceSignsIn() async throws {
        let client = try await Registered(
            ["none"], ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"])
        let login = OAuthLogin(clientID: client.id)
        // Authlib refuses what it does not know of.
        let api = client.api(.login(login).scopes(.exactly(["read"])))
        try await login.byDevice { prompt in
            try await client.approve(prompt.userCode)
        }
        _ = try await api.named(name: "x")
        _ = try await client.control("/expire", [:])
        _ = try await api.named(name: "x")
        try login.signOut()
    }
}
