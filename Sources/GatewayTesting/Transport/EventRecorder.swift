public import GatewayCore

/// Remembers every event, for a test to look at.
public final class EventRecorder: RequestEventSink {
    private let recorded = Locked<[RequestEvent]>([])

    /// Makes an empty recorder.
    public init() {}

    /// The events so far, in the order they came.
    public var events: [RequestEvent] { recorded.withLock { $0 } }

    /// Remembers an event.
    public func record(_ event: borrowing RequestEvent) {
        let event = copy event
        TestTrace.show(event)
        recorded.withLock { $0.append(event) }
    }
}
