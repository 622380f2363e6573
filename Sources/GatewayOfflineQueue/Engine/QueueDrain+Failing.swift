import GatewayCore

/// Limits entries that fail at their server: half of the permits is reserved for entries without failures.
/// After an origin was busy, the next attempt is for an entry without failures, if there is one.
///
/// The failing entries are known to this process only, and are detected again after a restart.
extension QueueDrain {
    /// The maximum number of known failing entries. Beyond it all are removed.
    private static let mostFailing = 16_384

    /// Records the start of an attempt.
    func note(_ lease: QueueLease, isSentBy task: Task<Void, Never>, at now: ContinuousClock.Instant) {
        running[lease.id] = Running(task: task, since: now)
        lastIsFailing = failing[lease.id] != nil
        if !lastIsFailing, !busyOrigins.isEmpty { busyOrigins.remove(lease.item.origin) }
    }

    /// Records whether an attempt failed.
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

    /// Removes the record of a failure when an entry is retried manually.
    func forgetFailure(of id: QueueEntry.ID) { failing[id] = nil }

    /// Whether a permit is available for an entry.
    func mayBegin(_ id: QueueEntry.ID) -> Bool {
        guard !failing.isEmpty, let failure = failing[id] else { return true }
        return failingRoom > 0 && !busyOrigins.contains(failure.origin)
    }

    /// Whether other entries of its origin take precedence over an entry.
    func isBehindOthers(_ id: QueueEntry.ID) -> Bool {
        guard !busyOrigins.isEmpty, let failure = failing[id] else { return false }
        return busyOrigins.contains(failure.origin)
    }

    /// The entries that are not leased while other entries of their origin take precedence.
    var entriesBehindOthers: Set<QueueEntry.ID> {
        guard !busyOrigins.isEmpty else { return [] }
        return Set(failing.filter { busyOrigins.contains($0.value.origin) }.keys)
    }

    /// Lets failing entries be leased again after a lease has found no other entries of their origin.
    ///
    /// - Parameters:
    ///   - request: the request of the lease.
    ///   - origins: the origins that were busy at that moment.
    ///   - count: the number of leased entries.
    func endTurns(after request: QueueLeaseRequest, of origins: Set<Origin>, _ count: Int) {
        // Other entries may follow those that were leased.
        guard !origins.isEmpty, count < request.count else { return }
        let found = Set(ready.filter { failing[$0.lease.id] == nil }.map(\.origin))
        let over = origins.subtracting(found).subtracting(request.skippedOrigins)
        guard !over.isEmpty else { return }
        busyOrigins.subtract(over)
        hasNews = true
        wakes.yield()
    }

    /// Moves failing entries behind the others. At most half of the leased entries may be failing ones, so
    /// that others can be leased: the rest is postponed briefly.
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
        // A failing entry is next, even if no other one can be sent.
        if room < late.count { lastIsFailing = false }
    }

    /// The number of permits for failing entries: attempts that take long use the same permits. A single
    /// permit is used alternately.
    private var failingRoom: Int {
        guard configuration.concurrency > 1 else { return lastIsFailing ? 0 : 1 }
        let isLong = clock.now.adding(.zero - gate.longAttempt)
        return configuration.concurrency / 2
            - running.count { id, attempt in failing[id] != nil || attempt.since <= isLong }
    }
}
