public import GatewayCore

/// Stores the entries of a queue. Each requirement is one transaction: it is committed and durable when it returns. If
/// it throws, it is committed as a whole or not at all, and the engine reads the store to find out, because a disk can
/// fail after a commit. Everything that the next transaction reads is durable when that one returns.
///
/// A store blocks and is used by one thread. Several stores, also in several processes, may share a file.
///
/// An error with the code ``QueueError/Code/lost``, ``QueueError/Code/corrupt`` or
/// ``QueueError/Code/unsupportedVersion`` means that no entry can be read any more: the waiting callers get this error.
///
/// All times are wall-clock times, which may jump. A store records the newest time that was passed to it. While the
/// clock is behind that time, nothing expires, and an entry that the server may have received is not leased, because
/// its age is unknown.
public protocol QueueStore: AnyObject {
    /// Registers an engine that sends entries of the store.
    func join(_ random: any RandomSource) throws(QueueError) -> any QueueOwnership

    /// A number that changes when another store with the same file has changed the file.
    func foreignVersion() throws(QueueError) -> Int64

    /// The recoveries of damaged files since the last call. Defaults to none.
    func takeRecoveries() -> [QueueRecovery]

    /// Adds entries, in order.
    ///
    /// An entry is a duplicate if another entry of its account has the same deduplication key and is active
    /// (``QueueEntry/State-swift.struct/isActive``) but not being sent, unless it supersedes that one; or if an active
    /// or completed entry for the same origin has the same idempotency key. If that one has another method, target or
    /// body, the two conflict, and nothing is stored. A superseded entry must be pending
    /// (``QueueEntry/State-swift.struct/isPending``); while an attempt of it is in progress, or when it is ambiguous,
    /// the later one is stored as well.
    ///
    /// - Returns: the result for each item.
    func insert(_ items: [QueueItem], limits: QueueLimits, now: QueueTime) throws(QueueError)
        -> [QueueInsertion]

    /// Leases waiting entries by priority, the oldest first. Before that, postponed entries that are due become
    /// waiting.
    ///
    /// Not leased are entries that are skipped, those of parked or skipped accounts and of skipped origins, those that
    /// have expired, and those with an earlier active entry of the same account and ordering key. Waiting entries that
    /// the server may have received and whose repeat window has ended become ambiguous. A store may lease fewer entries
    /// than requested if they are large, but at least one.
    ///
    /// - Returns: the leases, and all entries that became ambiguous or poison or were postponed, so that the engine can
    ///   notify the callers that wait for them.
    func lease(_ request: QueueLeaseRequest) throws(QueueError) -> QueueLeaseResult

    /// Ends attempts.
    ///
    /// - Returns: for each completion, whether it was the owner's attempt and still in progress. If not, nothing is
    ///   changed.
    func finish(_ completions: [QueueCompletion], now: QueueTime) throws(QueueError) -> [Bool]

    /// Ends attempts, then leases entries, in one transaction if the store supports that. Defaults to two transactions.
    func exchange(
        _ completions: [QueueCompletion], for request: QueueLeaseRequest
    ) throws(QueueError) -> QueueExchange

    /// Returns the unfinished attempts of ended owners to the queue. The server may have received them. If there are
    /// none, nothing is changed, and the time is not recorded.
    func reclaim(from owners: Set<QueueOwner>, now: QueueTime) throws(QueueError) -> [QueueEntry.ID]

    /// Returns the leases that an owner does not know, because their transaction threw although it was committed. None
    /// of these attempts was made. Does nothing by default, for stores that change nothing if they throw.
    ///
    /// - Parameter isKnown: whether the owner knows an attempt, by the entry and the number of the attempt.
    /// - Returns: the entries that wait again.
    func giveBack(
        of owner: QueueOwner, now: QueueTime, unless isKnown: (QueueEntry.ID, Int) -> Bool
    ) throws(QueueError) -> [QueueEntry.ID]

    /// Expires pending entries whose time to live has ended.
    func expire(now: QueueTime) throws(QueueError) -> [QueueEntry.ID]

