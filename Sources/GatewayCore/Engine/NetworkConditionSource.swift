/// The known state of the network.
public struct NetworkCondition: Hashable, Sendable {
    /// The quality of the network. Server response times do not affect it.
    public enum Quality: Int, Hashable, Comparable, CaseIterable, Sendable {
        /// No network.
        case offline
        /// Calls need long time limits.
        case poor
        /// Calls succeed but are slow.
        case moderate
        /// Calls are not delayed.
        case good
        /// A data centre network, or unknown.
        case excellent

        /// The name, such as `good`.
        package var name: String { "\(self)" }

        /// Whether the first is worse.
        public static func < (a: Quality, b: Quality) -> Bool { a.rawValue < b.rawValue }
    }

    /// The quality.
    public var quality: Quality
    /// Whether the network is interrupted, but not yet long enough to be offline.
    public var isInterrupted: Bool
    /// Why servers cannot be reached although there is a network; `nil` if there is no known obstacle.
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
    /// The current condition. Never waits.
    var condition: NetworkCondition { get }

    /// The current condition of the path to an origin. Never waits. Defaults to ``condition``.
    func condition(for origin: Origin) -> NetworkCondition

    /// The current condition, then each persistent change. The sequence ends when the source does.
    func conditions() -> AsyncStream<NetworkCondition>

    /// The transitions after this call. The sequence ends when the source does. Defaults to those between online and
    /// offline in ``conditions()``.
    func transitions() -> AsyncStream<NetworkTransition>

    /// Receives the events from which the source learns about the network; `nil`, the default, if it needs none. An
    /// engine passes its events to it.
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

/// A network that is always available. Used without a monitor.
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
