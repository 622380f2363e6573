import GatewayCore

/// Reading and changing entries.
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

    /// Why an entry is currently not sent.
    ///
    /// - Throws: ``QueueError`` with the code ``QueueError/Code/notFound`` if the store has no such entry.
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

    /// Cancels an entry without an attempt in progress.
    ///
    /// - Returns: whether it was cancelled and will not be sent. An attempt in progress is not affected.
    @discardableResult
    public func cancel(_ id: QueueEntry.ID) async throws(QueueError) -> Bool {
        try await cancel(QueueSelection(id)) > 0
    }

    /// Cancels the selected entries without an attempt in progress.
    ///
    /// - Returns: the number of cancelled entries.
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

    /// Cancels the entries with a deduplication key and without an attempt in progress.
    ///
    /// - Returns: the number of cancelled entries.
    @discardableResult
    public func cancel(deduplicationKey: String) async throws(QueueError) -> Int {
        var selection = QueueSelection()
        selection.deduplicationKey = deduplicationKey
        return try await cancel(selection)
    }

    /// Cancels the entries that were enqueued at least `age` ago and have no attempt in progress.
    ///
    /// - Returns: the number of cancelled entries.
    @discardableResult
    public func cancel(olderThan age: Duration) async throws(QueueError) -> Int {
        var selection = QueueSelection()
        selection.createdBefore = now.adding(.zero - age)
        return try await cancel(selection)
    }

    /// Retries an entry that is postponed, waits for the clock (``QueueWaitReason/clock(behind:)``), is
    /// ambiguous, or is poison. In the latter three cases its time to live restarts.
    ///
    /// The same bytes and the same idempotency key are sent. A server that does not support idempotency
    /// keys, or no longer knows this one, may perform the operation again if it has done so before, which is
    /// likely after a 303 and possible after a 301 or 302.
    ///
    /// - Returns: whether it now waits to be sent.
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

    /// Resumes an account after it has signed in.
    ///
    /// - Parameters:
    ///   - account: the account; `nil` for the account of the configuration.
    ///   - newName: the new name of the account and of its entries that have not ended; `nil` keeps the
    ///     name.
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
