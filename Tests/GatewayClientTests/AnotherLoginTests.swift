import GatewayClient
import GatewayTesting
import TestTiers
import Testing

/// Who signs in after somebody else sees nothing of theirs, through the whole stack.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct AnotherLoginTests {
    private struct Rig {
        let gateway: EmbeddedGateway
        let engine: GatewayEngine
        let coordinator: TokenRefreshCoordinator
        let key: TokenKey

        init() throws {
            gateway = try EmbeddedGateway.start()
            gateway.route(.get, "/whoami", access: .anyToken) { request in
                .text(request.token?.subject ?? "nobody")
            }
            let tokens = CurlTransport()
            let endpoint = try TokenEndpoint(
                gateway.tokenURL,
                client: .basic(clientID: gateway.client.id, secret: gateway.client.secret), transport: tokens)
            key = endpoint.key()
            coordinator = TokenRefreshCoordinator(acquirer: RefreshTokenGrant(endpoint: endpoint))
            var configuration = GatewayConfiguration()
            configuration.authentication = GatewayConfiguration.Authentication(
                coordinator: coordinator, scope: CredentialScope([gateway.origin], key: key))
            engine = GatewayEngine(
                transport: CurlTransport(), tokenTransport: tokens, configuration: configuration)
        }

        func signIn(_ subject: String) throws {
            let person = try gateway.signIn(subject: subject)
            coordinator.signIn(
                key,
                with: TokenGrant(
                    accessToken: person.access.token, expiresIn: .seconds(300),
                    refreshToken: person.refreshToken))
        }

        func whoAmI() async throws -> String {
            let response = try await engine.send(try HTTPRequest(.get, "\(gateway.origin)/whoami"))
            return String(decoding: try await response.body.collect(upToBytes: 1024), as: UTF8.self)
        }
    }

    @Test func aCallOfTheNextPersonJoinsNoneOfTheFirst() async throws {
        let rig = try Rig()
        defer { rig.gateway.shutdown() }
        try rig.signIn("alice")
        let hold = rig.gateway.hold()
        let first = Task { try await rig.whoAmI() }
        await hold.waitForArrivals(1)
        rig.coordinator.signOut(rig.key)
        try rig.signIn("bob")
        let second = Task { try await rig.whoAmI() }
        // The same request, and yet one of its own.
        await hold.waitForArrivals(2)
        hold.release()
        #expect(try await first.value == "alice")
        #expect(try await second.value == "bob")
        #expect(try await rig.whoAmI() == "bob")
    }

    @Test func aCallThatIsRejectedAfterALogoutIsNotSentAsTheNextPerson() async throws {
        let rig = try Rig()
        defer { rig.gateway.shutdown() }
        try rig.signIn("alice")
        let hold = rig.gateway.hold()
        let first = Task { try await rig.whoAmI() }
        await hold.waitForArrivals(1)
        rig.gateway.revokeCurrentTokens()
        rig.coordinator.signOut(rig.key)
        try rig.signIn("bob")
        hold.release()
        let error = await #expect(throws: NetworkError.self) { try await first.value }
        #expect(error?.code == .signedOut)
        #expect(try await rig.whoAmI() == "bob")
    }
}
