public import GatewayCore

/// Where entries are kept. Each requirement is one transaction: it is kept as a whole and durable when it returns. If it throws
/// it is kept as a whole or not at all, and the engine reads which: a disk can fail after a commit stands. What the next
/// transaction finds is durable when that one returns.
///
/// A store blocks, and belongs to one thread. Several stores, in several processes, may share a file.
///
/// An error with the code ``QueueError/Code/lost``, ``QueueError/Code/corrupt`` or ``QueueError/Code/unsupportedVersion`` says that
/// no entry can be read any more: those who wait for entries are told.
///
/// All times are of the wall clock, which may jump. A store remembers the newest time that it was given: while the clock is
/// behind it, nothing expires, and an entry that the server may have received is not leased, since its age is not known.
public protocol QueueStore: AnyObject {
    /// Begins the life of an engine that sends entries of the store.
    func join(_ random: any RandomSource) throws(QueueError) -> any QueueOwnership

    /// A number that changes when another store, which shares the file, has changed something.
    func foreignVersion() throws(QueueError) -> Int64

    /// What became of damaged files since this was called last; none by default.
    func takeRecoveries() -> [QueueRecovery]

    /// Adds entries, in their order.
    ///
    /// An entry is a duplicate if another entry of its account has the same deduplication key and is active
    /// (``QueueEntry/State-swift.struct/isActive``) but not being sent, unless it supersedes that one; or if an active or
    /// completed entry for the same origin has the same idempotency key. If that one has another method, target or body, the two
    /// are in conflict, and nothing is stored. A superseded entry must be pending
    /// (``QueueEntry/State-swift.struct/isPending``); while an attempt of it is in progress, or when it is ambiguous, the later
    /// one is stored beside it.
    ///
    /// - Returns: what became of each item.
    func insert(_ items: [QueueItem], limits: QueueLimits, now: QueueTime) throws(QueueError)
        -> [QueueInsertion]

    /// Leases waiting entries, the highest priority and the oldest first. Postponed entries that are due wait again first.
    ///
    /// Not leased are entries that are skipped, those of parked or skipped accounts and of skipped origins, those that have expired,
    /// and those with an earlier active entry of the same account and ordering key. Waiting entries that the server may have
    /// received, and whose repeat window has ended, become ambiguous. A store may lease fewer entries than are wanted if they are
    /// large, but not none.
    ///
    /// - Returns: the leases, and every entry that the lease has set aside or postponed: nobody else tells those who wait for it.
    func lease(_ request: QueueLeaseRequest) throws(QueueError) -> QueueLeaseResult

    /// Ends attempts.
    ///
    /// - Returns: for each whether it was that owner's attempt and still in progress. If not, nothing is changed.
    func finish(_ completions: [QueueCompletion], now: QueueTime) throws(QueueError) -> [Bool]

    /// Ends attempts, then leases entries, in one transaction if the store can. By default in two.
    func exchange(
        _ completions: [QueueCompletion], for request: QueueLeaseRequest
    ) throws(QueueError) -> QueueExchange

    /// Gives the attempts of owners back that ended without finishing them. The server may have received them. If there are
    /// none, nothing is changed: the time is not noted either.
    func reclaim(from owners: Set<QueueOwner>, now: QueueTime) throws(QueueError) -> [QueueEntry.ID]

    /// Gives back what an owner has leased without knowing it, since the transaction threw and was kept all the same. None of
    /// these attempts was made. Does nothing by default, for stores that change nothing if they throw.
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

    /// Makes an entry wait that is postponed, ambiguous or poison, or that waits already and is not leased while the clock is behind
    /// the newest time. All but postponed ones are sent as if nothing of them had been sent before, and have their time to live anew.
    ///
    /// - Returns: whether it waits now.
    func retry(_ id: QueueEntry.ID, now: QueueTime) throws(QueueError) -> Bool

    /// Lets a parked account send again. If another name is given, that account sends again, too, and has all entries of the
    /// first one that are pending, ambiguous or poison.
    ///
    /// - Returns: the number of entries that wait again.
    func resume(
        _ account: QueueAccount, as newName: QueueAccount?, now: QueueTime
    ) throws(QueueError) -> Int

    /// Lowers the newest time, if it is later: the clock was wrong. Times of entries that are later, too, are moved back by the same
    /// distance, so that they are sent, sent again and expire as if it had not been. Does nothing by default.
    func lowerNewest(to time: QueueTime) throws(QueueError)

    /// What comes next.
    func outlook() throws(QueueError) -> QueueOutlook

    /// The earlier active entry of the same account and ordering key that an entry waits for; `nil` if there is none.
    func predecessor(of id: QueueEntry.ID) throws(QueueError) -> QueueEntry.ID?

    /// Removes final entries that changed before a time.
    ///
    /// - Returns: how many were removed.
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

    /// Which items stand in the store after an insertion that threw; `nil` for each that does not.
    func find(_ items: [QueueItem], now: QueueTime) throws(QueueError) -> [QueueInsertion?] {
        // Without room nothing is added, and only entries are found that are there.
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

/// What became of an item.
@nonexhaustive
public enum QueueInsertion: Hashable, Sendable {
    /// It is stored. Others gave way to it: those that it superseded, and those that were dropped.
    case stored(QueueEntry.ID, superseded: [QueueEntry.ID], dropped: [QueueEntry.ID])
    /// It is not stored: this entry stands for it.
    case duplicate(QueueEntry.ID)
    /// It is not stored: this entry has the same idempotency key, and sends something else.
    case conflict(QueueEntry.ID)
    /// It is not stored: the limits do not allow it.
    case full
}
