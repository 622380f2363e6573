import GatewayAuth
import GatewayCore
import GatewayTesting

/// An authorization server that spends refresh tokens: `r0` is the first.
final class RotatingServer: TokenAcquirer {
    private struct State {
        var count = 0
        var current = "r0"
        var used: [String] = []
        var gates: [Int: Gate] = [:]
        var rotates = true
        var isSingleUse = true
        var givesRefreshTokens = true
        var lifetime: Duration = .seconds(3600)
    }
    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }
    var used: [String] { state.withLock { $0.used } }
    func hold(_ index: Int, _ gate: Gate) { state.withLock { $0.gates[index] = gate } }
    func keepRefreshTokens() {
        state.withLock { state in
            state.rotates = false
            state.givesRefreshTokens = false
        }
    }
    func revoke() { state.withLock { $0.current = "revoked" } }
    func setLifetime(_ lifetime: Duration) { state.withLock { $0.lifetime = lifetime } }

    /// Says that its requests can be repeated.
    func repeatsRequests() { state.withLock { $0.isSingleUse = false } }

    func isSingleUse(after previous: TokenGrant?) -> Bool { state.withLock { $0.isSingleUse } }

    func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        let token = request.previous?.refreshToken?.exposed ?? "r0"
        let (index, gate) = state.withLock { state in
            state.count += 1
            state.used.append(token)
            return (state.count, state.gates[state.count])
        }
        await gate?.pass()
        return try state.withLock { state in
            guard token == state.current else {
                throw NetworkError(.reauthenticationRequired, "invalid_grant")
            }
            if state.rotates { state.current = "r\(index)" }
            return TokenGrant(
                accessToken: Secret("a\(index)"), expiresIn: state.lifetime,
                refreshToken: state.givesRefreshTokens ? Secret(state.current) : nil)
        }
    }
}
