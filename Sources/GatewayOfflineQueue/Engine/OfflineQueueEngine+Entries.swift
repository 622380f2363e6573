import GatewayCore

/// Looking at entries, and changing what becomes of them.
extension OfflineQueueEngine {
    private var now: QueueTime { QueueTime(configuration.clock) }

    /// The selected entries, the oldest first.
    public func entries(
        _ selection: QueueSelection = QueueSelection()
    ) async throws(QueueError) -> [QueueEntry] {
        try await writer.perform { (store) throws(QueueError) in try store.entries(selection) }
    }

    /// The number of entries in each state that has any.
    public func counts() async throws(QueueError) -> [QueueEntry.State: Int] {
        try await writer.perform { (store) throws(QueueError) in try store.counts() }
    }

    /// Why an entry is not sent at this moment.
    ///
    /// - Throws: ``QueueError`` with the code ``QueueError/Code/notFound`` for an entry that the store does not have.
    public func waitReason(of id: QueueEntry.ID) async throws(QueueError) -> QueueWaitReason {
        let (entry, other, newest) = try await writer.perform { (store) throws(QueueError) in
            (
                try store.entries(QueueSelection(id)).first, try store.predecessor(of: id),
                try store.outlook().newest
            )
        }
        guard let entry else { throw QueueError(.notFound, "The queue has no entry \(id).") }
        let reason = await drain.reason(for: entry, behind: other)
        let now = now
        guard reason == .turn, let newest, entry.waitsForClock(newest, now: now) else { return reason }
        return .clock(behind: newest.since(now))
    }

    /// Cancels an entry that is not being sent at this moment.
    ///
    /// - Returns: whether it was cancelled: it is not sent any more. An attempt in progress is not undone.
    @discardableResult
    public func cancel(_ id: QueueEntry.ID) async throws(QueueError) -> Bool {
        try await cancel(QueueSelection(id)) > 0
    }

    /// Cancels the selected entries that are not being sent at this moment.
    ///
    /// - Returns: how many were cancelled.
    @discardableResult
    public func cancel(_ selection: QueueSelection) async throws(QueueError) -> Int {
        let now = now
        let cancelled = try await writer.perform { (store) throws(QueueError) in
            try store.cancel(selection, now: now)
        }
        await drain.settle(cancelled, as: .cancelled)
        // Another entry may have waited for one of them.
        if !cancelled.isEmpty { drain.wake() }
        return cancelled.count
    }

    /// Cancels the entries with a deduplication key that are not being sent at this moment.
    ///
    /// - Returns: how many were cancelled.
    @discardableResult
    public func cancel(deduplicationKey: String) async throws(QueueError) -> Int {
        var selection = QueueSelection()
        selection.deduplicationKey = deduplicationKey
        return try await cancel(selection)
    }

    /// Cancels the entries that were enqueued so long ago, and are not being sent at this moment.
    ///
    /// - Returns: how many were cancelled.
    @discardableResult
    public func cancel(olderThan age: Duration) async throws(QueueError) -> Int {
        var selection = QueueSelection()
        selection.createdBefore = now.adding(.zero - age)
        return try await cancel(selection)
    }

    /// Sends an entry again that waits for its backoff or for the clock (``QueueWaitReason/clock(behind:)``), is ambiguous, or is
    /// poison. The latter three have their time to live anew.
    ///
    /// It is sent with the same bytes and the same idempotency key. A server that does not know keys, or knows this one no longer,
    /// acts a second time if it has acted before: after a 303 it mostly has, after a 301 or 302 it may have.
    ///
    /// - Returns: whether it waits to be sent now.
    @discardableResult
    public func retry(_ id: QueueEntry.ID) async throws(QueueError) -> Bool {
        let now = now
        // Before it can end again.
        board.reopen(id)
        let isWaiting = try await writer.perform { (store) throws(QueueError) in
            try store.retry(id, now: now)
        }
        if isWaiting {
            await drain.forgetFailure(of: id)
            drain.wake()
        }
        return isWaiting
    }

    /// Lets an account send again, after it has signed in.
    ///
    /// - Parameters:
    ///   - account: the account; `nil` for that of the configuration.
    ///   - newName: the name that the account has from now on; `nil` for the same. Its entries that have not ended get it, too.
    /// - Returns: the number of entries that wait again.
    @discardableResult
    public func resume(
        _ account: QueueAccount? = nil, as newName: QueueAccount? = nil
    ) async throws(QueueError) -> Int {
        try QueueItem.check(account?.name, "account")
        try QueueItem.check(newName?.name, "newName")
        let (account, now) = (account ?? configuration.account, now)
        let count = try await writer.perform { (store) throws(QueueError) in
            try store.resume(account, as: newName, now: now)
        }
        await drain.noteResumed(account, as: newName, count)
        return count
    }
}
