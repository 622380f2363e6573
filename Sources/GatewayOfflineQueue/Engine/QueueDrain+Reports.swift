import GatewayCore

/// Events, outcomes and the status.
extension QueueDrain {
    /// The current status, with the counts of the last check. A failing store is retried periodically.
    var status: QueueStatus {
        let hold = hold(at: clock.now) ?? storeFailure.map { .storeFailed($0.code) }
        return QueueStatus(counts: counts, sending: gate.inFlight, hold: hold)
    }

    /// The current status, then each change. Isolated to the actor, so that no change is missed in between.
    func statusStream() -> AsyncStream<QueueStatus> {
        let status = status
        return statuses.stream { status }
    }

    /// Completes the ticket of an attempt whose end is stored.
    func tell(_ result: QueueSender.Result, isOurs: Bool) {
        let (lease, end) = (result.completion.lease, result.completion.result)
        untold.remove(lease.id)
        noteDate(of: result)
        guard result.isAttempt else { return }
        if isOurs { report.count(end) }
        let kind = isOurs ? end.event : .lost
        record(
            .attempted(
                entry: lease.id.rawValue, attempt: lease.attempt, kind, reason: result.completion.reason,
                age: max(.zero, wallNow.since(lease.item.created))))
        // Other entries of its account wait too. They are counted immediately, not with the next check.
        if isOurs, end == .parked {
            nextCheck = clock.now
            wakes.yield()
        }
        if isOurs { tellStray(result) }
    }

    /// Completes the ticket of an attempt, although the store may no longer know its entry.
    func tellStray(_ result: QueueSender.Result) {
        guard isHeard, let outcome = outcome(of: result) else { return }
        deliver(outcome)
    }

    /// The outcome of an entry after an attempt; `nil` if it has not ended.
    func outcome(of result: QueueSender.Result) -> QueueOutcome? {
        guard let state = result.completion.result.settled else { return nil }
        return QueueOutcome(
            id: result.completion.lease.id, state: state, response: result.response, error: result.error,
            reason: result.completion.reason)
    }

    /// Reports the entries that a lease has set aside or postponed.
    func tellSetAside(_ leased: QueueLeaseResult) {
        settle(leased.ambiguous, as: .ambiguous)
        settle(leased.damaged, as: .poison, reason: "damaged")
        report.ambiguous += leased.ambiguous.count
        report.poison += leased.damaged.count
        if !leased.unreadable.isEmpty {
            record(.moved(leased.unreadable.count, to: QueueEntry.State.postponed.name))
        }
        guard !(leased.ambiguous.isEmpty && leased.damaged.isEmpty && leased.unreadable.isEmpty) else {
            return
        }
        // Their count and due time are read immediately.
        nextCheck = clock.now
        wakes.yield()
    }

    /// Completes the ticket of an entry that has ended according to the store, by an attempt of another
    /// process or before a restart. An attempt of this process completes its ticket with the response.
    func settle(_ entry: QueueEntry) {
        guard entry.state.isSettled, !untold.contains(entry.id) else { return }
        board.settle(QueueOutcome(entry))
    }

    /// Completes the tickets of entries that ended without an attempt.
    func settle(_ ids: [QueueEntry.ID], as state: QueueEntry.State, reason: String? = nil) {
        guard !ids.isEmpty else { return }
        for id in ids {
            failing[id] = nil
            deliver(QueueOutcome(id: id, state: state, reason: reason))
        }
        record(.moved(ids.count, to: state.name))
    }

    /// Whether outcomes have a receiver.
    private var isHeard: Bool { board.isAwaited || outcomes.hasStreams }

    private func deliver(_ outcome: @autoclosure () -> QueueOutcome) {
        guard isHeard else { return }
        let outcome = outcome()
        board.settle(outcome)
        outcomes.send(outcome)
    }

    /// Publishes the status if it has changed.
    func publish() {
        let status = status
        guard status != lastStatus else { return }
        let before = lastStatus
        lastStatus = status
        statuses.send(status)
        if status.queued != before?.queued || status.needingAttention != before?.needingAttention {
            record(.depth(queued: status.queued, needingAttention: status.needingAttention))
        }
        if status.hold != before?.hold, before != nil || status.hold != nil {
            record(.held(status.hold?.description))
        }
    }

    nonisolated func record(_ event: @autoclosure () -> QueueEvent) {
        guard let events = configuration.events, events.interests.contains(.state) else { return }
        events.record(StateEvent(instant: configuration.clock.now, origin: nil, kind: .queue(event())))
    }
}

extension QueueCompletion.Result {
    fileprivate var event: QueueEvent.Result {
        switch self {
        case .done: .done
        case .postponed: .postponed
        case .released: .released
        case .parked: .parked
        case .poison: .poison
        }
    }

    /// The state in which it has ended; `nil` if it has not.
    fileprivate var settled: QueueEntry.State? {
        switch self {
        case .done: .done
        case .poison: .poison
        case .postponed, .released, .parked: nil
        }
    }
}
