import GatewayCore

/// Entries that fail at their server give way to others: half of the permits is kept for entries without failures. After an origin was
/// busy, the next attempt is that of an entry without failures, if there is one.
///
/// Which ones fail is known to this process only, and learned again by the next one.
extension QueueDrain {
    /// The number of failing entries that are known. Beyond it all are forgotten.
    private static let mostFailing = 16_384

    /// Notes that an attempt began.
    func note(_ lease: QueueLease, isSentBy task: Task<Void, Never>, at now: ContinuousClock.Instant) {
        running[lease.id] = Running(task: task, since: now)
        lastIsFailing = failing[lease.id] != nil
        if !lastIsFailing, !busyOrigins.isEmpty { busyOrigins.remove(lease.item.origin) }
    }

    /// Notes whether an attempt failed.
    func noteFailure(_ result: QueueSender.Result) {
        let (id, origin) = (result.completion.lease.id, result.completion.lease.item.origin)
        if result.effect == .busy { busyOrigins.insert(origin) }
        if result.isFailure {
            if failing.count >= Self.mostFailing { failing = [:] }
            failing[id] = Failure(origin: origin, reason: result.completion.reason ?? "")
        } else if result.completion.result != .released {
            failing[id] = nil
        }
    }

    /// Somebody sends an entry again.
    func forgetFailure(of id: QueueEntry.ID) { failing[id] = nil }

    /// Whether there is a permit for an entry.
    func mayBegin(_ id: QueueEntry.ID) -> Bool {
        guard !failing.isEmpty, let failure = failing[id] else { return true }
        return failingRoom > 0 && !busyOrigins.contains(failure.origin)
    }

    /// Whether others of its origin are tried before an entry.
    func isBehindOthers(_ id: QueueEntry.ID) -> Bool {
        guard !busyOrigins.isEmpty, let failure = failing[id] else { return false }
        return busyOrigins.contains(failure.origin)
    }

    /// The entries that are not leased before others of their origin.
    var entriesBehindOthers: Set<QueueEntry.ID> {
        guard !busyOrigins.isEmpty else { return [] }
        return Set(failing.filter { busyOrigins.contains($0.value.origin) }.keys)
    }

    /// Lets entries that fail be leased again where a lease has found no others of their origin.
    ///
    /// - Parameters:
    ///   - request: what was to be leased.
    ///   - origins: the origins that were busy at that moment.
    ///   - count: the number of entries that were leased.
    func endTurns(after request: QueueLeaseRequest, of origins: Set<Origin>, _ count: Int) {
        // Others may be behind what was leased.
        guard !origins.isEmpty, count < request.count else { return }
        let found = Set(ready.filter { failing[$0.lease.id] == nil }.map(\.origin))
        let over = origins.subtracting(found).subtracting(request.skippedOrigins)
        guard !over.isEmpty else { return }
        busyOrigins.subtract(over)
        hasNews = true
        wakes.yield()
    }

    /// Puts entries at hand that fail behind the others. They are at most half of what is at hand, so that others can be leased:
    /// the rest is postponed for a time.
    func makeWay() {
        guard !failing.isEmpty else { return }
        let late: [AtHand] = ready.filter { failing[$0.lease.id] != nil }
        guard !late.isEmpty else { return }
        ready.removeAll { failing[$0.lease.id] != nil }
        let room = max(failingRoom, configuration.concurrency > 1 ? leaseSize / 2 : 0)
        ready += late.prefix(room)
        for entry in late.dropFirst(room) {
            ended.append(
                sender.givenWay(entry.lease, failing[entry.lease.id]?.reason, among: failing.count))
        }
        // The next time it is their turn, also if no other one can be sent.
        if room < late.count { lastIsFailing = false }
    }

    /// The permits that entries which fail can have at this moment: those that take long have of the same ones. A single permit
    /// is for both kinds in turn.
    private var failingRoom: Int {
        guard configuration.concurrency > 1 else { return lastIsFailing ? 0 : 1 }
        let isLong = clock.now.adding(.zero - gate.longAttempt)
        return configuration.concurrency / 2
            - running.count { id, attempt in failing[id] != nil || attempt.since <= isLong }
    }
}
