import Foundation
import GatewayClient
import GatewayTesting
import Testing

/// What issues the tokens of the service.
enum TokenServer: String, CaseIterable, CustomTestStringConvertible {
    /// The embedded gateway.
    case embedded
    /// Authlib, which `scripts/test-samples.sh` starts.
    case authlib

    static let authlibURL = ProcessInfo.processInfo.environment["GATEWAY_TEST_AUTHLIB"]

    /// Those that there are. In CI all of them are required.
    static var available: [TokenServer] {
        let isRequired = ProcessInfo.processInfo.environment["CI"] != nil
        return authlibURL == nil && !isRequired ? [.embedded] : allCases
    }

    var testDescription: String { rawValue }
}

/// A client of a token server, and the check of its tokens.
struct TokenClient: Sendable {
    let tokenURL: String
    let id: String
    let secret: Secret
    /// The access that the gateway itself checks.
    let access: EmbeddedGateway.Access
    /// The number of token requests so far.
    let requests: @Sendable () async throws -> Int
    /// Revokes all tokens so far.
    let revoke: @Sendable () async throws -> Void
    /// Whether a request with the value of `Authorization` is admitted.
    let admits: @Sendable (String?) async throws -> Bool

    init(_ server: TokenServer, _ gateway: EmbeddedGateway) async throws {
        switch server {
        case .embedded:
            tokenURL = gateway.tokenURL
            (id, secret) = (gateway.client.id, gateway.client.secret)
            access = .scopes("read", "write")
            requests = { gateway.statistics.tokenRequestCount }
            revoke = { gateway.revokeCurrentTokens() }
            admits = { _ in true }
        case .authlib:
            let url = try #require(TokenServer.authlibURL)
            let engine = try GatewayConfiguration().makeEngine()
            @Sendable func post(_ path: String, _ value: JSONValue) async throws -> JSONValue {
                try await engine.send(
                    try HTTPRequest(
                        .post, url + path, fields: [.contentType: "application/json"],
                        body: .bytes(try value.jsonBytes()))
                ).json()
            }
            let client = try await post(
                "/control/clients",
                ["methods": ["client_secret_basic"], "grants": ["client_credentials"]])
            let (id, secret) = (client["id"]?.string ?? "", client["secret"]?.string ?? "")
            tokenURL = url + "/oauth/token"
            (self.id, self.secret) = (id, Secret(secret))
            access = .open
            requests = {
                let client = try await engine.send(try HTTPRequest(.get, url + "/control/clients/\(id)"))
                return try client.json()["requests"]?.int ?? 0
            }
            revoke = { _ = try await post("/control/clients/\(id)/expire", [:]) }
            // A resource of the server itself, which needs the same token.
            admits = { authorization in
                guard let authorization else { return false }
                let request = try HTTPRequest(
                    .get, url + "/api/orders", fields: [.authorization: authorization])
                return try await engine.send(request).status == 200
            }
        }
    }
}
