import GatewayCore

/// A credential that a test replaces, and that can be used up between two steps of an attempt.
final class RollingCredential: CredentialSource {
    private struct State {
        var generation: UInt64 = 1
        var isAtHand = true
        var readyCount = 0
        var stampCount = 0
        /// The number of stamps that fail although the credential was ready.
        var failingStamps = 0
        /// Whether they fail because the credential was replaced.
        var isReplaced = false
    }

    private let state = Locked(State())

    let identity = CredentialIdentity(key: "rolling", epoch: 1)
    private let rollsOnRefusal: Bool

    /// - Parameter rollsOnRefusal: whether a 401 replaces the credential.
    init(rollsOnRefusal: Bool = false) { self.rollsOnRefusal = rollsOnRefusal }

    var readyCount: Int { state.withLock { $0.readyCount } }
    var stampCount: Int { state.withLock { $0.stampCount } }

    /// Replaces the credential.
    func roll() { state.withLock { $0.generation += 1 } }

    /// Takes the credential away until somebody waits for it.
    func expire() { state.withLock { $0.isAtHand = false } }

    func failStamps(_ count: Int, isReplaced: Bool = false) {
        state.withLock { ($0.failingStamps, $0.isReplaced) = (count, isReplaced) }
    }

    func hasExpired(atLeast generation: UInt64) -> Bool { state.withLock { !$0.isReplaced } }

    func isReady(atLeast generation: UInt64) -> Bool {
        state.withLock { $0.isAtHand && $0.generation >= generation }
    }

    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
        state.withLock { state in
            state.readyCount += 1
            state.isAtHand = true
            state.generation = max(state.generation, generation)
        }
    }

    func note(_ response: HTTPResponse, to request: HTTPRequest) {
        guard rollsOnRefusal, response.status == 401, let stamp = response.exchange.stamp else { return }
        state.withLock { $0.generation = max($0.generation, stamp.generation + 1) }
    }

    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        let current = state.withLock { state -> UInt64? in
            guard state.failingStamps == 0 else {
                state.failingStamps -= 1
                return nil
            }
            guard state.isAtHand, state.generation >= generation else { return nil }
            state.stampCount += 1
            return state.generation
        }
        guard let current else { return nil }
        request.fields[.authorization] = "Bearer \(current)"
        return CredentialStamp(identity: identity, generation: current)
    }
}
