import GatewayCore

/// The injected faults and holds.
final class GatewayControls: Sendable {
    private struct State {
        var faults = FaultPlan()
        var holds: [EmbeddedGateway.Hold] = []
    }

    private let state = Locked(State())
    private let random: any RandomSource

    init(random: any RandomSource) { self.random = random }

    func withFaults<Result: Sendable>(_ body: (inout FaultPlan) -> Result) -> Result {
        state.withLock { body(&$0.faults) }
    }

    func add(_ hold: EmbeddedGateway.Hold) {
        state.withLock { state in
            state.holds.removeAll(where: \.isReleased)
            state.holds.append(hold)
        }
    }

    /// The holds that apply to a request, in the order of their creation.
    func holds(for request: EmbeddedGateway.Request, isTokenRequest: Bool) -> [EmbeddedGateway.Hold] {
        let holds = state.withLock { $0.holds }
        guard !holds.isEmpty else { return [] }
        return holds.filter { !$0.isReleased && $0.scope.contains(request, isTokenRequest) }
    }

    /// The faults for a request. Scopes are user functions, so they are called without the lock.
    func decide(_ request: EmbeddedGateway.Request, isTokenRequest: Bool) -> FaultPlan.Decision {
        let scopes = state.withLock { $0.faults.isEmpty ? [] : $0.faults.scopes }
        guard !scopes.isEmpty else { return FaultPlan.Decision() }
        let matching = scopes.filter { $0.scope.contains(request, isTokenRequest) }.map(\.id)
        guard !matching.isEmpty else { return FaultPlan.Decision() }
        return state.withLock { state in state.faults.decide(matching: matching) { random.unit() } }
    }
}
