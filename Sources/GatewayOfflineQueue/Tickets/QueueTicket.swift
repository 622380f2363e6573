/// The promise that a request is stored: it is sent also after a crash.
public struct QueueTicket: Sendable {
    /// The entry. It outlives the process: ``OfflineQueueEngine/ticket(for:)`` makes a ticket of it.
    public var id: QueueEntry.ID { state.id }
    /// Whether the request is a duplicate of an earlier entry and was not stored.
    public let isDuplicate: Bool
    private let state: TicketState
    private let look: @Sendable () async throws(QueueError) -> Void

    init(
        _ state: TicketState, isDuplicate: Bool, look: @escaping @Sendable () async throws(QueueError) -> Void
    ) {
        self.state = state
        self.isDuplicate = isDuplicate
        self.look = look
    }

    /// Waits until the entry has ended. It may be called any number of times, and by several tasks.
    ///
    /// - Throws: ``QueueError`` with the code ``QueueError/Code/cancelled`` if the task is cancelled, which leaves the
    ///   entry as it is; ``QueueError/Code/stopped`` if the queue stops before the entry has ended;
    ///   ``QueueError/Code/notFound`` if the store does not know the entry any more.
    public func outcome() async throws(QueueError) -> QueueOutcome {
        if let outcome = state.outcome { return outcome }
        try await look()
        return try await state.wait()
    }
}
