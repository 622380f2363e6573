import GatewayCore

/// Reacts to changes of an engine's network. It ends when the engine is released.
final class NetworkReaction: Sendable {
    /// Retained here, because there may be no other reference to it.
    private let network: any NetworkConditionSource
    private let task: Task<Void, Never>

    init(
        to network: any NetworkConditionSource, transports: [any Transport], breakers: CircuitBreakerRegistry?
    ) {
        self.network = network
        let transitions = network.transitions()
        task = Task {
            for await transition in transitions where transition.kind != .offline {
                for transport in transports { transport.dropIdleConnections() }
                breakers?.halfOpenHosts()
            }
        }
    }

    deinit { task.cancel() }
}
