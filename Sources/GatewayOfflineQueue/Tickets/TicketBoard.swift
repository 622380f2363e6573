import GatewayCore

/// The tickets that callers hold, by entry.
final class TicketBoard: Sendable {
    private struct Weak { weak var ticket: TicketState? }

    private struct State {
        var tickets: [QueueEntry.ID: Weak] = [:]
        /// The number of requests that are stored and have no ticket yet.
        var storing = 0
        /// The outcomes during an insertion: one of them may belong to an inserted request.
        var early: [QueueEntry.ID: QueueOutcome] = [:]
        var isClosed = false
    }

    private let state = Locked(State())

    /// A request is about to be stored. Each call is followed by one of ``endStoring()``.
    func beginStoring() { state.withLock { $0.storing += 1 } }

    /// The request has its ticket, or was not stored.
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
        // Returned, since releasing it may end in here again.
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

    /// An entry has ended.
    func settle(_ outcome: QueueOutcome) {
        let ticket = state.withLock { state in
            if state.storing > 0 { state.early[outcome.id] = outcome }
            return state.tickets[outcome.id]?.ticket
        }
        ticket?.settle(.success(outcome))
    }

    /// What becomes of an entry cannot be known, for the reason of an error.
    func lose(_ id: QueueEntry.ID, _ error: QueueError) {
        state.withLock { $0.tickets[id]?.ticket }?.settle(.failure(error))
    }

    /// Entries can be read again: those that could not may be there.
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

    /// An entry that had ended is sent again.
    func reopen(_ id: QueueEntry.ID) { state.withLock { $0.tickets[id]?.ticket }?.reopen() }

    /// Entries are sent again.
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
