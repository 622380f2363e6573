/// A change of the network that lasts.
public struct NetworkTransition: Hashable, Sendable {
    /// What has changed.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable {
        /// There is a network again.
        case online
        /// There is no network any more.
        case offline
        /// There is a network, but an address or a default route that connections depended on is gone.
        case moved
    }

    /// What has changed.
    public let kind: Kind
    /// When it was settled, on the clock of the source.
    public let instant: ContinuousClock.Instant

    /// Creates a transition.
    public init(kind: Kind, instant: ContinuousClock.Instant) {
        self.kind = kind
        self.instant = instant
    }
}
