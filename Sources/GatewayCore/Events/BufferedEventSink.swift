import Synchronization

/// An event of any type, as a ``BufferedEventSink`` delivers it.
@nonexhaustive
public enum ClientEvent: Sendable {
    /// An event of a call.
    case call(RequestEvent)
    /// An event of a token.
    case token(TokenEvent)
    /// An event that belongs to no call.
    case state(StateEvent)
}

/// Carries events to a receiver that may wait, such as an actor, without holding up the calls.
///
/// Events wait in a buffer of bounded size; when it is full the oldest are dropped and counted.
public final class BufferedEventSink: RequestEventSink {
    /// The events that the receiver gets.
    public let interests: EventInterests
    private let continuation: AsyncStream<ClientEvent>.Continuation
    private let task: Task<Void, Never>
    private let dropped = Atomic<Int>(0)

    /// Starts a receiver.
    ///
    /// - Parameters:
    ///   - capacity: how many events may wait, 1 or more.
    ///   - interests: the events that the receiver gets.
    ///   - receive: receives one event at a time, in order.
    public init(
        capacity: Int, interests: EventInterests = .all,
        receive: @escaping @Sendable (ClientEvent) async -> Void
    ) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ClientEvent.self, bufferingPolicy: .bufferingNewest(max(1, capacity)))
        self.interests = interests
        self.continuation = continuation
        task = Task { for await event in stream { await receive(event) } }
    }

    deinit { continuation.finish() }

    /// How many events were dropped because the receiver was too slow.
    public var droppedCount: Int { dropped.load(ordering: .relaxed) }

    /// Puts the event into the buffer; never waits.
    public func record(_ event: borrowing RequestEvent) { buffer(.call(copy event)) }

    /// Puts the event into the buffer; never waits.
    public func record(_ event: borrowing TokenEvent) { buffer(.token(copy event)) }

    /// Puts the event into the buffer; never waits.
    public func record(_ event: borrowing StateEvent) { buffer(.state(copy event)) }

    private func buffer(_ event: ClientEvent) {
        if case .dropped = continuation.yield(event) { dropped.add(1, ordering: .relaxed) }
    }

    /// Takes no further events and returns when the receiver has had every one that waits.
    public func finish() async {
        continuation.finish()
        await task.value
    }
}
