import GatewayCore
import Synchronization

/// The loop.
extension QueueDrain {
    /// How often a store that fails is tried again when the queue stops.
    private static let mostTriesAtEnd = 3
    /// How long the loop waits at most for a time of the wall clock without looking at it.
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

    /// Uses the store. After a failure it rests for a while, and is not used.
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

    /// Whether the store rests after a failure. At the end it does not: what is not stored then stays leased.
    private var isResting: Bool { !isAtEnd && (storeFailure.map { clock.now < $0.until } ?? false) }

    /// Whether nothing is left to do but to store how attempts ended.
    private var isAtEnd: Bool { isStopping && running.isEmpty && ready.isEmpty }

    /// Stores how attempts ended, leases entries if there may be some that can be sent, and then tells how attempts ended:
    /// one transaction for all.
    func exchange() async {
        guard !isGathering(at: clock.now) else { return }
        if !isResting { await readWhatStands() }
        let batch = isResting ? [] : ended
        // With their ends the same entries, and those behind them, can be leased.
        if !batch.isEmpty { hasNews = true }
        let request = leaseRequest(at: clock.now)
        guard !batch.isEmpty || request != nil else { return }
        ended.removeFirst(batch.count)
        let (completions, now, busy) = (batch.map(\.completion), wallNow, busyOrigins)
        let exchange = await withStore { [writer] (store) throws(QueueError) in
            // Before the lease, and on the same thread: what has no ticket is not sent.
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
            // All that was leased before is on its way: more at a time.
            if ready.isEmpty { leaseSize = min(leaseSize * 4, Self.mostReady) }
        }
        add(leases)
        if let request { endTurns(after: request, of: busy, leases.count) }
        gathersUntil = clock.now.adding(Self.gatherTime)
        startSends()
        for (index, (result, isOurs)) in zip(batch, exchange.ended).enumerated() {
            // Between them others may send.
            if index % 32 == 31 { await Task.yield() }
            tell(result, isOurs: isOurs)
        }
        tellSetAside(exchange.leased)
        // Those that are not ours have ended otherwise, or are lost.
        let strays = zip(batch, exchange.ended).filter { !$0.1 }.map { $0.0 }
        if !strays.isEmpty { await settleOpenTickets(strays) }
    }

    /// Takes what was leased.
    private func add(_ leases: [QueueLease]) {
        let refused = Set(
            ended.lazy.filter { $0.completion.result == .parked }.compactMap(\.completion.lease.item.account))
        // After a recovery an entry may be leased again whose attempt is in progress, or at hand.
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

    /// Whether the store is not used now, so that its next transaction ends more attempts: it has just been used, and enough
    /// is at hand.
    private func isGathering(at now: ContinuousClock.Instant) -> Bool {
        guard let gathersUntil, now < gathersUntil, !isStopping else { return false }
        return ready.count >= max(Self.leastAtHand, leaseSize / 2)
    }

    /// What is leased now; `nil` if nothing can be sent, or enough is at hand.
    private func leaseRequest(at now: ContinuousClock.Instant) -> QueueLeaseRequest? {
        guard hasNews, hold(at: now) == nil, ready.count < leaseSize,
            ready.reduce(0, { $0.addingClamped($1.lease.item.body.count) }) < Self.mostReadyBytes
        else { return nil }
        var request = QueueLeaseRequest(
            count: leaseSize - ready.count, owner: ownership.owner, now: wallNow)
        request.ageing = configuration.ageing
        request.isNewestFirst = configuration.isNewestFirst
        request.skippedAccounts = Set(heldAccounts.filter { now < $0.value.until }.keys)
        // Those that fail have no place in the window before others.
        let failing = failing
        request.skippedOrigins = gate.closedOrigins(
            ready: ready.lazy.filter { failing[$0.lease.id] == nil }.map(\.origin), at: now)
        request.skippedEntries = entriesBehindOthers
        hasNews = false
        return request
    }

    // MARK: Attempts

    /// Gives entries back that cannot be sent now, or not soon.
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
        // Not less than the window: the same entries would be leased again.
        var kept: [Origin: Int] = [:]
        let areLate = giveBack(nil) { entry in
            guard entry.since < oldest else { return false }
            kept[entry.origin, default: 0] += 1
            return kept[entry.origin, default: 0] > gate.window(of: entry.origin)
        }
        if areLate { leaseSize = max(configuration.concurrency, leaseSize / 4) }
    }

    /// Gives entries at hand back.
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

    /// Sends what is leased, as far as there is room.
    func startSends() {
        guard !ready.isEmpty, gate.inFlight < gate.concurrency else { return }
        let now = clock.now
        guard hold(at: now) == nil else { return }
        let time = wallNow
        // Those whose origin has no room keep their place.
        var blocked: [AtHand] = []
        while gate.inFlight < gate.concurrency, let next = ready.popFirst() {
            let lease = next.lease
            if lease.expires <= time {
                ended.append(QueueSender.released(lease, nil))
                wakes.yield()
            } else if mayBegin(lease.id), gate.begin(next.origin, at: now) {
                // Detached: it has neither the deadline nor the priority of the task that woke the loop.
                note(lease, isSentBy: Task.detached { [self] in await send(lease) }, at: now)
            } else {
                blocked.append(next)
            }
        }
        if !blocked.isEmpty { ready = (blocked + ready)[...] }
    }

    /// Makes one attempt after the other.
    private nonisolated func send(_ first: QueueLease) async {
        var next: QueueLease? = first
        while let lease = next { next = await ended(await sender.send(lease)) }
    }

    /// Notes how an attempt ended.
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
        // A task that was given up would give the next attempt up, too.
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
            // A response within the pause is that of an attempt which began before it.
            heldAccounts[account] = nil
        }
        guard result.completion.result == .parked else { return }
        parkedAs[account] = .some(result.identity)
        // What is at hand would be sent with the login that was just refused.
        giveBack(nil) { $0.lease.item.account == account }
    }

    // MARK: Time

    /// Notes what has become due since the last round.
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
    /// - Parameter start: when the round began: what has become due since then is for the next one.
    private func armTimer(since start: ContinuousClock.Instant) {
        var openings = [gate.nextEnd(after: start), opensAt, storeFailure?.until].compactMap { $0 }
        openings += heldAccounts.values.map(\.until)
        if !ready.isEmpty, let next = gate.nextLongAttempt(after: start) { openings.append(next) }
        opening = openings.filter { start < $0 }.min()
        let now = clock.now
        let gathered = isGathering(at: now) ? gathersUntil : nil
        // Attempts have ended, and the time for gathering them is over: the next round stores them.
        if gathered == nil, !ended.isEmpty, !isResting { wakes.yield() }
        guard let first = [opening, nextCheck, gathered, wallDue].compactMap({ $0 }).min() else { return }
        if let timer, timer.due <= first, clock.now < timer.due { return }
        timer?.task.cancel()
        timer = (first, clock.alarm(at: first) { [weak self] in self?.wakeForTime() })
    }

    /// When the wall clock is looked at: when something is due by it, and before that from time to time, since it may be set.
    private var wallDue: ContinuousClock.Instant? {
        guard let due = [nextDue, clockDue].compactMap({ $0 }).min() else { return nil }
        return clock.now.adding(min(max(.zero, due.since(wallNow)), Self.longestWallWait))
    }

    private nonisolated func wakeForTime() { wakes.yield() }
}
