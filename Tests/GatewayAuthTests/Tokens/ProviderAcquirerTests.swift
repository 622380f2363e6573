import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProviderAcquirerTests {
    private let clock = ManualClock()

    /// A provider with a session that others may renew too.
    private final class Session: TokenProvider {
        let token: Locked<String?>
        let refreshes = Locked(0)
        let renew: @Sendable (Int) throws -> String

        init(_ token: String?, renew: @escaping @Sendable (Int) throws -> String = { "renewed-\($0)" }) {
            self.token = Locked(token)
            self.renew = renew
        }

        func currentToken() async throws -> String? { token.withLock { $0 } }
        func refreshToken() async throws -> String {
            let count = refreshes.withLock { count in
                count += 1
                return count
            }
            let renewed = try renew(count)
            token.withLock { $0 = renewed }
            return renewed
        }
    }

    private func jwt(from issued: Int? = nil, to end: Int) throws -> String {
        var claims: [String: JSONValue] = ["exp": .number(JSONNumber(end))]
        if let issued { claims["iat"] = .number(JSONNumber(issued)) }
        let key = try JSONWebTokenKey(secret: Array(repeating: 7, count: 32))
        return try JSONWebToken.sign(claims: claims, key: key).exposed
    }

    private var now: Int { Int(clock.unixTime.components.seconds) }

    @Test func theCurrentTokenIsUsedFirst() async throws {
        let session = Session("current")
        let coordinator = TokenRefreshCoordinator(provider: session, policy: .impatient, clock: clock)
        #expect(try await coordinator.token().accessToken == Secret("current"))
        #expect(session.refreshes.withLock { $0 } == 0)
    }

    @Test func aRejectedTokenIsRefreshed() async throws {
        let session = Session("current")
        let coordinator = TokenRefreshCoordinator(provider: session, policy: .impatient, clock: clock)
        let lease = try await coordinator.token()
        #expect(try await coordinator.rejected(lease).accessToken == Secret("renewed-1"))
    }

    @Test func aTokenThatSomebodyElseRenewedIsAdopted() async throws {
        let session = Session("current")
        let coordinator = TokenRefreshCoordinator(provider: session, policy: .impatient, clock: clock)
        let lease = try await coordinator.token()
        session.token.withLock { $0 = "from elsewhere".replacing(" ", with: "-") }
        #expect(try await coordinator.rejected(lease).accessToken == Secret("from-elsewhere"))
        #expect(session.refreshes.withLock { $0 } == 0)
    }

    @Test func aFixedTokenIsUsedUntilItIsRejected() async throws {
        let coordinator = TokenRefreshCoordinator(
            provider: StaticTokenProvider(Secret("fixed")), policy: .impatient, clock: clock)
        for _ in 0..<10 {
            #expect(try await coordinator.token().accessToken == Secret("fixed"))
            clock.advance(by: .seconds(3000))
        }
        let lease = try await coordinator.token()
        for _ in 0..<3 {
            let result = await outcome { () throws(NetworkError) in try await coordinator.rejected(lease) }
            #expect(result.code == .reauthenticationRequired)
        }
    }

    @Test func aFunctionGivesEveryToken() async throws {
        let calls = Locked(0)
        let provider = ClosureTokenProvider {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            return "token-\(call)"
        }
        let coordinator = TokenRefreshCoordinator(provider: provider, policy: .impatient, clock: clock)
        let lease = try await coordinator.token()
        #expect(lease.accessToken == Secret("token-1"))
        #expect(try await coordinator.rejected(lease).accessToken == Secret("token-2"))
    }

    @Test func theEndIsReadFromTheToken() async throws {
        let first = try jwt(from: now - 60, to: now + 100)
        let second = try jwt(from: now, to: now + 200)
        let session = Session(first) { _ in second }
        let coordinator = TokenRefreshCoordinator(
            provider: session, policy: .impatient, clock: clock, random: SeededRandomSource(seed: 1))
        #expect(try await coordinator.token().accessToken == Secret(first))
        clock.advance(by: .seconds(95))
        #expect(try await coordinator.token().accessToken == Secret(second))
    }

    @Test func aCurrentTokenThatHasEndedIsNotUsed() async throws {
        let session = Session(try jwt(to: now - 1))
        let coordinator = TokenRefreshCoordinator(provider: session, policy: .impatient, clock: clock)
        #expect(try await coordinator.token().accessToken == Secret("renewed-1"))
    }

    @Test(arguments: [-3600, 3600])
    func aWrongClockCausesNoLoop(skew: Int) async throws {
        let clock = clock
        let session = Session(nil) { _ in
            let now = Int(clock.unixTime.components.seconds) + skew
            let key = try JSONWebTokenKey(secret: Array(repeating: 7, count: 32))
            return try JSONWebToken.sign(
                claims: ["iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 600))], key: key
            ).exposed
        }
        let coordinator = TokenRefreshCoordinator(provider: session, policy: .impatient, clock: clock)
        for _ in 0..<100 {
            _ = try await coordinator.token()
            clock.advance(by: .seconds(4))
        }
        #expect(session.refreshes.withLock { $0 } == 1)
    }

    /// The caller is told, no call is made with that token, and the provider is asked again after a pause.
    @Test(arguments: [true, false])
    func aProviderThatReturnsTheRejectedTokenIsTold(hasCurrent: Bool) async throws {
        let renewed = Locked("same")
        let session = Session(hasCurrent ? "same" : nil) { _ in renewed.withLock { $0 } }
        let coordinator = TokenRefreshCoordinator(provider: session, clock: clock)
        let api = FakeGateway()
        let engine = AuthenticatedRequestEngine(
            transport: api, coordinator: coordinator,
            scope: try CredentialScope(["https://api.example.com"]), clock: clock)
        let request = try HTTPRequest(.get, "https://api.example.com/a")
        for _ in 0..<10 {
            let result = await outcome { () throws(NetworkError) in try await engine.send(request) }
            guard case .failure(let error) = result else {
                Issue.record("The rejected token was taken for a new one.")
                return
            }
            #expect(error.code == .reauthenticationRequired)
            #expect(error.message.contains("returned the token that was rejected"))
            #expect(error.message.contains("`TokenProvider.refreshToken()`"))
            #expect(!error.message.contains("same"))
        }
        #expect(api.total == 1)
        #expect(session.refreshes.withLock { $0 } == (hasCurrent ? 1 : 2))
        // Nobody has to sign in again once the provider has another one.
        renewed.withLock { $0 = "other" }
        api.accept(["other"])
        clock.advance(by: .seconds(60))
        #expect(try await engine.send(request).status == 200)
        #expect(api.total == 2)
    }

    private struct Broken: Error {}

    @Test func anyErrorOfAProviderPasses() async throws {
        let session = Session(nil) { call in
            if call == 1 { throw Broken() }
            if call == 2 { throw CancellationError() }
            return "token"
        }
        let coordinator = TokenRefreshCoordinator(provider: session, policy: .impatient, clock: clock)
        for _ in 0..<2 {
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code == .tokenUnavailable)
            clock.advance(by: .seconds(60))
        }
        #expect(try await coordinator.token().accessToken == Secret("token"))
    }
}
