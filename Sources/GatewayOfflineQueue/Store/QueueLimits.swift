/// The limits of a queue. Final and poison entries do not count.
public struct QueueLimits: Hashable, Sendable {
    /// How a new entry above a limit is handled.
    @nonexhaustive
    public enum Policy: Hashable, Sendable {
        /// The new entry is refused with ``QueueError/Code/full``.
        case refuse
        /// The oldest entries are dropped.
        case dropOldest
        /// Entries with a lower priority than the new one are dropped, the lowest and oldest first; if there
        /// are none, the new one is rejected.
        case dropLowest
    }

    /// The maximum number of entries. Defaults to 10,000.
    public var count: Int
    /// The maximum size of all entries, in bytes. Defaults to 256 MiB.
    public var bytes: Int
    /// How a new entry above a limit is handled. Defaults to rejecting it, so that no stored entry is
    /// dropped without the caller's knowledge.
    public var policy: Policy

    /// Creates limits.
    public init(count: Int = 10_000, bytes: Int = 256 << 20, policy: Policy = .refuse) {
        self.count = count
        self.bytes = bytes
        self.policy = policy
    }
}