    /// Cancels the selected entries that are pending, ambiguous or poison.
    func cancel(_ selection: QueueSelection, now: QueueTime) throws(QueueError) -> [QueueEntry.ID]

    /// Makes an entry wait that is postponed, ambiguous or poison, or that is waiting and not leased because the clock
    /// is behind the newest time. All except a postponed one are sent as if they had not been sent before, and their
    /// time to live restarts.
    ///
    /// - Returns: whether it waits now.
    func retry(_ id: QueueEntry.ID, now: QueueTime) throws(QueueError) -> Bool

    /// Resumes a parked account. With a new name, that account is resumed, too, and gets all pending, ambiguous and
    /// poison entries of the first one.
    ///
    /// - Returns: the number of entries that wait again.
    func resume(
        _ account: QueueAccount, as newName: QueueAccount?, now: QueueTime
    ) throws(QueueError) -> Int

    /// Lowers the newest time if it is later, because the clock was wrong. Later times of entries are moved
    /// back by the same amount, so that they are sent, retried and expired as with a correct clock. Does
    /// nothing by default.
    func lowerNewest(to time: QueueTime) throws(QueueError)

    /// The next work of the queue.
    func outlook() throws(QueueError) -> QueueOutlook

    /// The earlier active entry of the same account and ordering key that an entry waits for; `nil` if there is none.
    func predecessor(of id: QueueEntry.ID) throws(QueueError) -> QueueEntry.ID?

    /// Removes final entries that changed before a time.
    ///
    /// - Returns: the number of removed entries.
    func prune(changedBefore time: QueueTime) throws(QueueError) -> Int

    /// The selected entries, the oldest first.
    func entries(_ selection: QueueSelection) throws(QueueError) -> [QueueEntry]

    /// The number of entries in each state that has any.
    func counts() throws(QueueError) -> [QueueEntry.State: Int]
}

extension QueueStore {
    /// None.
    public func takeRecoveries() -> [QueueRecovery] { [] }

    /// Nothing.
    public func giveBack(
        of owner: QueueOwner, now: QueueTime, unless isKnown: (QueueEntry.ID, Int) -> Bool
    ) throws(QueueError) -> [QueueEntry.ID] { [] }

    /// Nothing.
    public func lowerNewest(to time: QueueTime) throws(QueueError) {}

    /// For each item, whether it is in the store after an insertion that threw; `nil` if it is not.
    func find(_ items: [QueueItem], now: QueueTime) throws(QueueError) -> [QueueInsertion?] {
        // With limits of zero nothing is added, and only stored entries are found.
        let found = try insert(items, limits: QueueLimits(count: 0, bytes: 0), now: now)
        var selection = QueueSelection()
        selection.ids = []
        for case .duplicate(let id) in found { selection.ids?.insert(id) }
        let entries = try entries(selection)
        return zip(items, found).map { (item, insertion) -> QueueInsertion? in
            guard case .duplicate(let id) = insertion else { return nil }
            let isNew = entries.contains { $0.id == id && $0.created == item.created && $0.attempts == 0 }
            return isNew ? .stored(id, superseded: [], dropped: []) : insertion
        }
    }

    /// Ends attempts, then leases entries.
    public func exchange(
        _ completions: [QueueCompletion], for request: QueueLeaseRequest
    ) throws(QueueError) -> QueueExchange {
        QueueExchange(ended: try finish(completions, now: request.now), leased: try lease(request))
    }
}

/// The result of an insertion.
@nonexhaustive
public enum QueueInsertion: Hashable, Sendable {
    /// It is stored. Other entries were superseded by it, or dropped to make space.
    case stored(QueueEntry.ID, superseded: [QueueEntry.ID], dropped: [QueueEntry.ID])
    /// It is not stored: it is a duplicate of this entry.
    case duplicate(QueueEntry.ID)
    /// It is not stored: this entry has the same idempotency key and another method, target or body.
    case conflict(QueueEntry.ID)
    /// It is not stored: the limits do not allow it.
    case full
}
