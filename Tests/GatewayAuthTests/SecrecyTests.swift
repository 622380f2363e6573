import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

/// No description, dump, error or event holds a secret.
@Suite(.timeLimit(.minutes(1))) struct SecrecyTests {
    private static let marks = ["s3cr3t", "t0k3n", "r3fr3sh", "b0dy"]

    private func texts(_ values: [Any]) -> String {
        var text = ""
        for value in values {
            text += "\(value)\n" + String(reflecting: value) + "\n"
            dump(value, to: &text)
        }
        return text
    }

    @Test func nothingPrintsASecret() async throws {
        let clock = ManualClock()
        let replies: [ScriptedTransport.Reply] = [
            .status(200, #"{"access_token":"t0k3n-1","refresh_token":"r3fr3sh-1","expires_in":60}"#),
            .status(200, #"{"access_token":"t0k3n 2"}"#), .status(200, "<html>b0dy t0k3n</html>"),
            .status(400, #"{"error":"server_error","error_description":"r3fr3sh-1 t0k3n","x":"b0dy"}"#),
            .status(500, "b0dy"), .status(200, #"{"access_token":"t0k3n","token_type":"b0dy"}"#),
            .status(400, #"{"error":"invalid_grant","error_description":"b0dy r3fr3sh"}"#),
        ]
        let transport = ScriptedTransport { _, index in replies[min(index, replies.count - 1)] }
        let client = ClientAuthentication.basic(clientID: "id", secret: Secret("s3cr3t"))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: client, transport: transport, clock: clock)
        let acquirer = RefreshTokenGrant(endpoint: endpoint, initial: Secret("r3fr3sh-0"))
        let events = Locked<[TokenEvent]>([])
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: .impatient, clock: clock) {
            event in
            events.withLock { $0.append(event) }
        }
        let api = ScriptedTransport(.status(401, "b0dy"))
        let engine = AuthenticatedRequestEngine(
            transport: api, coordinator: coordinator, scope: try CredentialScope(["https://api.example.com"]),
            clock: clock)
        var seen: [Any] = [client, endpoint, acquirer, coordinator, engine]
        let recorder = EventRecorder()
        for _ in 0..<10 {
            var context = RequestContext()
            context.events = recorder
            let request = try HTTPRequest(
                .post, "https://api.example.com/?q=s3cr3t", body: .text("b0dy"))
            let sent = context
            let result = await outcome { () throws(NetworkError) in
                try await engine.send(request, context: sent)
            }
            seen.append(result)
            if case .failure(let error) = result, let underlying = error.underlying {
                seen.append(underlying)
            }
            clock.advance(by: .seconds(120))
        }
        let grant = TokenGrant(accessToken: Secret("t0k3n"), refreshToken: Secret("r3fr3sh"))
        coordinator.signIn(with: grant)
        let lease = try await coordinator.token()
        seen += [
            grant, lease, events.withLock { $0 }, recorder.events,
            TokenRequest(
                key: .default, previous: grant, previousWasRejected: true,
                deadline: .after(.seconds(1), clock: clock)),
            StaticTokenProvider(Secret("t0k3n")), ProviderAcquirer(StaticTokenProvider(Secret("t0k3n"))),
        ]
        let text = texts(seen)
        #expect(transport.requests.count == replies.count)
        #expect(!recorder.events.isEmpty)
        for mark in Self.marks { #expect(!text.contains(mark)) }
    }
}
