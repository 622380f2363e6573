import GatewayCore

/// Entries that fail at their server give way to others: half of the permits is kept for entries without failures.
///
/// Which ones fail is known to this process only, and learned again by the next one.
extension QueueDrain {
    /// The number of failing entries that are known. Beyond it all are forgotten.
    private static let mostFailing = 16_384

    /// Notes that an attempt began.
    func note(_ id: QueueEntry.ID, isSentBy task: Task<Void, Never>, at now: ContinuousClock.Instant) {
        running[id] = Running(task: task, since: now)
        lastIsFailing = failing[id] != nil
    }

    /// Notes whether an attempt failed.
    func noteFailure(_ result: QueueSender.Result) {
        let id = result.completion.lease.id
        if result.isFailure {
            if failing.count >= Self.mostFailing { failing = [:] }
            failing[id] = result.completion.reason ?? ""
        } else if result.completion.result != .released {
            failing[id] = nil
        }
    }

    /// Somebody sends an entry again.
    func forgetFailure(of id: QueueEntry.ID) { failing[id] = nil }

    /// Whether there is a permit for an entry.
    func mayBegin(_ id: QueueEntry.ID) -> Bool {
        guard !failing.isEmpty, failing[id] != nil else { return true }
        return failingRoom > 0
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
            ended.append(sender.givenWay(entry.lease, failing[entry.lease.id], among: failing.count))
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
