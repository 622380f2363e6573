import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// What the kit's token server does and tells for a storm.
@Suite(.timeLimit(.minutes(1))) struct StormServerTests {
    private let gateway: EmbeddedGateway
    private let clock = ManualClock()

    init() throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.clock = clock
        gateway = try EmbeddedGateway.start(configuration)
    }

    private func refresh(_ token: Secret) async throws -> TokenGrant {
        let endpoint = try TokenEndpoint(
            gateway.tokenURL, client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
            transport: CurlTransport())
        return try await RefreshTokenGrant(endpoint: endpoint, initial: token)
            .acquire(
                TokenRequest(
                    key: .default, previous: nil, previousWasRejected: false, deadline: .after(.seconds(20))))
    }

    @Test func aLateAnswerIsThatOfARequestThatTookEffectAtOnce() async throws {
        defer { gateway.shutdown() }
        let token = try gateway.signIn().refreshToken
        gateway.inject(.answerLate(by: .seconds(60)), into: .token, times: 1)
        async let grant = refresh(token)
        // It is used up, and its answer waits.
        await clock.waitForSleepers(1)
        #expect(gateway.takeRefreshTokenUses().map(\.outcome) == [.granted])
        clock.advance(by: .seconds(60))
        let next = try #require(try await grant.refreshToken)
        #expect(next != token)
    }

    @Test func whatCameOfRefreshTokens() async throws {
        defer { gateway.shutdown() }
        typealias Use = EmbeddedGateway.RefreshTokenUse
        let first = try gateway.signIn().refreshToken
        let next = try #require(try await refresh(first).refreshToken)
        await #expect(throws: NetworkError.self) { try await refresh(first) }
        await #expect(throws: NetworkError.self) { try await refresh(next) }
        await #expect(throws: NetworkError.self) { try await refresh(Secret("of-nobody")) }
        let uses = gateway.takeRefreshTokenUses()
        #expect(uses.map(\.outcome) == [.granted, .reused, .revoked, .unknown])
        #expect(uses.map(\.family) == [0, 0, 0, nil])
        #expect(uses.map(\.token) == [first, first, next, Secret("of-nobody")].map(Use.digest))
        #expect(uses[0].replacement == Use.digest(of: next))
        #expect(uses.allSatisfy { $0.isAnswered })
        let other = try gateway.signIn().refreshToken
        gateway.inject(.dropAfterProcessing, into: .token, times: 1)
        await #expect(throws: NetworkError.self) { try await refresh(other) }
        let lost = gateway.takeRefreshTokenUses()
        #expect(lost.map(\.outcome) == [.granted] && lost.map(\.isAnswered) == [false])
        #expect(lost.map(\.family) == [1])
    }
}
