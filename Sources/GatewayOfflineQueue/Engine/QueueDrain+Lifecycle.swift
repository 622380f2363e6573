import GatewayCore
import Synchronization

/// Start, stop, the network, and waiting until no work is left.
extension QueueDrain {
    func start() {
        isWanted = true
        begin()
    }

    /// Stops sending.
    ///
    /// - Parameter limit: how long attempts in progress may take. After it they are abandoned, and their
    ///   entries wait again.
    func stop(within limit: Duration) async {
        isWanted = false
        await end(within: limit)
    }

    /// Begins a drain: entries are sent at least until ``endDrain()``.
    func beginDrain() {
        drains += 1
        begin()
    }

    /// Ends a drain. The queue continues if it is started, or another drain is in progress.
    func endDrain() async {
        drains -= 1
        if drains == 0, !isWanted { await end(within: .zero) }
    }

    private func begin() {
        isStopping = false
        // Resume the callers that wait for the end.
        for waiter in endWaiters { waiter.resume() }
        endWaiters = []
        board.reopen()
        if !isStarted {
            isStarted = true
            wasOnline = network?.condition.isOnline ?? true
            follow()
            loop = Task.detached { [self] in await run() }
        }
        publish()
        wake()
    }

    private func follow() {
        guard let network, watch == nil else { return }
        let conditions = network.conditions()
        watch = Task.detached { [weak self] in
            for await condition in conditions { await self?.networkChanged(condition) }
        }
    }

    private func networkChanged(_ condition: NetworkCondition) {
        let isOnline = condition.isOnline
        if isOnline, !wasOnline {
            gate.restart()
            busyOrigins = []
            opensAt = clock.now.adding(configuration.reconnectJitter * configuration.random.unit())
        }
        wasOnline = isOnline
        hasNews = true
        publish()
        wakes.yield()
    }

    private func end(within limit: Duration) async {
        guard isStarted else { return board.close() }
        isStopping = true
        wakes.yield()
        let alarm = clock.alarm(at: clock.now.adding(limit)) { [weak self] in await self?.giveUp() }
        await withCheckedContinuation { endWaiters.append($0) }
        alarm.cancel()
        // It may have been started again in the meantime.
        guard isStopping, !isStarted else { return }
        watch?.cancel()
        watch = nil
        for waiter in quietWaiters.values { waiter.continuation.resume(returning: true) }
        quietWaiters = [:]
        board.close()
        publish()
    }

    private func giveUp() {
        for attempt in running.values { attempt.task.cancel() }
        wakes.yield()
    }

    // MARK: Quiet

    /// Returns when nothing is left that can be sent before a deadline, or at the deadline.
    ///
    /// - Returns: whether the deadline came first.
    func waitUntilQuiet(_ deadline: Deadline) async -> Bool {
        nextWaiter &+= 1
        let id = nextWaiter
        let alarm = clock.alarm(at: deadline.instant) { [weak self] in
            await self?.endWait(id, isExpired: true)
        }
        defer { alarm.cancel() }
        wake()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                guard !Task.isCancelled else { return continuation.resume(returning: true) }
                quietWaiters[id] = QuietWaiter(deadline: deadline, continuation: continuation)
            }
        } onCancel: {
            Task.detached { [weak self] in await self?.endWait(id, isExpired: true) }
        }
    }

    private func endWait(_ id: UInt64, isExpired: Bool) {
        quietWaiters.removeValue(forKey: id)?.continuation.resume(returning: isExpired)
    }

    func answerQuietWaiters() async {
        guard !quietWaiters.isEmpty, isQuiet else { return }
        // Only the store knows what is due next, and only a lease determines whether nothing can be sent.
        let now = clock.now
        await check()
        hasNews = true
        await exchange()
        startSends()
        let hold = hold(at: now)
        if case .storeFailed = hold { return }
        guard isQuiet else {
            wakes.yield()
            return
        }
        var next = [gate.nextEnd(after: now), hold == .reconnecting ? opensAt : nil].compactMap { $0 }
        next += heldAccounts.values.map(\.until).filter { now < $0 }
        let times = [nextDue, counts[.waiting, default: 0] > 0 ? clockDue : nil].compactMap { $0 }
        next += times.map { now.adding(max(.zero, $0.since(wallNow))) }
        let isHeld = [.offline, .poorNetwork, .stopped, .fileLost].contains(hold)
        for (id, waiter) in quietWaiters
        where isHeld || !next.contains(where: { $0 <= waiter.deadline.instant }) {
            endWait(id, isExpired: false)
        }
    }

    /// Whether nothing is in progress and nothing new has come.
    private var isQuiet: Bool {
        guard running.isEmpty, ready.isEmpty, ended.isEmpty else { return false }
        guard let hold = hold(at: clock.now) else { return !hasNews && !added.load(ordering: .acquiring) }
        return hold != .reconnecting || !hasNews
    }

    /// Why an entry is not sent.
    func reason(for entry: QueueEntry, behind other: QueueEntry.ID?) -> QueueWaitReason {
        switch entry.state {
        case .leased: return .sending
        case .parked: return .signIn
        case .ambiguous: return .ambiguous
        case .poison: return .poison
        case .waiting, .postponed: break
        default: return .ended(entry.state)
        }
        let now = clock.now
        if let hold = hold(at: now) { return .held(hold) }
        if let other { return .order(behind: other) }
        if entry.state == .postponed, let until = entry.notBefore {
            return entry.isUnreadable ? .unreadable(until: until) : .backoff(until: until)
        }
        if let until = gate.heldUntil(entry.origin, at: now) { return .origin(for: now.duration(to: until)) }
        if let account = entry.account, heldAccounts[account].map({ now < $0.until }) ?? false {
            return .signIn
        }
        return .turn
    }
}
