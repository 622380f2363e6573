import GatewayCore

/// The limits of a queue, and the times of a batch.
struct BatchLimits: Sendable {
    var queue = 1
    var batch = 1
    var delay = Duration.zero
    let timeout: Duration
}

/// Sends records in batches, one after the other. A caller that adds one never waits for a request.
final class BatchExporter<Record: Sendable>: Sendable {
    private struct State {
        var queue: ExportQueue<Record>
        /// Flushes, with the number of records that must have left the queue.
        var flushes: [(accepted: Int, flight: SharedFlight<Void>)] = []
    }

    private let sender: OTLPSender
    private let delay: Duration
    private let timeout: Duration
    private let message: @Sendable ([Record]) -> OTLPMessage
    private let state: Locked<State>
    private var clock: any GatewayClock { sender.clock }

    /// - Parameter message: makes the request of a batch.
    init(
        _ limits: BatchLimits, _ sender: OTLPSender,
        message: @escaping @Sendable ([Record]) -> OTLPMessage
    ) {
        self.sender = sender
        delay = limits.delay
        timeout = limits.timeout
        self.message = message
        state = Locked(
            State(
                queue: ExportQueue(capacity: limits.queue, batchLimit: limits.batch)))
    }

    /// What became of the records.
    var counts: ExportCounts { state.withLock { $0.queue.counts } }

    /// Adds a record.
    func add(_ record: Record) { perform(state.withLock { $0.queue.add(record) }) }

    /// Sends what waits, and returns when it has an outcome.
    ///
    /// - Returns: `false` if that was not so at the deadline.
    func flush(until deadline: Deadline) async -> Bool {
        typealias Place = (flight: SharedFlight<Void>, waiter: SharedFlight<Void>.WaiterID)
        let clock = clock
        let (action, place) = state.withLock { state -> (ExportQueue<Record>.Action, Place?) in
            let action = state.queue.makeDue()
            guard state.queue.remaining > 0 else { return (action, nil) }
            let flight = SharedFlight<Void>(clock: clock)
            state.flushes.append((state.queue.acceptedCount, flight))
            return (action, (flight, flight.join(until: deadline)))
        }
        perform(action)
        guard let (flight, waiter) = place else { return true }
        if case .value = await flight.outcome(of: waiter) { return true }
        return false
    }

    private func perform(_ action: ExportQueue<Record>.Action) {
        switch action {
        case .nothing: break
        case .setAlarm:
            _ = clock.alarm(at: clock.now.adding(delay)) { [weak self] in
                guard let self else { return }
                perform(state.withLock { $0.queue.ring() })
            }
        case .export: Task.detached { await self.export() }
        }
    }

    private func export() async {
        while true {
            let (batch, action) = state.withLock { $0.queue.next() }
            guard let batch else { return perform(action) }
            let delivery = await sender.deliver(message(batch), until: .after(timeout, clock: clock))
            let flights = state.withLock { state in
                state.queue.end(delivery)
                let left = state.queue.acceptedCount - state.queue.remaining
                defer { state.flushes.removeAll { $0.accepted <= left } }
                return state.flushes.filter { $0.accepted <= left }.map(\.flight)
            }
            for flight in flights { flight.land(()) }
        }
    }
}
