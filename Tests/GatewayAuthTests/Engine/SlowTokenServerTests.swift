import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// A token server that answers later than a transport would wait, over the wire.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct SlowTokenServerTests {
    private func transport() -> CurlTransport {
        var configuration = CurlConfiguration()
        configuration.timeouts.firstByte = .milliseconds(100)
        configuration.timeouts.read = .milliseconds(100)
        configuration.timeouts.whole = .milliseconds(200)
        return CurlTransport(configuration: configuration)
    }

    private func endpoint(_ gateway: EmbeddedGateway, _ transport: CurlTransport) throws -> TokenEndpoint {
        try TokenEndpoint(
            gateway.tokenURL, client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
            transport: transport)
    }

    @Test func theTransportsLimitsDoNotCutASingleUseRequest() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let endpoint = try endpoint(gateway, transport())
        let token = try gateway.signIn().refreshToken
        let hold = gateway.hold(.token)
        let patient = TokenRefreshCoordinator(
            acquirer: RefreshTokenGrant(endpoint: endpoint, initial: token), policy: .impatient)
        let lease = Task { try await patient.token() }
        await hold.waitForArrivals(1)
        // What spends nothing is bound by them, and began later.
        let other = TokenRefreshCoordinator(
            acquirer: ClientCredentials(endpoint: endpoint), policy: .impatient)
        let result = await outcome { () throws(NetworkError) in try await other.token() }
        #expect(result.code == .tokenUnavailable)
        hold.release()
        #expect(try await lease.value.generation == 1)
    }

    @Test func aTransportThatIsShutDownLeavesTheOutcomeUnknown() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let transport = transport()
        let endpoint = try endpoint(gateway, transport)
        let token = try gateway.signIn().refreshToken
        let hold = gateway.hold(.token)
        let coordinator = TokenRefreshCoordinator(
            acquirer: RefreshTokenGrant(endpoint: endpoint, initial: token), policy: .impatient)
        let caller = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await hold.waitForArrivals(1)
        await transport.shutdown()
        #expect(await caller.value.code == .tokenOutcomeUnknown)
        hold.release()
    }
}
