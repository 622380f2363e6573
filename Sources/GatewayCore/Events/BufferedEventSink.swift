import Synchronization

/// Carries events to a receiver that may wait, such as an actor, without holding up the calls.
///
/// Events wait in a buffer of bounded size; when it is full the oldest are dropped and counted.
public final class BufferedEventSink: RequestEventSink {
    private let continuation: AsyncStream<RequestEvent>.Continuation
    private let task: Task<Void, Never>
    private let dropped = Atomic<Int>(0)

    /// Starts a receiver.
    ///
    /// - Parameters:
    ///   - capacity: how many events may wait, 1 or more.
    ///   - receive: is given one event at a time, in order.
    public init(capacity: Int, receive: @escaping @Sendable (RequestEvent) async -> Void) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RequestEvent.self, bufferingPolicy: .bufferingNewest(max(1, capacity)))
        self.continuation = continuation
        task = Task { for await event in stream { await receive(event) } }
    }

    deinit { continuation.finish() }

    /// How many events were dropped because the receiver was too slow.
    public var droppedCount: Int { dropped.load(ordering: .relaxed) }

    /// Puts the event into the buffer; never waits.
    public func record(_ event: borrowing RequestEvent) {
        if case .dropped = continuation.yield(copy event) { dropped.add(1, ordering: .relaxed) }
    }

    /// Takes no further events and returns when the receiver has had every one that waits.
    public func finish() async {
        continuation.finish()
        await task.value
    }
}
