import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

/// How a token differs from what was requested is told.
@Suite(.timeLimit(.minutes(1))) struct TokenDifferenceTests {
    private let clock = ManualClock()

    private func events(
        _ grant: TokenGrant, requesting scopes: [String] = [], _ policy: TokenRefreshPolicy = .init()
    ) async throws -> [TokenEvent.Kind] {
        let kinds = Locked<[TokenEvent.Kind]>([])
        let coordinator = TokenRefreshCoordinator(
            acquirer: ScriptedAcquirer { _, _ in grant }, policy: policy, clock: clock,
            random: SeededRandomSource(seed: 1)
        ) { event in kinds.withLock { $0.append(event.kind) } }
        _ = try await coordinator.token(for: TokenKey(scopes: scopes))
        return kinds.withLock { $0 }
    }

    private static func missing(_ kinds: [TokenEvent.Kind]) -> [String]? {
        for case .scopesNarrowed(let missing) in kinds { return missing }
        return nil
    }

    @Test func fewerScopesAreTold() async throws {
        func missing(_ requested: [String], _ granted: [String]?) async throws -> [String]? {
            let grant = TokenGrant(
                accessToken: Secret("t"), expiresIn: .seconds(60), scopes: granted)
            return Self.missing(try await events(grant, requesting: requested))
        }
        #expect(try await missing(["admin", "read", "write"], ["read"]) == ["admin", "write"])
        #expect(try await missing(["read"], []) == ["read"])
        #expect(try await missing(["read"], ["read", "more"]) == nil)
        // RFC 6749 §5.1: without a scope the requested ones are granted.
        #expect(try await missing(["read"], nil) == nil)
        #expect(try await missing([], ["read"]) == nil)
    }

    @Test func aLimitedLifetimeIsTold() async throws {
        func limit(_ lifetime: Duration) async throws -> (Duration, Duration)? {
            let grant = TokenGrant(accessToken: Secret("t"), expiresIn: lifetime)
            for case .lifetimeLimited(let issued, let used) in try await events(grant) {
                return (issued, used)
            }
            return nil
        }
        let limited = try #require(try await limit(.seconds(864_000)))
        #expect(limited == (.seconds(864_000), .seconds(86_400)))
        #expect(try await limit(.seconds(86_400)) == nil)
    }

    @Test func theRenewalIsTold() async throws {
        var policy = TokenRefreshPolicy()
        policy.advisoryJitter = 0
        let grant = TokenGrant(accessToken: Secret("t"), expiresIn: .seconds(3600))
        let kinds = try await events(grant, policy)
        let told = kinds.contains { kind in
            if case .refreshed(.seconds(3600), renewal: .seconds(3300)) = kind { true } else { false }
        }
        #expect(told)
    }
}
