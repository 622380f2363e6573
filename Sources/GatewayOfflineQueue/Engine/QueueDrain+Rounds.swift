import GatewayCore
import Synchronization

/// The loop.
extension QueueDrain {
    /// The maximum number of retries of a failing store when the queue stops.
    private static let mostTriesAtEnd = 3
    /// The maximum wait before the wall clock is read again.
    private static let longestWallWait = Duration.seconds(60)

    /// Runs rounds until the queue is stopped and nothing is in progress.
    func run() async {
        var triesAtEnd = 0
        for await _ in rounds {
            await round()
            guard isAtEnd else {
                triesAtEnd = 0
                continue
            }
            if ended.isEmpty, !writer.isInDoubt { break }
            triesAtEnd += 1
            if storeFailure != nil, triesAtEnd > Self.mostTriesAtEnd { break }
            wakes.yield()
        }
        isStarted = false
        timer?.task.cancel()
        timer = nil
        for waiter in endWaiters { waiter.resume() }
        endWaiters = []
    }

    private func round() async {
        let start = clock.now
        noteTime(start)
        if added.exchange(false, ordering: .acquiring) {
            hasNews = true
            nextCheck = nextCheck.map { min($0, clock.now.adding(configuration.checkInterval)) }
        }
        giveBack()
        await checkIfDue()
        await exchange()
        startSends()
        await answerQuietWaiters()
        tellLoss()
        armTimer(since: start)
    }

    /// Why nothing is sent.
    func hold(at now: ContinuousClock.Instant) -> QueueStatus.Hold? {
        guard isStarted, !isStopping else { return .stopped }
        if isLost { return .fileLost }
        if let network {
            let condition = network.condition
            if !condition.isOnline || condition.isInterrupted { return .offline }
            if condition.quality < configuration.minimumQuality { return .poorNetwork }
        }
        if let opensAt, now < opensAt { return .reconnecting }
        if let storeFailure, now < storeFailure.until { return .storeFailed(storeFailure.code) }
        return nil
    }

    // MARK: Store

    /// Uses the store. After a failure it is not used during a pause.
    func withStore<Value: Sendable>(
        _ body: @escaping @Sendable (any QueueStore) throws(QueueError) -> Value
    ) async -> Value? {
        guard !isResting else { return nil }
        do throws(QueueError) {
            let value = try await writer.perform(body)
            endStoreFailure()
            return value
        } catch {
            noteStoreFailure(error)
            return nil
        }
    }

    /// Whether the store is not used after a failure. There is no pause at the end: entries whose end cannot
    /// be stored then remain leased.
    private var isResting: Bool { !isAtEnd && (storeFailure.map { clock.now < $0.until } ?? false) }

    /// Whether only the ends of attempts are left to store.
    private var isAtEnd: Bool { isStopping && running.isEmpty && ready.isEmpty }

    /// Stores the ends of attempts, leases entries if any may be sendable, and then completes tickets, in
    /// one transaction.
    func exchange() async {
        guard !isGathering(at: clock.now) else { return }
        if !isResting { await readWhatStands() }
        let batch = isResting ? [] : ended
        // After their ends the same entries, and those behind them, can be leased.
        if !batch.isEmpty { hasNews = true }
        let request = leaseRequest(at: clock.now)
        guard !batch.isEmpty || request != nil else { return }
        ended.removeFirst(batch.count)
        let (completions, now, busy) = (batch.map(\.completion), wallNow, busyOrigins)
        let exchange = await withStore { [writer] (store) throws(QueueError) in
            // Before the lease, and on the same thread: entries without a ticket must not be sent.
            try writer.cancelRefused(store)
            if let request { return try store.exchange(completions, for: request) }
            return QueueExchange(
                ended: try store.finish(completions, now: now), leased: QueueLeaseResult())
        }
        guard let exchange else {
            ended = batch + ended
            return
        }
        let leases = exchange.leased.leases
        if request != nil { clockDue = exchange.leased.newest }
        if let request, leases.count == request.count {
            hasNews = true
            // All leased entries have been sent: lease more at a time.
            if ready.isEmpty { leaseSize = min(leaseSize * 4, Self.mostReady) }
        }
        add(leases)
        if let request { endTurns(after: request, of: busy, leases.count) }
        gathersUntil = clock.now.adding(Self.gatherTime)
        startSends()
        for (index, (result, isOurs)) in zip(batch, exchange.ended).enumerated() {
            // Let other tasks continue in between.
            if index % 32 == 31 { await Task.yield() }
            tell(result, isOurs: isOurs)
        }
        tellSetAside(exchange.leased)
        // Ends that the store did not accept: their entries ended otherwise, or are lost.
        let strays = zip(batch, exchange.ended).filter { !$0.1 }.map { $0.0 }
        if !strays.isEmpty { await settleOpenTickets(strays) }
    }

