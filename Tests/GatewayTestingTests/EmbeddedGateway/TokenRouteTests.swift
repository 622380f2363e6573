import Foundation
import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct TokenRouteTests {
    @Test func clientCredentialsGiveASignedToken() async throws {
        let clock = ManualClock()
        var configuration = EmbeddedGateway.Configuration()
        configuration.clock = clock
        configuration.accessTokenLifetime = .seconds(60)
        let gateway = try EmbeddedGateway.start(configuration)
        let response = try await gateway.requestToken([
            "grant_type": "client_credentials", "scope": "books:read",
        ])
        #expect(response.status == 200)
        #expect(response.fields["cache-control"] == "no-store")
        #expect(response.fields["content-type"] == "application/json")
        #expect(response.json["token_type"] == "Bearer")
        #expect(response.json["expires_in"] == 60)
        #expect(response.json["scope"] == "books:read")
        #expect(response.json["refresh_token"] == nil)

        let text = try #require(response.json["access_token"]?.string)
        let token = try JSONWebToken.verify(Secret(text), key: gateway.verificationKey)
        var requirements = JSONWebTokenRequirements(issuer: "https://auth.bookshop.example", audience: nil)
        requirements.leeway = .zero
        try token.check(requirements, unixTime: clock.unixTime)
        #expect(token.header["alg"] == "HS256")
        #expect(token.subject == gateway.client.id)
        #expect(token.claims["client_id"]?.string == gateway.client.id)
        #expect(token.claims["scope"] == "books:read")
        #expect(token.issuedAt == clock.unixTime)
        #expect(token.expiration == clock.unixTime + .seconds(60))
        #expect(token.claims["jti"]?.string?.isEmpty == false)
        #expect(token.claims["gen"] == 1)
        #expect(gateway.statistics.tokenRequests == ["client_credentials": 1])
        #expect(gateway.statistics.tokensGranted == 1)
        #expect(gateway.currentGeneration == 1)
        gateway.shutdown()
    }

    @Test func aKeyPairSignsToo() async throws {
        let (signing, verification) = try Self.rsaKeys()
        var configuration = EmbeddedGateway.Configuration()
        configuration.signing = .keyPair(signing: signing, verification: verification)
        let gateway = try EmbeddedGateway.start(configuration)
        let response = try await gateway.requestToken(["grant_type": "client_credentials"])
        let token = Secret(try #require(response.json["access_token"]?.string))
        #expect(try JSONWebToken.verify(token, key: verification).header["alg"] == "RS256")
        #expect(try await gateway.send("GET", "/v1/books", token: token).status == 200)
        gateway.shutdown()
    }

    private static func rsaKeys() throws -> (signing: JSONWebTokenKey, verification: JSONWebTokenKey) {
        func openssl(_ arguments: [String], input: Data = Data()) throws -> Data {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["openssl"] + arguments
            let (stdin, stdout) = (Pipe(), Pipe())
            process.standardInput = stdin
            process.standardOutput = stdout
            process.standardError = FileHandle.nullDevice
            try process.run()
            stdin.fileHandleForWriting.write(input)
            try stdin.fileHandleForWriting.close()
            defer { process.waitUntilExit() }
            return stdout.fileHandleForReading.readDataToEndOfFile()
        }
        let secret = try openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"])
        let open = try openssl(["pkey", "-pubout"], input: secret)
        return (
            try JSONWebTokenKey(pem: Secret(String(decoding: secret, as: UTF8.self)), algorithm: .rs256),
            try JSONWebTokenKey(pem: Secret(String(decoding: open, as: UTF8.self)), algorithm: .rs256)
        )
    }

    @Test func basicCredentialsAreFormEncoded() async throws {
        let gateway = try EmbeddedGateway.start()
        let (id, secret) = (gateway.client.id, gateway.client.secret.exposed)
        func request(_ credential: String) async throws -> RawResponse {
            let encoded = Data(credential.utf8).base64EncodedString()
            return try await gateway.requestToken(
                ["grant_type": "client_credentials"], ["Authorization": "Basic \(encoded)"])
        }
        #expect(try await request("\(formEncoded(id)):\(formEncoded(secret))").status == 200)
        // Without the encoding, the secret is another one.
        #expect(try await request("\(id):\(secret)").status == 401)
        gateway.shutdown()
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        var parameters: [String: String]
        var fields: [String: String] = [:]
        let status: Int
        let error: String
        var testDescription: String { name }
    }

    static let refusals = [
        Refusal(name: "no grant type", parameters: [:], status: 400, error: "invalid_request"),
        Refusal(
            name: "unknown grant type", parameters: ["grant_type": "password"], status: 400,
            error: "unsupported_grant_type"),
        Refusal(
            name: "scope that the client cannot have",
            parameters: ["grant_type": "client_credentials", "scope": "books:read root"], status: 400,
            error: "invalid_scope"),
        Refusal(
            name: "wrong secret",
            parameters: [
                "grant_type": "client_credentials", "client_id": "bookshop-service", "client_secret": "x",
            ],
            status: 401, error: "invalid_client"),
        Refusal(
            name: "unknown client",
            parameters: ["grant_type": "client_credentials", "client_id": "who", "client_secret": "x"],
            status: 401, error: "invalid_client"),
        Refusal(
            name: "no secret",
            parameters: ["grant_type": "client_credentials", "client_id": "bookshop-service"],
            status: 401, error: "invalid_client"),
        Refusal(
            name: "unreadable Authorization", parameters: ["grant_type": "client_credentials"],
            fields: ["Authorization": "Basic ???"], status: 401, error: "invalid_client"),
        Refusal(
            name: "two ways at once",
            parameters: [
                "grant_type": "client_credentials", "client_id": "bookshop-service", "client_secret": "x",
            ], fields: ["Authorization": "Basic YTpi"], status: 400, error: "invalid_request"),
        Refusal(
            name: "no refresh token", parameters: ["grant_type": "refresh_token"], status: 400,
            error: "invalid_request"),
        Refusal(
            name: "unknown refresh token", parameters: ["grant_type": "refresh_token", "refresh_token": "x"],
            status: 400, error: "invalid_grant"),
        Refusal(
            name: "not a form", parameters: ["grant_type": "client_credentials"],
            fields: ["Content-Type": "application/json"], status: 400, error: "invalid_request"),
    ]

    @Test(arguments: refusals) func refusalsFollowTheStandard(refusal: Refusal) async throws {
        let gateway = try EmbeddedGateway.start()
        let response = try await gateway.requestToken(refusal.parameters, refusal.fields)
        #expect(response.status == refusal.status)
        #expect(response.json["error"]?.string == refusal.error)
        #expect(response.fields["cache-control"] == "no-store")
        if refusal.fields["Authorization"] != nil, refusal.status == 401 {
            #expect(response.fields["www-authenticate"] == "Basic realm=\"bookshop\"")
        }
        #expect(gateway.statistics.tokensGranted == 0)
        #expect(gateway.statistics.tokenRequestCount == 1)
        // The API's counters stay untouched.
        #expect(gateway.statistics.unauthorized == 0)
        gateway.shutdown()
    }

    @Test func repeatedParametersAreRefused() async throws {
        let gateway = try EmbeddedGateway.start()
        let response = try await RawClient.send(
            port: gateway.tokenOrigin.port, "POST", "/oauth/token",
            ["Content-Type": "application/x-www-form-urlencoded"],
            body: "grant_type=client_credentials&grant_type=refresh_token")
        #expect(response.json["error"] == "invalid_request")
        #expect(try await gateway.send("GET", "/oauth/token").status == 405)
        gateway.shutdown()
    }

    @Test func refreshTokensRotate() async throws {
        let gateway = try EmbeddedGateway.start()
        let signedIn = try gateway.signIn(subject: "ann", scopes: ["books:read", "orders:read"])
        let first = try await gateway.requestToken([
            "grant_type": "refresh_token", "refresh_token": signedIn.refreshToken.exposed,
        ])
        #expect(first.status == 200)
        #expect(first.json["scope"] == "books:read orders:read")
        let second = try #require(first.json["refresh_token"]?.string)
        #expect(second != signedIn.refreshToken.exposed)

        // A scope beyond the grant is refused and costs nothing; less is allowed.
        let greedy = try await gateway.requestToken([
            "grant_type": "refresh_token", "refresh_token": second, "scope": "books:write",
        ])
        #expect(greedy.json["error"] == "invalid_scope")
        let modest = try await gateway.requestToken([
            "grant_type": "refresh_token", "refresh_token": second, "scope": "books:read",
        ])
        #expect(modest.status == 200)
        #expect(modest.json["scope"] == "books:read")
        let token = try JSONWebToken(decoding: Secret(modest.json["access_token"]?.string ?? ""))
        #expect(token.subject == "ann")
        gateway.shutdown()
    }

    @Test func reuseOfARefreshTokenRevokesItsFamily() async throws {
        let gateway = try EmbeddedGateway.start()
        let (ann, ben) = (try gateway.signIn(subject: "ann"), try gateway.signIn(subject: "ben"))
        func refresh(_ token: String) async throws -> RawResponse {
            try await gateway.requestToken(["grant_type": "refresh_token", "refresh_token": token])
        }
        let first = try await refresh(ann.refreshToken.exposed)
        let access = Secret(try #require(first.json["access_token"]?.string))
        let youngest = try #require(first.json["refresh_token"]?.string)
        #expect(try await gateway.send("GET", "/v1/books", token: access).status == 200)

        #expect(try await refresh(ann.refreshToken.exposed).json["error"] == "invalid_grant")
        // The youngest is gone too, and so are the access tokens; another family is not.
        #expect(try await refresh(youngest).json["error"] == "invalid_grant")
        #expect(try await gateway.send("GET", "/v1/books", token: access).status == 401)
        #expect(try await refresh(ben.refreshToken.exposed).status == 200)
        #expect(try await gateway.send("GET", "/v1/books", token: ben.access.token).status == 200)
        gateway.shutdown()
    }

    @Test func withoutRotationTheRefreshTokenStays() async throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.rotatesRefreshTokens = false
        let gateway = try EmbeddedGateway.start(configuration)
        let signedIn = try gateway.signIn()
        for _ in 0..<2 {
            let response = try await gateway.requestToken([
                "grant_type": "refresh_token", "refresh_token": signedIn.refreshToken.exposed,
            ])
            #expect(response.status == 200)
            #expect(response.json["refresh_token"] == nil)
        }
        gateway.revokeRefreshTokens()
        let response = try await gateway.requestToken([
            "grant_type": "refresh_token", "refresh_token": signedIn.refreshToken.exposed,
        ])
        #expect(response.json["error"] == "invalid_grant")
        gateway.shutdown()
    }

    @Test func ofManyUsesOfOneRefreshTokenOneWins() async throws {
        let gateway = try EmbeddedGateway.start()
        let token = try gateway.signIn().refreshToken.exposed
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await gateway.requestToken(["grant_type": "refresh_token", "refresh_token": token])
                        .status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(gateway.statistics.tokenRequests == ["refresh_token": 20])
        gateway.shutdown()
    }
}
