import GatewayClient
import GatewayTesting
import TestTiers
import Testing

/// Generated clients against a real gateway over the wire, while tokens are revoked, rotated, lost and refused.
@Suite(.tags(.concurrent), .timeLimit(.minutes(2))) struct GeneratedCallFaultTests {
    private func gateway(
        _ change: (inout EmbeddedGateway.Configuration) -> Void = { _ in }
    ) throws -> EmbeddedGateway {
        var configuration = EmbeddedGateway.Configuration()
        change(&configuration)
        return try .start(configuration)
    }

    private func credential(_ gateway: EmbeddedGateway) -> OAuthCredential {
        .clientCredentials(
            id: gateway.client.id, secret: gateway.client.secret, tokenURL: gateway.tokenURL)
    }

    private func api(
        _ gateway: EmbeddedGateway, _ credential: OAuthCredential,
        _ change: (inout GatewayConfiguration) -> Void = { _ in }
    ) -> BookshopClient {
        var configuration = GatewayConfiguration()
        configuration.coalescing = nil
        configuration.retry.policy = .never
        change(&configuration)
        return BookshopClient(
            server: .init(url: gateway.apiURL), credentials: .init(bookshopAuth: credential),
            configuration: configuration)
    }

    private func code(_ call: () async throws -> Void) async -> NetworkError.Code? {
        do { try await call() } catch { return (error as? any GatewayCallError)?.code }
        return nil
    }

    // MARK: 401s

    /// Calls that need two sets of scopes meet tokens that were just revoked: one token request for each set, one
    /// replay for each call.
    @Test func aStormOf401sIsOneTokenRequestForEachSetOfScopes() async throws {
        let gateway = try gateway { $0.bookCount = 200 }
        defer { gateway.shutdown() }
        let api = api(gateway, credential(gateway)) { $0.transport.connectionsPerOrigin = 256 }
        _ = try await api.books.get(bookId: "bk-1")
        _ = try await api.stock.set(bookId: "bk-1", .init(copies: 1))
        for _ in 0..<3 {
            let tokens = gateway.statistics.tokenRequestCount
            let hold = gateway.hold()
            let calls = (1...100).flatMap { number in
                [
                    Task { try await api.books.withResponse.get(bookId: "bk-\(number)").attempts },
                    Task {
                        try await api.stock.withResponse.set(bookId: "bk-\(number)", .init(copies: number))
                            .attempts
                    },
                ]
            }
            await hold.waitForArrivals(calls.count)
            gateway.revokeCurrentTokens()
            hold.release()
            for call in calls { #expect(try await call.value == 2) }
            #expect(gateway.statistics.tokenRequestCount == tokens + 2)
        }
    }

    @Test func aTokenThatIsExpiredOnArrivalIsATypedError() async throws {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        let api = api(gateway, credential(gateway))
        for lifetime in ["0", "-5"] {
            gateway.inject(
                .reply(
                    .json(["access_token": "t", "token_type": "Bearer", "expires_in": .string(lifetime)])),
                into: .token, times: 1)
            let fresh = self.api(gateway, credential(gateway))
            #expect(await code { _ = try await fresh.books.list() } == .tokenExpiredOnArrival)
        }
        #expect(gateway.statistics.unauthorized == 0)
        _ = try await api.books.list()
    }

    @Test func aTokenServerThatIsDownIsNotForEver() async throws {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        let api = api(gateway, credential(gateway).renewed(by: Self.impatient))
        gateway.inject(.status(503), into: .token, times: 1)
        #expect(await code { _ = try await api.books.list() } == .tokenUnavailable)
        #expect(await isEventually { await code { _ = try await api.books.list() } == nil })
        #expect(gateway.statistics.unauthorized == 0)
        // A call with patience, which is the default, does not notice an outage of a moment.
        #expect(TokenRefreshPolicy().outagePatience > .zero)
        var patient = Self.impatient
        patient.outagePatience = .seconds(3600)
        gateway.inject(.status(503), into: .token, times: 1)
        _ = try await self.api(gateway, credential(gateway).renewed(by: patient)).books.list()
    }

    private static var impatient: TokenRefreshPolicy {
        var policy = TokenRefreshPolicy()
        policy.initialBackoff = .milliseconds(1)
        policy.outagePatience = .zero
        return policy
    }

    /// A gateway that answers 403 with `invalid_token`: the token is renewed where the credential says so.
    @Test(arguments: [true, false]) func aConfiguredStatusRenewsTheToken(isConfigured: Bool) async throws {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        let credential = credential(gateway)
        let api = api(gateway, isConfigured ? credential.rejectionStatuses([403]) : credential)
        _ = try await api.books.list()
        gateway.inject(
            .reply(.json(["error": "invalid_token"], status: 403)), into: .api, times: 1)
        let result = await code { _ = try await api.books.list() }
        #expect((result == nil) == isConfigured)
        #expect(gateway.statistics.tokenRequestCount == (isConfigured ? 2 : 1))
    }

    // MARK: Refresh tokens

    /// Two clients with one value, and a store: each refresh token is spent once, or the server would end the grant.
    @Test func aRefreshTokenThatRotatesIsSpentOnce() async throws {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        let store = MemoryTokenStore()
        let credential = OAuthCredential.refreshToken(
            try gateway.signIn().refreshToken, clientID: gateway.client.id,
            clientSecret: gateway.client.secret, tokenURL: gateway.tokenURL
        ).stored(in: store, for: "reader")
        let clients = [api(gateway, credential), api(gateway, credential)]
        for round in 1...5 {
            gateway.revokeCurrentTokens()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for call in 0..<40 {
                    group.addTask { _ = try await clients[call % 2].books.get(bookId: "bk-\(call + 1)") }
                }
                try await group.waitForAll()
            }
            #expect(gateway.statistics.tokenRequests["refresh_token"] == round)
        }
        // A later process goes on where this one was, with the token that it began with spent long ago.
        let later = OAuthCredential.refreshToken(
            nil, client: .basic(clientID: gateway.client.id, secret: gateway.client.secret)
        ).at(tokenURL: gateway.tokenURL).stored(in: store, for: "reader")
        _ = try await api(gateway, later).books.list()
        let stranger = api(gateway, later.stored(in: store, for: "somebody else"))
        #expect(await code { _ = try await stranger.books.list() } == .reauthenticationRequired)
    }

    /// The answer with the next refresh token is lost: the caller hears of it, and nothing is spent twice.
    @Test func aLostAnswerIsNotRepeated() async throws {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        let api = api(
            gateway,
            .refreshToken(
                try gateway.signIn().refreshToken, clientID: gateway.client.id,
                clientSecret: gateway.client.secret, tokenURL: gateway.tokenURL))
        gateway.inject(.dropAfterProcessing, into: .token, times: 1)
        #expect(await code { _ = try await api.books.list() } == .tokenOutcomeUnknown)
        #expect(gateway.statistics.tokenRequests["refresh_token"] == 1)
    }

    // MARK: 403s

    @Test func aRefusalForItsScopeStepsUp() async throws {
        let gateway = try gateway { $0.clients[0].scopes = ["read", "write", "audit", "root"] }
        defer { gateway.shutdown() }
        gateway.route(.get, "/write", access: .scopes("write", "audit")) { _ in .status(204) }
        gateway.route(.get, "/read", access: .scopes("read", "root")) { _ in .status(204) }
        let api = DepotClient(
            server: .init(url: gateway.origin.description),
            credentials: .init(depotAuth: credential(gateway)))
        #expect(try await api.withResponse.write().attempts == 2)
        #expect(try await api.withResponse.write().attempts == 1)
        #expect(gateway.statistics.tokenRequestCount == 2)
        // The document lists no `root`.
        #expect(await failure { try await api.read() }?.status == 403)
        #expect(gateway.statistics.tokenRequestCount == 3)
    }

    // MARK: Bindings

    @Test func tokensThatAreBoundProveThemselves() async throws {
        let gateway = try gateway { $0.binding = .requiredWithNonces }
        defer { gateway.shutdown() }
        let api = api(gateway, credential(gateway).bound(to: try DPoPBinding()))
        for _ in 0..<3 { _ = try await api.books.list() }
        gateway.rotateNonce(at: .api)
        _ = try await api.books.list()
        gateway.revokeCurrentTokens()
        _ = try await api.books.list()
        #expect(gateway.statistics.tokensGranted == 2)
        let unbound = self.api(gateway, credential(gateway))
        #expect(await code { _ = try await unbound.books.list() } != nil)
    }
}