    /// Adds leased entries.
    private func add(_ leases: [QueueLease]) {
        let refused = Set(
            ended.lazy.filter { $0.completion.result == .parked }.compactMap(\.completion.lease.item.account))
        // After a recovery an entry may be leased again whose attempt is leased or in progress.
        let again = Set(leases.lazy.map(\.id)).intersection(ready.lazy.map(\.lease.id))
        if !again.isEmpty { ready.removeAll { again.contains($0.lease.id) } }
        let now = clock.now
        for lease in leases {
            if running[lease.id] != nil || lease.item.account.map(refused.contains) ?? false {
                ended.append(QueueSender.released(lease, nil))
            } else {
                ready.append(AtHand(lease: lease, since: now))
            }
        }
        makeWay()
    }

    /// Whether to delay the next transaction, so that it ends more attempts: the store has just been used,
    /// and enough entries are leased.
    private func isGathering(at now: ContinuousClock.Instant) -> Bool {
        guard let gathersUntil, now < gathersUntil, !isStopping else { return false }
        return ready.count >= max(Self.leastAtHand, leaseSize / 2)
    }

    /// The entries to lease now; `nil` if nothing can be sent, or enough entries are leased.
    private func leaseRequest(at now: ContinuousClock.Instant) -> QueueLeaseRequest? {
        guard hasNews, hold(at: now) == nil, ready.count < leaseSize,
            ready.reduce(0, { $0.addingClamped($1.lease.item.body.count) }) < Self.mostReadyBytes
        else { return nil }
        var request = QueueLeaseRequest(
            count: leaseSize - ready.count, owner: ownership.owner, now: wallNow)
        request.ageing = configuration.ageing
        request.isNewestFirst = configuration.isNewestFirst
        request.skippedAccounts = Set(heldAccounts.filter { now < $0.value.until }.keys)
        // Failing entries do not use the window while others wait.
        let failing = failing
        request.skippedOrigins = gate.closedOrigins(
            ready: ready.lazy.filter { failing[$0.lease.id] == nil }.map(\.origin), at: now)
        request.skippedEntries = entriesBehindOthers
        hasNews = false
        return request
    }

    // MARK: Attempts

    /// Returns leased entries that cannot be sent soon to the store.
    private func giveBack() {
        let now = clock.now
        if let hold = hold(at: now) {
            giveBack(hold.description) { _ in true }
            leaseSize = configuration.concurrency
            return
        }
        if !heldAccounts.isEmpty || gate.nextEnd(after: now) != nil {
            let areHeld = giveBack(nil) { entry in
                gate.heldUntil(entry.origin, at: now) != nil
                    || (entry.lease.item.account.flatMap { heldAccounts[$0] }.map { now < $0.until } ?? false)
            }
            if areHeld { leaseSize = configuration.concurrency }
        }
        if !busyOrigins.isEmpty { giveBack(nil) { isBehindOthers($0.lease.id) } }
        makeWay()
        let oldest = now.adding(.zero - Self.longestAtHand)
        guard let first = ready.first, first.since < oldest else { return }
        // At least the size of the window, because the same entries would be leased again.
        var kept: [Origin: Int] = [:]
        let areLate = giveBack(nil) { entry in
            guard entry.since < oldest else { return false }
            kept[entry.origin, default: 0] += 1
            return kept[entry.origin, default: 0] > gate.window(of: entry.origin)
        }
        if areLate { leaseSize = max(configuration.concurrency, leaseSize / 4) }
    }

