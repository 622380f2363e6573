/// How much a queue stores. Entries that are done, or set aside as poison, do not count.
public struct QueueLimits: Hashable, Sendable {
    /// What happens to a new entry that is above a limit.
    @nonexhaustive
    public enum Policy: Hashable, Sendable {
        /// The new entry is refused with ``QueueError/Code/full``.
        case refuse
        /// The oldest entries give way.
        case dropOldest
        /// Entries with a lower priority than the new one give way, the lowest and oldest first; if there are none, the new
        /// one is refused.
        case dropLowest
    }

    /// The maximum number of entries. Defaults to 10,000.
    public var count: Int
    /// The maximum size of all entries, in bytes. Defaults to 256 MiB.
    public var bytes: Int
    /// What happens above a limit. Defaults to refusing: no promise is broken without the caller's knowledge.
    public var policy: Policy

    /// Creates limits.
    public init(count: Int = 10_000, bytes: Int = 256 << 20, policy: Policy = .refuse) {
        self.count = count
        self.bytes = bytes
        self.policy = policy
    }
}
