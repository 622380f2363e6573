public import GatewayCore

/// A network whose condition and transitions a test sets.
///
/// ```swift
/// let network = ScriptedNetwork()
/// configuration.network = network
/// …
/// network.report(.offline)
/// network.report(.online)
/// ```
public final class ScriptedNetwork: NetworkConditionSource {
    private struct State {
        var condition: NetworkCondition
        var origins: [Origin: NetworkCondition] = [:]
    }

    private let state: Locked<State>
    private let clock: any GatewayClock
    private let conditionStreams = Broadcast<NetworkCondition>(capacity: .max)
    private let transitionStreams = Broadcast<NetworkTransition>(capacity: .max)

    /// Creates a network.
    ///
    /// - Parameters:
    ///   - condition: the initial condition.
    ///   - clock: the clock of the transitions.
    public init(
        _ condition: NetworkCondition = NetworkCondition(quality: .excellent),
        clock: any GatewayClock = SystemClock()
    ) {
        state = Locked(State(condition: condition))
        self.clock = clock
    }

    /// The condition of the whole network.
    public var condition: NetworkCondition { state.withLock { $0.condition } }

    /// The condition of the path to an origin: its own if it was set, otherwise that of the whole network.
    public func condition(for origin: Origin) -> NetworkCondition {
        state.withLock { $0.origins[origin] ?? $0.condition }
    }

    /// Sets the condition, of the path to an origin or of the whole network.
    public func set(_ condition: NetworkCondition, for origin: Origin? = nil) {
        state.withLock { state in
            if let origin { state.origins[origin] = condition } else { state.condition = condition }
        }
        if origin == nil { conditionStreams.send(condition) }
    }

    /// Reports a transition, and sets the condition to offline or excellent accordingly.
    public func report(_ kind: NetworkTransition.Kind) {
        set(NetworkCondition(quality: kind == .offline ? .offline : .excellent))
        transitionStreams.send(NetworkTransition(kind: kind, instant: clock.now))
    }

    /// Ends all sequences.
    public func finish() {
        conditionStreams.finish()
        transitionStreams.finish()
    }

    /// The current condition, and then each condition that is set.
    public func conditions() -> AsyncStream<NetworkCondition> { conditionStreams.stream { self.condition } }

    /// The transitions from now on.
    public func transitions() -> AsyncStream<NetworkTransition> { transitionStreams.stream() }

    /// The events that engines have sent to the network.
    public let observed = EventRecorder()

    /// The sink that receives exchanges from engines.
    public var observer: (any RequestEventSink)? { ExchangeSink(recorder: observed) }

    private final class ExchangeSink: RequestEventSink {
        private let recorder: EventRecorder
        init(recorder: EventRecorder) { self.recorder = recorder }
        var interests: EventInterests { .exchanges }
        func record(_ event: borrowing RequestEvent) { recorder.record(event) }
    }
}
