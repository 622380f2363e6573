/// The state of the network, as far as it is known.
public struct NetworkCondition: Hashable, Sendable {
    /// How good the network is, by the mean latency of recent responses.
    public enum Quality: Int, Hashable, Comparable, CaseIterable, Sendable {
        /// No network.
        case offline
        /// 1 s or more.
        case poor
        /// Less than 1 s.
        case moderate
        /// Less than 300 ms.
        case good
        /// Less than 100 ms, or not known.
        case excellent

        /// Whether the first is worse.
        public static func < (a: Quality, b: Quality) -> Bool { a.rawValue < b.rawValue }
    }

    /// The quality.
    public var quality: Quality

    /// Whether there is a network.
    public var isOnline: Bool { quality != .offline }

    /// Makes a condition.
    public init(quality: Quality) { self.quality = quality }
}

/// A source of the network's condition: a monitor, or a simulator.
public protocol NetworkConditionSource: Sendable {
    /// The condition now. Never waits.
    var condition: NetworkCondition { get }

    /// The condition now, then each change. The sequence ends when the source does.
    func conditions() -> AsyncStream<NetworkCondition>
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
