import Synchronization

/// An event of any type, from a ``BufferedEventSink``.
@nonexhaustive
public enum ClientEvent: Sendable {
    /// An event of a call.
    case call(RequestEvent)
    /// An event of a token.
    case token(TokenEvent)
    /// An event that does not belong to a call.
    case state(StateEvent)
}

/// Delivers events to a receiver that may suspend, such as an actor, without delaying the calls.
///
/// Events are stored in a buffer of limited size. When it is full, the oldest events are dropped and counted.
public final class BufferedEventSink: RequestEventSink {
    /// The events that the receiver gets.
    public let interests: EventInterests
    /// The header fields that the server's IDs of requests are read from.
    public let requestIDFields: [HTTPField.Name]
    private let continuation: AsyncStream<ClientEvent>.Continuation
    private let task: Task<Void, Never>
    private let dropped = Atomic<Int>(0)

    /// Creates a sink and starts its delivery.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of buffered events, at least 1.
    ///   - interests: the events that the receiver gets.
    ///   - requestIDFields: the header fields that ``RequestEvent/requestID`` is read from.
    ///   - receive: receives one event at a time, in order.
    public init(
        capacity: Int, interests: EventInterests = .all, requestIDFields: [HTTPField.Name] = [],
        receive: @escaping @Sendable (ClientEvent) async -> Void
    ) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ClientEvent.self, bufferingPolicy: .bufferingNewest(max(1, capacity)))
        self.interests = interests
        self.requestIDFields = requestIDFields
        self.continuation = continuation
        task = Task { for await event in stream { await receive(event) } }
    }

    deinit { continuation.finish() }

    /// The number of events that were dropped because the receiver was too slow.
    public var droppedCount: Int { dropped.load(ordering: .relaxed) }

    /// Buffers the event. Never waits.
    public func record(_ event: borrowing RequestEvent) { buffer(.call(copy event)) }

    /// Buffers the event. Never waits.
    public func record(_ event: borrowing TokenEvent) { buffer(.token(copy event)) }

    /// Buffers the event. Never waits.
    public func record(_ event: borrowing StateEvent) { buffer(.state(copy event)) }

    private func buffer(_ event: ClientEvent) {
        if case .dropped = continuation.yield(event) { dropped.add(1, ordering: .relaxed) }
    }

    /// Stops accepting events and waits until all buffered events were delivered.
    public func finish() async {
        continuation.finish()
        await task.value
    }
}

extension BufferedEventSink: EnginePart {
    /// `true`: the events of calls in progress are delivered, too.
    public var endsAfterCalls: Bool { true }

    /// Stops accepting events and delivers the buffered ones.
    public func end(until deadline: Deadline) async { await finish() }
}
