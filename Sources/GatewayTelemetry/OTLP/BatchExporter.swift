import GatewayCore

/// The limits of a queue, and the times of a batch.
struct BatchLimits: Sendable {
    /// How many bytes of records wait at most, by their estimated size.
    static let bytes = 16 << 20

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
        /// The collector has asked for no request before this time.
        var hold: ContinuousClock.Instant?
    }

    private let sender: OTLPSender
    private let delay: Duration
    private let timeout: Duration
    private let message: @Sendable ([Record]) -> OTLPMessage
    private let state: Locked<State>
    private var clock: any GatewayClock { sender.clock }

    /// - Parameters:
    ///   - keepsLatest: whether a record replaces one that waits.
    ///   - size: the bytes of a record, roughly.
    ///   - message: makes the request of a batch.
    init(
        _ limits: BatchLimits, _ sender: OTLPSender, keepsLatest: Bool = false,
        size: @escaping @Sendable (Record) -> Int = { _ in 0 },
        message: @escaping @Sendable ([Record]) -> OTLPMessage
    ) {
        self.sender = sender
        delay = limits.delay
        timeout = limits.timeout
        self.message = message
        state = Locked(
            State(
                queue: ExportQueue(
                    capacity: limits.queue, batchLimit: limits.batch, byteLimit: BatchLimits.bytes,
                    keepsLatest: keepsLatest, size: size)))
    }

    /// What became of the records.
    var counts: ExportCounts { state.withLock { $0.queue.counts } }

    /// Adds a record.
    func add(_ record: Record) { perform(state.withLock { $0.queue.add(record) }) }

    /// Sends what waits, and returns when it has an outcome.
    ///
    /// - Returns: `false` if that was not so at the deadline, or cannot be so: there is no transport yet, or the collector has asked
    ///   for no request before a later time.
    func flush(until deadline: Deadline) async -> Bool {
        typealias Place = (flight: SharedFlight<Void>, waiter: SharedFlight<Void>.WaiterID)
        let clock = clock
        let canSend = sender.hasTransport
        let (action, place, isHopeless) = state.withLock {
            state -> (ExportQueue<Record>.Action, Place?, Bool) in
            let isLate = state.hold.map { deadline.instant <= $0 && clock.now < $0 } ?? false
            guard canSend, !isLate else { return (.nothing, nil, state.queue.remaining > 0) }
            let action = state.queue.makeDue()
            guard state.queue.remaining > 0 else { return (action, nil, false) }
            let flight = SharedFlight<Void>(clock: clock)
            state.flushes.append((state.queue.acceptedCount, flight))
            return (action, (flight, flight.join(until: deadline)), false)
        }
        if isHopeless { return false }
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
            if let hold = state.withLock({ $0.hold }), clock.now < hold {
                // Records wait in the queue, which is bounded.
                _ = clock.alarm(at: hold) { [weak self] in await self?.export() }
                return
            }
            let (batch, action) = state.withLock { $0.queue.next() }
            guard let batch else { return perform(action) }
            let (delivery, hold) = await sender.deliver(
                message(batch), until: .after(timeout, clock: clock))
            let flights = state.withLock { state in
                state.queue.end(delivery)
                state.hold = hold
                let left = state.queue.acceptedCount - state.queue.remaining
                defer { state.flushes.removeAll { $0.accepted <= left } }
                return state.flushes.filter { $0.accepted <= left }.map(\.flight)
            }
            for flight in flights { flight.land(()) }
        }
    }
}
