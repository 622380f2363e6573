import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

/// The whole stack against Django OAuth Toolkit, which revokes the whole family of a refresh token that is used twice.
@Suite(.needsDjango, .timeLimit(.minutes(2))) struct DjangoTests {
    private func client(_ grant: String) async throws -> CounterpartClient {
        try await CounterpartClient(
            TokenCounterparts.django,
            paths: .django, methods: [], grants: [grant])
    }

    private struct Person {
        let client: CounterpartClient
        let grant: TokenGrant
        let endpoint: TokenEndpoint
        let stack: CounterpartStack
    }

    /// A person who signed in.
    private func person() async throws -> Person {
        let client = try await client("refresh_token")
        let endpoint = try client.endpoint(client.basic)
        let grant = try await client.signIn()
        return Person(
            client: client, grant: grant, endpoint: endpoint,
            stack: try client.stack(
                RefreshTokenGrant(endpoint: endpoint), key: endpoint.key(), grant: grant))
    }

    /// A hundred calls with an expired token lead to one refresh, several times, and the family is not revoked.
    @Test(.covers(.django, .rotation)) func aHundredRejectionsAreOneUseOfARefreshToken() async throws {
        let person = try await person()
        for round in 1...2 {
            try await person.client.expire()
            try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                for call in 0..<100 { group.addTask { try await person.stack.get("/api/\(call)") } }
                for try await response in group {
                    #expect(response.status == 200 && response.exchange.attempts <= 2)
                }
            }
            #expect(try await person.client.counts() == .init(requests: round, granted: round))
            #expect(try await person.client.statistic("alive") == 1)
        }
    }

    /// The same, with a fifth of the calls cancelled meanwhile.
    @Test func callersThatGoAwaySpendNothing() async throws {
        let person = try await person()
        for round in 1...2 {
            try await person.client.expire()
            let calls = (0..<50).map { call in Task { try await person.stack.get("/api/\(call)") } }
            for call in calls.indices where call % 5 == round % 5 { calls[call].cancel() }
            for (index, call) in calls.enumerated() {
                switch await call.result {
                case .success(let response): #expect(response.status == 200)
                case .failure(let error):
                    #expect((error as? NetworkError)?.code == .cancelled && index % 5 == round % 5)
                }
            }
            #expect(try await person.client.counts() == .init(requests: round, granted: round))
        }
        #expect(try await person.client.statistic("alive") == 1)
    }

    /// A thief uses a refresh token after us: the server revokes the family, and one request finds that out.
    @Test(.covers(.django, .reuseDetection)) func aStolenOldRefreshTokenEndsTheFamily() async throws {
        let person = try await person()
        try await person.client.expire()
        #expect(try await person.stack.get("/api/x").status == 200)
        #expect(try await person.client.trade(person.grant.refreshToken).code == .reauthenticationRequired)
        #expect(try await person.client.statistic("alive") == 0)
        try await signInIsNeeded(person, after: 2)
    }

    /// A thief uses a refresh token before us: our own refresh is the second use.
    @Test(.covers(.django, .deadRefreshToken)) func aStolenRefreshTokenThatWasUsedEndsTheFamily() async throws
    {
        let person = try await person()
        let thief = try #require(try await person.client.trade(person.grant.refreshToken).value)
        try await person.client.expire()
        try await signInIsNeeded(person, after: 1)
        #expect(try await person.client.statistic("alive") == 1)
        #expect(try await person.client.trade(thief.refreshToken).code == .reauthenticationRequired)
    }

    /// One request fails; after that every call fails without a request, until somebody signs in.
    private func signInIsNeeded(_ person: Person, after requests: Int) async throws {
        for _ in 0..<5 {
            let error = await #expect(throws: NetworkError.self) { try await person.stack.get("/api/x") }
            #expect(error?.code == .reauthenticationRequired)
        }
        #expect(try await person.client.requests() == requests + 1)
        person.stack.coordinator.signIn(person.stack.key, with: try await person.client.signIn())
        #expect(try await person.stack.get("/api/x").status == 200)
    }

    @Test(.covers(.django, .revocation)) func aSignOutRevokes() async throws {
        let person = try await person()
        let (revocations, continuation) = AsyncStream<Void>.makeStream()
        let acquirer = RevocationWatch(RefreshTokenGrant(endpoint: person.endpoint)) { continuation.yield() }
        let stack = try person.client.stack(acquirer, key: person.stack.key, grant: person.grant)
        #expect(try await stack.get("/api/x").status == 200)
        stack.coordinator.signOut(stack.key, revoking: true)
        for await _ in revocations { break }
        #expect(try await person.client.statistic("alive") == 0)
        let error = await #expect(throws: NetworkError.self) { try await person.stack.get("/api/x") }
        #expect(error?.code == .reauthenticationRequired)
        // A second revocation is no error.
        try await person.endpoint.revoke(person.grant, deadline: .after(.seconds(30)))
    }

    @Test(.covers(.django, .clientCredentials, .basic, .post)) func clientCredentials() async throws {
        for isBasic in [true, false] {
            let client = try await client("client_credentials")
            let endpoint = try client.endpoint(isBasic ? client.basic : client.post)
            let stack = try client.stack(
                ClientCredentials(endpoint: endpoint), key: endpoint.key(scopes: ["read"]))
            #expect(try await stack.get("/api/x").status == 200)
            try await client.expire()
            #expect(try await stack.get("/api/x").exchange.attempts == 2)
            #expect(try await client.counts() == .init(requests: 2, granted: 2))
        }
    }

    /// A scope that the API's 403 names is requested only if the configuration allows it.
    @Test func aScopeThatTheAPINamesIsHad() async throws {
        let client = try await client("client_credentials")
        let endpoint = try client.endpoint(client.basic)
        let key = endpoint.key(scopes: ["write"])
        let origin = try Origin(client.server)
        let refused = try client.stack(ClientCredentials(endpoint: endpoint), key: key)
        #expect(try await refused.get("/naming/x").status == 403)
        let allowed = try client.stack(ClientCredentials(endpoint: endpoint), key: key) {
            $0.authentication?.scope.stepUpScopes[origin] = ["read"]
        }
        // A 403 that names no scope leads to no token request.
        #expect(try await allowed.get("/api/x").status == 403)
        #expect(try await allowed.get("/naming/x").status == 200)
        #expect(try await allowed.get("/naming/x").exchange.attempts == 1)
        #expect(try await client.counts() == .init(requests: 3, granted: 3))
    }

    /// Every character of a secret arrives (RFC 6749 §2.3.1).
    @Test func aSecretIsEncodedAsTheStandardSays() async throws {
        for secret in ["a:b%41+/ ?&=", "Zoë \u{1F511} \"'\\", String(repeating: "%2B", count: 20)] {
            let client = try await CounterpartClient(
                TokenCounterparts.django,
                paths: .django, methods: [], grants: ["client_credentials"], secret: Secret(secret))
            for authentication in [client.basic, client.post] {
                let endpoint = try client.endpoint(authentication)
                let stack = try client.stack(
                    ClientCredentials(endpoint: endpoint), key: endpoint.key(scopes: ["read"]))
                #expect(try await stack.get("/api/x").status == 200)
            }
        }
    }
}
