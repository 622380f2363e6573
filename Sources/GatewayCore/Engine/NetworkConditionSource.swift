/// The state of the network, as far as it is known.
public struct NetworkCondition: Hashable, Sendable {
    /// How good the network is. How fast a server answers does not count.
    public enum Quality: Int, Hashable, Comparable, CaseIterable, Sendable {
        /// No network.
        case offline
        /// Calls need long limits.
        case poor
        /// Calls work and are slow.
        case moderate
        /// Calls are not held up.
        case good
        /// The network of a data centre, or not known.
        case excellent

        /// The name, such as `good`.
        package var name: String { "\(self)" }

        /// Whether the first is worse.
        public static func < (a: Quality, b: Quality) -> Bool { a.rawValue < b.rawValue }
    }

    /// The quality.
    public var quality: Quality
    /// Whether the network is away at this moment, though not yet for so long that it is offline.
    public var isInterrupted: Bool
    /// What keeps calls from their servers although there is a network; `nil` if nothing is known to.
    public var obstacle: NetworkObstacle?

    /// Whether there is a network.
    public var isOnline: Bool { quality != .offline }

    /// Makes a condition.
    public init(quality: Quality, isInterrupted: Bool = false, obstacle: NetworkObstacle? = nil) {
        self.quality = quality
        self.isInterrupted = isInterrupted
        self.obstacle = obstacle
    }
}

/// A source of the network's condition: a monitor, or a simulator.
public protocol NetworkConditionSource: Sendable {
    /// The condition now. Never waits.
    var condition: NetworkCondition { get }

    /// The condition of the way to an origin now. Never waits. By default ``condition``.
    func condition(for origin: Origin) -> NetworkCondition

    /// The condition now, then each change that lasts. The sequence ends when the source does.
    func conditions() -> AsyncStream<NetworkCondition>

    /// The transitions from now on. The sequence ends when the source does. By default those between online and offline of
    /// ``conditions()``.
    func transitions() -> AsyncStream<NetworkTransition>

    /// Receives the events from which the source learns about the network; `nil`, the default, if it needs none. An engine
    /// passes its events to it.
    var observer: (any RequestEventSink)? { get }
}

extension NetworkConditionSource {
    /// The same for each origin.
    public func condition(for origin: Origin) -> NetworkCondition { condition }

    /// None.
    public var observer: (any RequestEventSink)? { nil }

    /// The transitions between online and offline.
    public func transitions() -> AsyncStream<NetworkTransition> {
        let conditions = conditions()
        return AsyncStream { continuation in
            let task = Task {
                var wasOnline: Bool?
                for await condition in conditions where condition.isOnline != wasOnline {
                    if wasOnline != nil {
                        continuation.yield(
                            NetworkTransition(kind: condition.isOnline ? .online : .offline, instant: .now))
                    }
                    wasOnline = condition.isOnline
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// A network that is always there: what applies without a monitor.
public struct AlwaysOnline: NetworkConditionSource {
    /// Makes a source.
    public init() {}

    /// Online, of excellent quality.
    public var condition: NetworkCondition { NetworkCondition(quality: .excellent) }

    /// One condition.
    public func conditions() -> AsyncStream<NetworkCondition> {
        AsyncStream { continuation in
            continuation.yield(condition)
            continuation.finish()
        }
    }
}
