import GatewayCore

/// Periodic checks.
extension QueueDrain {
    /// The interval at which final entries are removed.
    private static let pruneInterval = Duration.seconds(600)

    /// Checks for changes by other processes, ended owners, entries that expire, and accounts that have
    /// signed in.
    func checkIfDue() async {
        let now = clock.now
        guard nextCheck.map({ $0 <= now }) ?? true else { return }
        await check()
    }

    func check() async {
        let read = await withStore { (store) throws(QueueError) in
            (try store.foreignVersion(), try store.outlook(), store.takeRecoveries())
        }
        guard let (version, outlook, recoveries) = read else {
            // Not before the store's pause ends: a time in the past would wake the loop immediately.
            nextCheck = storeFailure?.until
            return
        }
        note(recoveries)
        let isFirst = foreignVersion == nil
        if version != foreignVersion {
            foreignVersion = version
            hasNews = true
            await settleOpenTickets()
        }
        let parked = outlook.counts[.parked, default: 0] - counts[.parked, default: 0]
        if !isFirst, parked > 0 { record(.moved(parked, to: QueueEntry.State.parked.name)) }
        counts = outlook.counts
        nextDue = outlook.nextDue
        noteClock(outlook.newest)
        await lowerNewest(outlook)
        await reclaim(from: outlook.owners)
        await expire(outlook)
        await resumeAccounts(outlook.parkedAccounts)
        await endHoldsOfNewLogins()
        await prune()
        publish()
        let isIdle = status.queued == 0
        // Checks that a failed store has not made are due after its pause.
        nextCheck = storeFailure?.until ?? clock.now.adding(configuration.checkInterval * (isIdle ? 10 : 1))
    }

    /// Returns the attempts of ended owners to the queue.
    private func reclaim(from owners: Set<QueueOwner>) async {
        let dead = owners.filter { $0 != ownership.owner && ownership.hasEnded($0) }
        guard !dead.isEmpty else { return }
        let now = wallNow
        let reclaimed = await withStore { (store) throws(QueueError) in
            try store.reclaim(from: dead, now: now)
        }
        guard let reclaimed, !reclaimed.isEmpty else { return }
        hasNews = true
        record(.reclaimed(reclaimed.count))
    }

    private func expire(_ outlook: QueueOutlook) async {
        let now = wallNow
        guard let next = outlook.nextExpiry, next <= now else { return }
        let expired = await withStore { (store) throws(QueueError) in try store.expire(now: now) }
        settle(expired ?? [], as: .expired)
    }

    /// Resumes parked accounts whose login has changed, and once those that were parked before the process
    /// started.
    private func resumeAccounts(_ parked: Set<QueueAccount>) async {
        for account in parked {
            var identity: CredentialIdentity?
            if configuration.hasCredentials {
                guard let source = await configuration.currentCredential(of: account) else { continue }
                identity = source.identity
            }
            guard let known = parkedAs[account] else {
                if await resume(account) { parkedAs[account] = .some(identity) }
                continue
            }
            if let known, let identity, known != identity {
                await resume(account)
            } else if known == nil {
                parkedAs[account] = .some(identity)
            }
        }
    }

    /// Ends the pauses of accounts that have signed in since.
    private func endHoldsOfNewLogins() async {
        guard configuration.hasCredentials else { return }
        for (account, hold) in heldAccounts {
            guard let source = await configuration.currentCredential(of: account),
                source.identity != hold.identity
            else { continue }
            heldAccounts[account] = nil
            hasNews = true
        }
    }

    /// Resumes an account.
    ///
    /// - Returns: whether the store has recorded it.
    @discardableResult
    private func resume(_ account: QueueAccount) async -> Bool {
        let now = wallNow
        let count = await withStore { (store) throws(QueueError) in
            try store.resume(account, as: nil, now: now)
        }
        if let count { noteResumed(account, as: nil, count) }
        return count != nil
    }

    /// Records that entries of an account wait again.
    func noteResumed(_ account: QueueAccount, as newName: QueueAccount?, _ count: Int) {
        heldAccounts[account] = nil
        if let newName { heldAccounts[newName] = nil }
        hasNews = true
        if count > 0 { record(.moved(count, to: QueueEntry.State.waiting.name)) }
        wakes.yield()
    }

    private func prune() async {
        let now = clock.now
        guard nextPrune.map({ $0 <= now }) ?? true else { return }
        let time = wallNow.adding(.zero - configuration.keepsFinal)
        let removed = await withStore { (store) throws(QueueError) in try store.prune(changedBefore: time) }
        if removed != nil { nextPrune = now.adding(Self.pruneInterval) }
    }

    /// Completes tickets whose entries other processes have ended, or whose file was changed.
    ///
    /// - Parameter strays: results of attempts that the store no longer knows.
    func settleOpenTickets(_ strays: [QueueSender.Result] = []) async {
        let open = board.open
        guard !open.isEmpty else { return }
        var selection = QueueSelection()
        selection.ids = open
        let fixed = selection
        let read = await withStore { (store) throws(QueueError) in
            (try store.entries(fixed), store.takeRecoveries())
        }
        // After a failure the entries are read again later.
        guard let (entries, recoveries) = read else { return }
        note(recoveries)
        for entry in entries { settle(entry) }
        let lost = open.subtracting(entries.map(\.id))
        guard !lost.isEmpty else { return }
        for result in strays where lost.contains(result.completion.lease.id) { tellStray(result) }
        // Entries that are leased or being sent are completed when their attempt has ended.
        let atHand = Set(ready.map(\.lease.id))
        for id in lost where running[id] == nil && !untold.contains(id) && !atHand.contains(id) {
            board.lose(id, whyMissing(id))
        }
    }
}
