import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

/// Refresh tokens whose answer was lost: the server may have replaced them.
@Suite(.timeLimit(.minutes(1))) struct LostAnswerTests {
    private let clock = ManualClock()

    /// A token server whose first answers are lost, each after some time.
    private func login(losing losses: Int, after time: Duration = .zero) -> ScriptedTransport {
        let clock = clock
        return ScriptedTransport { _, index in
            guard index < losses else {
                return .status(200, #"{"access_token":"t","refresh_token":"r\#(index + 1)","expires_in":60}"#)
            }
            clock.advance(by: time)
            return .failure(NetworkError(.connectionLost, "lost", mayHaveBeenSent: true))
        }
    }

    private func coordinator(
        _ login: ScriptedTransport, window: Duration = .zero, store: (any TokenStore)? = nil
    ) throws -> TokenRefreshCoordinator {
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(clientID: "app"), transport: login,
            clock: clock)
        var policy = TokenRefreshPolicy.impatient
        policy.lostAnswerWindow = window
        return TokenRefreshCoordinator(
            acquirer: RefreshTokenGrant(endpoint: endpoint, initial: Secret("r0")), store: store,
            policy: policy, clock: clock)
    }

    private func token(_ coordinator: TokenRefreshCoordinator) async -> NetworkError.Code? {
        await outcome { () throws(NetworkError) in try await coordinator.token() }.code
    }

    @Test func byDefaultNothingIsSentAgain() async throws {
        let login = login(losing: 1)
        let coordinator = try coordinator(login)
        for _ in 0..<5 { #expect(await token(coordinator) == .tokenOutcomeUnknown) }
        #expect(login.requests.count == 1)
        // A later refresh may: a lost connection signs nobody out.
        clock.advance(by: .seconds(1))
        #expect(await token(coordinator) == nil)
        #expect(login.requests.count == 2)
    }

    @Test func withinItsWindowItIsSentOnceMore() async throws {
        let login = login(losing: 1, after: .seconds(5))
        let coordinator = try coordinator(login, window: .seconds(10))
        #expect(await token(coordinator) == nil)
        let bodies = login.requests.map { String(decoding: $0.body.bytes ?? [], as: UTF8.self) }
        #expect(bodies.count == 2)
        #expect(bodies.allSatisfy { $0.contains("refresh_token=r0") })
    }

    @Test func onceAndNoMore() async throws {
        let login = login(losing: 5)
        let coordinator = try coordinator(login, window: .seconds(10))
        #expect(await token(coordinator) == .tokenOutcomeUnknown)
        #expect(login.requests.count == 2)
    }

    @Test func notAfterItsWindow() async throws {
        let login = login(losing: 1, after: .seconds(10))
        let coordinator = try coordinator(login, window: .seconds(10))
        #expect(await token(coordinator) == .tokenOutcomeUnknown)
        #expect(login.requests.count == 1)
    }

    @Test func overAStoreTheSame() async throws {
        let login = login(losing: 1)
        let store = MemoryTokenStore(clock: clock)
        let coordinator = try coordinator(login, window: .seconds(10), store: store)
        #expect(await token(coordinator) == nil)
        #expect(login.requests.count == 2)
        #expect(try await store.load(.default)?.grant?.refreshToken == Secret("r2"))
    }

    /// Only what may have been spent is in doubt.
    @Test func whatNeverArrivedIsNoLostAnswer() async throws {
        let login = ScriptedTransport(.failure(NetworkError(.connectionRefused, "refused")))
        let coordinator = try coordinator(login, window: .seconds(10))
        #expect(await token(coordinator) == .tokenUnavailable)
        #expect(login.requests.count == 1)
    }
}
