import GatewayCore

/// The tickets of entries.
final class TicketBoard: Sendable {
    private struct Weak { weak var ticket: TicketState? }

    private struct State {
        var tickets: [QueueEntry.ID: Weak] = [:]
        /// The number of requests that are being stored and have no ticket yet.
        var storing = 0
        /// The outcomes during an insertion: one of them may belong to an inserted request.
        var early: [QueueEntry.ID: QueueOutcome] = [:]
        var isClosed = false
    }

    private let state = Locked(State())

    /// Called before a request is stored. Each call is followed by one of ``endStoring()``.
    func beginStoring() { state.withLock { $0.storing += 1 } }

    /// Called when the request has its ticket, or was not stored.
    func endStoring() {
        state.withLock { state in
            state.storing -= 1
            if state.storing == 0 { state.early = [:] }
        }
    }

    /// The ticket of an entry.
    func ticket(_ id: QueueEntry.ID) -> TicketState {
        let (ticket, early, isClosed) = state.withLock { state -> (TicketState, QueueOutcome?, Bool) in
            if let known = state.tickets[id]?.ticket { return (known, nil, state.isClosed) }
            let ticket = TicketState(id) { [weak self] in self?.forget(id) }
            state.tickets[id] = Weak(ticket: ticket)
            return (ticket, state.early[id], state.isClosed)
        }
        if let early {
            ticket.settle(.success(early))
        } else if isClosed {
            ticket.settle(.failure(Self.stopped))
        }
        return ticket
    }

    private func forget(_ id: QueueEntry.ID) {
        // Returned from the lock, because its release may call this class again.
        _ = state.withLock { state in
            // Another ticket may have been created in the meantime.
            let other = state.tickets[id]?.ticket
            if other == nil { state.tickets[id] = nil }
            return other
        }
    }

    /// The entries whose tickets wait for their outcome.
    var open: Set<QueueEntry.ID> {
        let tickets = state.withLock { $0.tickets.values.compactMap(\.ticket) }
        return Set(tickets.filter { $0.outcome == nil }.map(\.id))
    }

    /// Whether a caller holds a ticket, or will get one.
    var isAwaited: Bool { state.withLock { $0.storing > 0 || !$0.tickets.isEmpty } }

    /// Completes the ticket of an ended entry.
    func settle(_ outcome: QueueOutcome) {
        let ticket = state.withLock { state in
            if state.storing > 0 { state.early[outcome.id] = outcome }
            return state.tickets[outcome.id]?.ticket
        }
        ticket?.settle(.success(outcome))
    }

    /// Fails a ticket because the state of its entry cannot be determined.
    func lose(_ id: QueueEntry.ID, _ error: QueueError) {
        state.withLock { $0.tickets[id]?.ticket }?.settle(.failure(error))
    }

    /// Reopens tickets that failed because the store was not readable.
    func reopenLost() {
        let tickets = state.withLock { $0.tickets.values.compactMap(\.ticket) }
        for ticket in tickets where ticket.failure?.code.losesEntries ?? false { ticket.reopen() }
    }

    /// Ends all waits, because nothing more is sent.
    func close() {
        let tickets = state.withLock { state in
            state.isClosed = true
            return state.tickets.values.compactMap(\.ticket)
        }
        for ticket in tickets { ticket.settle(.failure(Self.stopped)) }
    }

    /// Reopens the ticket of an ended entry that is sent again.
    func reopen(_ id: QueueEntry.ID) { state.withLock { $0.tickets[id]?.ticket }?.reopen() }

    /// Reopens the tickets after the queue is started again.
    func reopen() {
        let tickets = state.withLock { state -> [TicketState] in
            defer { state.isClosed = false }
            return state.isClosed ? state.tickets.values.compactMap(\.ticket) : []
        }
        for ticket in tickets where ticket.outcome == nil { ticket.reopen() }
    }

    private static let stopped = QueueError(
        .stopped, "The queue was stopped. The entry is sent when a queue with its store is started.")
}
