/// Selects entries to list or cancel. An entry must match all criteria.
public struct QueueSelection: Hashable, Sendable {
    /// The entries with these identifiers; `nil` for all.
    public var ids: Set<QueueEntry.ID>?
    /// The entries with this deduplication key; `nil` for all.
    public var deduplicationKey: String?
    /// The entries of this account; `nil` for all.
    public var account: QueueAccount?
    /// The entries that were enqueued before a time; `nil` for all.
    public var createdBefore: QueueTime?
    /// The entries in these states; `nil` for all.
    public var states: Set<QueueEntry.State>?
    /// The maximum number of entries, the oldest first; `nil` for all.
    public var limit: Int?

    /// Selects all entries.
    public init() {}

    /// Selects one entry.
    public init(_ id: QueueEntry.ID) { ids = [id] }

    func contains(_ entry: QueueEntry, deduplicationKey key: String?) -> Bool {
        if let ids, !ids.contains(entry.id) { return false }
        if let deduplicationKey, deduplicationKey != key { return false }
        if let account, account != entry.account { return false }
        if let createdBefore, entry.created >= createdBefore { return false }
        if let states, !states.contains(entry.state) { return false }
        return true
    }
}