    /// Returns leased entries to the store.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    private func giveBack(_ reason: String?, where isMeant: (AtHand) -> Bool) -> Bool {
        let count = ready.count
        ready.removeAll { entry in
            guard isMeant(entry) else { return false }
            ended.append(QueueSender.released(entry.lease, reason))
            return true
        }
        return ready.count < count
    }

    /// Sends leased entries, as permits are available.
    func startSends() {
        guard !ready.isEmpty, gate.inFlight < gate.concurrency else { return }
        let now = clock.now
        guard hold(at: now) == nil else { return }
        let time = wallNow
        // Entries of an origin without a permit keep their position.
        var blocked: [AtHand] = []
        while gate.inFlight < gate.concurrency, let next = ready.popFirst() {
            let lease = next.lease
            if lease.expires <= time {
                ended.append(QueueSender.released(lease, nil))
                wakes.yield()
            } else if mayBegin(lease.id), gate.begin(next.origin, at: now) {
                // Detached, so that it does not inherit the deadline and the priority of the task that woke
                // the loop.
                note(lease, isSentBy: Task.detached { [self] in await send(lease) }, at: now)
            } else {
                blocked.append(next)
            }
        }
        if !blocked.isEmpty { ready = (blocked + ready)[...] }
    }

    /// Makes attempts one after the other.
    private nonisolated func send(_ first: QueueLease) async {
        var next: QueueLease? = first
        while let lease = next { next = await ended(await sender.send(lease)) }
    }

    /// Records the end of an attempt.
    ///
    /// - Returns: what its task sends next; `nil` if the task ends.
    private func ended(_ result: QueueSender.Result) -> QueueLease? {
        let lease = result.completion.lease
        let now = clock.now
        let attempt = running.removeValue(forKey: lease.id)
        gate.end(
            lease.item.origin, result.effect, began: attempt?.since, at: now, random: configuration.random)
        noteFailure(result)
        ended.append(result)
        if let account = lease.item.account { note(result, of: account) }
        untold.insert(lease.id)
        if !isGathering(at: now) { wakes.yield() }
        // The next attempt of a cancelled task would be cancelled too.
        guard let task = attempt?.task, !task.isCancelled, let next = ready.first?.lease,
            hold(at: now) == nil, wallNow < next.expires, mayBegin(next.id),
            gate.begin(next.item.origin, at: now)
        else {
            startSends()
            return nil
        }
        ready.removeFirst()
        note(next, isSentBy: task, at: now)
        startSends()
        return next
    }

    private func note(_ result: QueueSender.Result, of account: QueueAccount) {
        if result.lacksCredential {
            let pause = min((heldAccounts[account]?.pause ?? .milliseconds(500)) * 2, .seconds(60))
            heldAccounts[account] = AccountHold(
                identity: result.identity, until: clock.now.adding(pause), pause: pause)
        } else if let hold = heldAccounts[account], hold.until <= clock.now,
            result.response != nil || result.error?.status != nil
        {
            // A response during the pause belongs to an attempt that began before it.
            heldAccounts[account] = nil
        }
        guard result.completion.result == .parked else { return }
        parkedAs[account] = .some(result.identity)
        // Leased entries would be sent with the login that was just rejected.
        giveBack(nil) { $0.lease.item.account == account }
    }

    // MARK: Time

    /// Records what has become due since the last round.
    private func noteTime(_ now: ContinuousClock.Instant) {
        if let opening, opening <= now {
            self.opening = nil
            hasNews = true
        }
        if let opensAt, opensAt <= now { self.opensAt = nil }
        if let nextDue, nextDue <= wallNow {
            self.nextDue = nil
            hasNews = true
        }
        if let clockDue, clockDue <= wallNow {
            self.clockDue = nil
            hasNews = true
        }
    }

    /// Wakes the loop when something is due.
    ///
    /// - Parameter start: when the round began: what becomes due after that is handled in the next round.
    private func armTimer(since start: ContinuousClock.Instant) {
        var openings = [gate.nextEnd(after: start), opensAt, storeFailure?.until].compactMap { $0 }
        openings += heldAccounts.values.map(\.until)
        if !ready.isEmpty, let next = gate.nextLongAttempt(after: start) { openings.append(next) }
        opening = openings.filter { start < $0 }.min()
        let now = clock.now
        let gathered = isGathering(at: now) ? gathersUntil : nil
        // Attempts have ended, and the delay for gathering them has passed: the next round stores them.
        if gathered == nil, !ended.isEmpty, !isResting { wakes.yield() }
        guard let first = [opening, nextCheck, gathered, wallDue].compactMap({ $0 }).min() else { return }
        if let timer, timer.due <= first, clock.now < timer.due { return }
        timer?.task.cancel()
        timer = (first, clock.alarm(at: first) { [weak self] in self?.wakeForTime() })
    }

    /// When to read the wall clock: when an entry is due by it, and periodically before, because it may be
    /// set.
    private var wallDue: ContinuousClock.Instant? {
        guard let due = [nextDue, clockDue].compactMap({ $0 }).min() else { return nil }
        return clock.now.adding(min(max(.zero, due.since(wallNow)), Self.longestWallWait))
    }

    private nonisolated func wakeForTime() { wakes.yield() }
}
