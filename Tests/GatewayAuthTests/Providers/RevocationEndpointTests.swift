import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

/// What goes to the revocation endpoint (RFC 7009).
@Suite(.timeLimit(.minutes(1))) struct RevocationEndpointTests {
    private let clock = ManualClock()

    private func endpoint(
        _ transport: any Transport, _ url: String? = "https://login.example.com/revoke"
    ) throws -> TokenEndpoint {
        try TokenEndpoint(
            "https://login.example.com/token", client: .post(clientID: "id", secret: Secret("s&s")),
            revocationURL: url, transport: transport, clock: clock)
    }

    private func revoke(
        _ reply: ScriptedTransport.Reply, _ grant: TokenGrant = TokenGrant(accessToken: Secret("a"))
    ) async throws -> (Result<Void, NetworkError>, [HTTPRequest]) {
        let transport = ScriptedTransport(reply)
        let endpoint = try endpoint(transport)
        let deadline = Deadline.after(.seconds(30), clock: clock)
        let result = await outcome { () throws(NetworkError) in
            try await endpoint.revoke(grant, deadline: deadline)
        }
        return (result, transport.requests)
    }

    private static func body(_ request: HTTPRequest?) -> String {
        String(decoding: request?.body.bytes ?? [], as: UTF8.self)
    }

    @Test func theRefreshTokenIsRevokedAndElseTheAccessToken() async throws {
        let both = TokenGrant(accessToken: Secret("a"), refreshToken: Secret("r"))
        let (result, requests) = try await revoke(.status(200), both)
        try result.get()
        #expect(requests.map(\.target) == ["/revoke"])
        #expect(requests.first?.method == .post)
        #expect(
            Self.body(requests.first)
                == "token=r&token_type_hint=refresh_token&client_id=id&client_secret=s%26s")
        let (_, others) = try await revoke(.status(200))
        #expect(Self.body(others.first).hasPrefix("token=a&token_type_hint=access_token&"))
    }

    @Test(arguments: [200, 202, 204]) func anySuccessIsAccepted(status: Int) async throws {
        try await revoke(.status(status)).0.get()
    }

    @Test(arguments: [
        (503, "", NetworkError.Code.tokenUnavailable),
        (400, #"{"error":"unsupported_token_type"}"#, .credentialMisconfigured),
        (401, #"{"error":"invalid_client"}"#, .credentialMisconfigured), (404, "", .tokenResponseMalformed),
    ])
    func whatIsNotAcceptedIsAnError(status: Int, body: String, code: NetworkError.Code) async throws {
        let (result, requests) = try await revoke(.status(status, body))
        #expect(result.code == code)
        #expect(requests.count == 1)
    }

    @Test func withoutAnEndpointNothingIsSent() async throws {
        let transport = ScriptedTransport(.status(200))
        let endpoint = try endpoint(transport, nil)
        let deadline = Deadline.after(.seconds(30), clock: clock)
        try await endpoint.revoke(TokenGrant(accessToken: Secret("a")), deadline: deadline)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: ["http://login.example.com/revoke", "http://localhost/revoke"])
    func itIsReachedSecurely(url: String) throws {
        let error = #expect(throws: NetworkError.self) {
            try endpoint(ScriptedTransport(.status(200)), url)
        }
        #expect(error?.code == .insecureOrigin)
    }

    @Test func aSignOutRevokesThroughTheGrant() async throws {
        let transport = ScriptedTransport { request, _ in
            request.target == "/revoke"
                ? .status(200) : .status(200, #"{"access_token":"a","refresh_token":"r","expires_in":60}"#)
        }
        for acquirer in [
            RefreshTokenGrant(endpoint: try endpoint(transport), initial: Secret("r0")) as any TokenAcquirer,
            ClientCredentials(endpoint: try endpoint(transport)),
        ] {
            let before = transport.requests.count
            let coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: clock)
            _ = try await coordinator.token()
            coordinator.signOut(revoking: true)
            await eventually { transport.requests.count == before + 2 }
            #expect(transport.requests.last?.target == "/revoke")
        }
    }
}
