public import GatewayCore

/// Remembers every event, for a test to look at.
public final class EventRecorder: RequestEventSink {
    private let recorded = Locked<[RequestEvent]>([])
    private let recordedTokens = Locked<[TokenEvent]>([])
    private let recordedState = Locked<[StateEvent]>([])

    /// Makes an empty recorder.
    public init() {}

    /// The events of calls so far, in the order they came.
    public var events: [RequestEvent] { recorded.withLock { $0 } }
    /// The events of tokens so far, in the order they came.
    public var tokenEvents: [TokenEvent] { recordedTokens.withLock { $0 } }
    /// The events so far that belong to no call, in the order they came.
    public var stateEvents: [StateEvent] { recordedState.withLock { $0 } }

    /// Remembers an event.
    public func record(_ event: borrowing RequestEvent) {
        let event = copy event
        TestTrace.show(event)
        recorded.withLock { $0.append(event) }
    }

    /// Remembers an event.
    public func record(_ event: borrowing TokenEvent) {
        let event = copy event
        TestTrace.show(event)
        recordedTokens.withLock { $0.append(event) }
    }

    /// Remembers an event.
    public func record(_ event: borrowing StateEvent) {
        let event = copy event
        TestTrace.show(event)
        recordedState.withLock { $0.append(event) }
    }
}
