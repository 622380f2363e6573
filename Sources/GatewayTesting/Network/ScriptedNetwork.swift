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
        var conditions: [AsyncStream<NetworkCondition>.Continuation] = []
        var transitions: [AsyncStream<NetworkTransition>.Continuation] = []
    }

    private let state: Locked<State>
    private let clock: any GatewayClock
    private let exchanges: EventRecorder

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
        exchanges = EventRecorder()
    }

    deinit { finish() }

    /// The condition of the whole network.
    public var condition: NetworkCondition { state.withLock { $0.condition } }

    /// The condition of the path to an origin: its own if it was set, otherwise that of the whole network.
    public func condition(for origin: Origin) -> NetworkCondition {
        state.withLock { $0.origins[origin] ?? $0.condition }
    }

    /// Sets the condition, of the path to an origin or of the whole network.
    public func set(_ condition: NetworkCondition, for origin: Origin? = nil) {
        let streams = state.withLock { state in
            if let origin {
                state.origins[origin] = condition
                return [] as [AsyncStream<NetworkCondition>.Continuation]
            }
            state.condition = condition
            return state.conditions
        }
        for stream in streams { stream.yield(condition) }
    }

    /// Reports a transition, and sets the condition to offline or excellent accordingly.
    public func report(_ kind: NetworkTransition.Kind) {
        set(NetworkCondition(quality: kind == .offline ? .offline : .excellent))
        let transition = NetworkTransition(kind: kind, instant: clock.now)
        for stream in state.withLock({ $0.transitions }) { stream.yield(transition) }
    }

    /// Ends all sequences.
    public func finish() {
        let (conditions, transitions) = state.withLock { state in
            defer { (state.conditions, state.transitions) = ([], []) }
            return (state.conditions, state.transitions)
        }
        for stream in conditions { stream.finish() }
        for stream in transitions { stream.finish() }
    }

    /// The current condition, and then each condition that is set.
    public func conditions() -> AsyncStream<NetworkCondition> {
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkCondition.self)
        state.withLock { state in state.conditions.append(continuation) }
        continuation.yield(condition)
        return stream
    }

    /// The transitions from now on.
    public func transitions() -> AsyncStream<NetworkTransition> {
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkTransition.self)
        state.withLock { state in state.transitions.append(continuation) }
        return stream
    }

    /// The events that engines have sent to the network.
    public var observed: EventRecorder { exchanges }

    /// The sink that receives exchanges from engines.
    public var observer: (any RequestEventSink)? { ExchangeSink(recorder: exchanges) }

    private final class ExchangeSink: RequestEventSink {
        private let recorder: EventRecorder
        init(recorder: EventRecorder) { self.recorder = recorder }
        var interests: EventInterests { .exchanges }
        func record(_ event: borrowing RequestEvent) { recorder.record(event) }
    }
}
