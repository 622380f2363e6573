/// The next work of a store. Reading it changes nothing.
public struct QueueOutlook: Hashable, Sendable {
    /// The number of entries in each state that has any.
    public var counts: [QueueEntry.State: Int]
    /// When the next postponed entry is due; `nil` if there is none.
    public var nextDue: QueueTime?
    /// When the next pending entry expires; `nil` if there is none.
    public var nextExpiry: QueueTime?
    /// The owners with an attempt in progress.
    public var owners: Set<QueueOwner>
    /// The accounts that must sign in again.
    public var parkedAccounts: Set<QueueAccount>
    /// The newest time that was passed to the store; `nil` if there is none, or it is unknown.
    public var newest: QueueTime?

    /// Creates an outlook.
    public init(
        counts: [QueueEntry.State: Int] = [:], nextDue: QueueTime? = nil, nextExpiry: QueueTime? = nil,
        owners: Set<QueueOwner> = [], parkedAccounts: Set<QueueAccount> = [], newest: QueueTime? = nil
    ) {
        self.counts = counts
        self.nextDue = nextDue
        self.nextExpiry = nextExpiry
        self.owners = owners
        self.parkedAccounts = parkedAccounts
        self.newest = newest
    }
}
