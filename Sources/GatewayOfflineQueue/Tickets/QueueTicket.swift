/// The ticket of a stored request, which is sent even after a crash.
public struct QueueTicket: Sendable {
    /// The entry. It remains valid after a restart: ``OfflineQueueEngine/ticket(for:)`` makes its ticket
    /// again.
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

    /// Waits until the entry has ended. It may be called repeatedly, and by several tasks.
    ///
    /// - Throws: ``QueueError`` with the code ``QueueError/Code/cancelled`` if the task is cancelled, which
    ///   does not affect the entry; ``QueueError/Code/stopped`` if the queue stops before the entry has
    ///   ended; ``QueueError/Code/notFound`` if the store no longer knows the entry.
    public func outcome() async throws(QueueError) -> QueueOutcome {
        if let outcome = state.outcome { return outcome }
        try await look()
        return try await state.wait()
    }
}
