import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// The engine against an authorization server, over the wire.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct EmbeddedGatewayTests {
    /// A gateway, and an engine that calls it with a transport for calls and one for tokens.
    private struct Rig {
        let gateway: EmbeddedGateway
        let coordinator: TokenRefreshCoordinator
        let engine: AuthenticatedRequestEngine
        let key: TokenKey

        init(
            _ configuration: EmbeddedGateway.Configuration = EmbeddedGateway.Configuration(),
            calls: CurlConfiguration = CurlConfiguration(), clock: any GatewayClock = SystemClock(),
            stepUp: Set<String> = [], refreshToken: Bool = false
        ) throws {
            gateway = try EmbeddedGateway.start(configuration)
            // The same origin as the API's: what keeps tokens flowing is the transport, not the port.
            let endpoint = try TokenEndpoint(
                "\(gateway.origin)/oauth/token",
                client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
                transport: CurlTransport())
            key = endpoint.key(scopes: ["books:read"])
            let acquirer: any TokenAcquirer =
                refreshToken
                ? RefreshTokenGrant(endpoint: endpoint, initial: try gateway.signIn().refreshToken)
                : ClientCredentials(endpoint: endpoint)
            coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: clock)
            var scope = CredentialScope([gateway.origin], key: key)
            scope.stepUpScopes[gateway.origin] = stepUp
            engine = AuthenticatedRequestEngine(
                transport: CurlTransport(configuration: calls), coordinator: coordinator, scope: scope,
                clock: clock)
        }

        func get(_ path: String) async throws -> HTTPResponse {
            try await engine.send(try HTTPRequest(.get, gateway.apiURL + path))
        }

        var tokenRequests: Int { gateway.statistics.tokenRequestCount }
    }

    @Test func aScopeThatTheGatewayAsksForIsHadOnce() async throws {
        let rig = try Rig(stepUp: ["orders:read"])
        defer { rig.gateway.shutdown() }
        #expect(try await rig.get("/books").status == 200)
        #expect(rig.tokenRequests == 1)
        try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for _ in 0..<50 { group.addTask { try await rig.get("/orders/none") } }
            // Let in, and not found.
            for try await response in group { #expect(response.status == 404) }
        }
        #expect(rig.tokenRequests == 2)
        #expect(try await rig.get("/orders/none").exchange.attempts == 1)
        #expect(try await rig.get("/books").status == 200)
        // What may not be asked for is not.
        let refused = try await rig.engine.send(
            try HTTPRequest(.post, rig.gateway.apiURL + "/orders", body: .text("{}")))
        #expect(refused.status == 403)
        #expect(rig.tokenRequests == 2)
    }

    @Test func aRefreshNeedsNoConnectionThatCallsHold() async throws {
        var calls = CurlConfiguration()
        calls.connectionsPerOrigin = 4
        calls.connectionsInAll = 4
        let rig = try Rig(calls: calls)
        defer { rig.gateway.shutdown() }
        let lease = try await rig.coordinator.token(for: rig.key)
        let hold = rig.gateway.hold(.api)
        let blocked = (0..<12).map { _ in Task { try await rig.get("/books") } }
        await hold.waitForArrivals(4)
        // Every connection for calls waits for an answer, and calls wait for a connection.
        #expect(try await rig.coordinator.rejected(lease).generation == 2)
        #expect(hold.arrivals == 4)
        hold.release()
        for call in blocked { #expect(try await call.value.status == 200) }
        #expect(rig.tokenRequests == 2)
    }

    @Test func aRefreshTokenIsSentOnceOnAConnectionThatDied() async throws {
        let rig = try Rig(refreshToken: true)
        defer { rig.gateway.shutdown() }
        let lease = try await rig.coordinator.token(for: rig.key)
        #expect(rig.tokenRequests == 1)
        // The connection that is kept ends when it is used again, after the server has replaced the refresh token.
        rig.gateway.inject(.dropAfterProcessing, into: .token, times: 1)
        let result = await outcome { () throws(NetworkError) in try await rig.coordinator.rejected(lease) }
        #expect(result.code == .tokenOutcomeUnknown)
        #expect(rig.tokenRequests == 2)
    }

    @Test(arguments: 0..<5)
    func aConnectionThatWasClosedCostsNoRefreshToken(round: Int) async throws {
        let rig = try Rig(refreshToken: true)
        defer { rig.gateway.shutdown() }
        let lease = try await rig.coordinator.token(for: rig.key)
        rig.gateway.cutConnections()
        let result = await outcome { () throws(NetworkError) in try await rig.coordinator.rejected(lease) }
        // Whether libcurl has noticed the end of the connection is a matter of time. Where it has not, the request is sent and
        // nobody reads it.
        if let lease = result.value {
            #expect(lease.generation == 2 && rig.tokenRequests == 2)
        } else {
            #expect(result.code == .tokenOutcomeUnknown && rig.tokenRequests == 1)
        }
    }

    /// Twenty minutes of calls with tokens of one minute, on a clock that the test moves.
    @Test func tokensRollOverWithoutARejection() async throws {
        let clock = ManualClock()
        var configuration = EmbeddedGateway.Configuration()
        configuration.clock = clock
        configuration.accessTokenLifetime = .seconds(60)
        let rig = try Rig(configuration, clock: clock)
        defer { rig.gateway.shutdown() }
        for _ in 0..<400 {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<10 { group.addTask { try await rig.get("/books/bk-1").status } }
                for try await status in group { #expect(status == 200) }
            }
            clock.advance(by: .seconds(3))
        }
        #expect(rig.gateway.statistics.unauthorized == 0)
        // One for each life, of which the last fifth is left.
        #expect((20...27).contains(rig.tokenRequests))
    }
}
