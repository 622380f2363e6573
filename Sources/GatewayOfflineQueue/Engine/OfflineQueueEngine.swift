public import GatewayCore

/// Stores requests durably, and sends them when possible: immediately, when the network returns, or after a
/// crash.
///
/// ```swift
/// let queue = try await OfflineQueueEngine(
///     store: SQLiteQueueStore(path: path), engine: engine, network: monitor)
/// await queue.start()
/// let ticket = try await queue.enqueue(
///     QueueRequest(try HTTPRequest(.post, "https://api.example.com/payments", body: .bytes(json))))
/// // The payment is on the disk. It is sent now, or later, with the same idempotency key each time.
/// let outcome = try await ticket.outcome()
/// ```
/// Credentials are added when a request is sent, and never stored. The queue stops with the engine that it sends with, before
/// that refuses calls, and is part of the engine's health as `queue`. Otherwise call ``stop(within:)`` before the queue is
/// released, so that attempts in progress end in an orderly way.
public final class OfflineQueueEngine: Sendable {
    let drain: QueueDrain
    let writer: QueueWriter
    let board: TicketBoard
    /// The settings of the queue.
    public let configuration: Configuration

    /// Opens a queue. Nothing is sent before ``start()`` or ``drain(until:)``.
    ///
    /// - Parameters:
    ///   - store: the store of the entries. It must not be used elsewhere from now on.
    ///   - engine: sends the requests, with its credentials if ``Configuration/credentials`` is `nil`.
    ///   - network: determines when requests can be sent; `nil` for always.
    ///   - configuration: the settings of the queue.
    /// - Throws: ``QueueError``; for an invalid configuration before anything is opened.
    public init(
        store: sending any QueueStore, engine: any RequestEngine,
        network: (any NetworkConditionSource)? = nil, configuration: Configuration = Configuration()
    ) async throws(QueueError) {
        try configuration.validate()
        var configuration = configuration
        if configuration.events == nil { configuration.events = engine.services.events?.sink }
        self.configuration = configuration
        writer = QueueWriter(store, limits: configuration.limits, clock: configuration.clock)
        board = TicketBoard()
        let random = configuration.random
        let (ownership, newest) = try await writer.perform { (store) throws(QueueError) in
            // First, because it rejects an unusable file before anything is created.
            _ = try store.foreignVersion()
            let newest = try store.outlook().newest
            return (try store.join(random), newest)
        }
        drain = QueueDrain(
            writer: writer, ownership: ownership, board: board, engine: engine, network: network,
            configuration: configuration)
        await drain.noteNewest(newest)
        engine.services.parts.join(self, owned: false)
    }

    deinit {
        let drain = drain
        Task.detached { await drain.stop(within: .zero) }
    }

    // MARK: Sending

    /// Starts sending entries until ``stop(within:)``. Has no effect if it is already started.
    public func start() async { await drain.start() }

    /// Stops sending. Entries remain in the store.
    ///
    /// - Parameter limit: how long attempts in progress may take. After it they are abandoned, and their
    ///   entries are sent again later.
    public func stop(within limit: Duration) async { await drain.stop(within: limit) }

    /// Sends entries until a deadline.
    ///
    /// It returns as soon as nothing is left that can be sent before the deadline; without a network
    /// immediately. If the queue is not started, it sends only during this call, and abandons attempts in
    /// progress at the deadline.
    public func drain(until deadline: Deadline) async -> DrainReport {
        let before = await drain.report
        await drain.beginDrain()
        let isExpired = await drain.waitUntilQuiet(deadline)
        let hold = await drain.status.hold
        await drain.endDrain()
        var report = await drain.report.since(before)
        report.isExpired = isExpired
        report.hold = hold
        let counts = try? await writer.perform { (store) throws(QueueError) in try store.counts() }
        report.remaining = QueueStatus(counts: counts ?? [:]).queued
        return report
    }

    // MARK: Adding

    /// Stores a request. It is durable when this returns, and is sent immediately if possible.
    ///
    /// - Throws: ``QueueError``: ``QueueError/Code/invalid`` with the name of the property before anything is written,
    ///   ``QueueError/Code/conflict`` if another entry has its idempotency key and another method, target or body,
    ///   ``QueueError/Code/full``, or an error of the store. Without a ticket nothing is stored.
    public func enqueue(_ request: some QueueableRequest) async throws(QueueError) -> QueueTicket {
        var item = try QueueItem(
            request, now: QueueTime(configuration.clock), random: configuration.random,
            additionalFields: configuration.fields)
        if item.account == nil {
            if !item.isAnonymous { item.account = configuration.account }
        } else if configuration.credentials == nil, item.account != configuration.account {
            throw .invalid(
                "account", "requires the property 'credentials' of the queue's configuration")
        }
        board.beginStoring()
        defer { board.endStoring() }
        switch try await writer.insert(item) {
        case .stored(let id, let superseded, let dropped):
            let ticket = ticket(for: id)
            drain.record(.stored(entry: id.rawValue))
            if !superseded.isEmpty { await drain.settle(superseded, as: .superseded) }
            if !dropped.isEmpty { await drain.settle(dropped, as: .dropped) }
            drain.wake()
            return ticket
        case .duplicate(let id): return ticket(for: id, isDuplicate: true)
        case .conflict(let id):
            throw QueueError(
                .conflict,
                "idempotencyKey: entry \(id) has the same key and sends another method, path or body. Use another key.",
                property: "idempotencyKey", entry: id)
        case .full:
            drain.record(.refused)
            throw QueueError(
                .full,
                "The queue is full. Raise the limits, or wait until entries are sent."
            )
        }
    }

    /// The ticket of an entry, for example of one that was stored before the process was restarted.
    public func ticket(for id: QueueEntry.ID) -> QueueTicket { ticket(for: id, isDuplicate: false) }

    private func ticket(for id: QueueEntry.ID, isDuplicate: Bool) -> QueueTicket {
        QueueTicket(board.ticket(id), isDuplicate: isDuplicate) { [writer, drain] () throws(QueueError) in
            let (entries, recoveries) = try await writer.perform { (store) throws(QueueError) in
                (try store.entries(QueueSelection(id)), store.takeRecoveries())
            }
            await drain.note(recoveries)
            guard let entry = entries.first else { throw await drain.whyMissing(id) }
            await drain.settle(entry)
        }
    }

    // MARK: Streams

    /// The outcomes of entries from now on. Each access makes a separate stream, which buffers the newest
    /// 1,024.
    public var outcomes: AsyncStream<QueueOutcome> { drain.outcomes.stream() }

    /// The current status, then each change. Numbers of entries are from the last check
    /// (``Configuration/checkInterval``). Each access makes a separate stream.
    public var status: AsyncStream<QueueStatus> {
        get async { await drain.statusStream() }
    }
}
