/// A persistent change of the network.
public struct NetworkTransition: Hashable, Sendable {
    /// What has changed.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable {
        /// The network is available again.
        case online
        /// The network is no longer available.
        case offline
        /// The network is available, but an address or a default route that connections depended on was removed.
        case moved
    }

    /// What has changed.
    public let kind: Kind
    /// When the change was confirmed, on the clock of the source.
    public let instant: ContinuousClock.Instant

    /// Creates a transition.
    public init(kind: Kind, instant: ContinuousClock.Instant) {
        self.kind = kind
        self.instant = instant
    }
}
