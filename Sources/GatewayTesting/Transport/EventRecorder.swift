public import GatewayCore

/// Records all events for tests.
public final class EventRecorder: RequestEventSink {
    private let recorded = Locked<[RequestEvent]>([])
    private let recordedTokens = Locked<[TokenEvent]>([])
    private let recordedState = Locked<[StateEvent]>([])

    /// Creates an empty recorder.
    public init() {}

    /// The recorded events of calls, in order.
    public var events: [RequestEvent] { recorded.withLock { $0 } }
    /// The recorded events of tokens, in order.
    public var tokenEvents: [TokenEvent] { recordedTokens.withLock { $0 } }
    /// The recorded events that do not belong to a call, in order.
    public var stateEvents: [StateEvent] { recordedState.withLock { $0 } }

    /// The common header fields with the server's ID of a request.
    public var requestIDFields: [HTTPField.Name] { HTTPField.Name.requestIDs }

    /// Records an event.
    public func record(_ event: borrowing RequestEvent) {
        let event = copy event
        TestTrace.show(event)
        recorded.withLock { $0.append(event) }
    }

    /// Records an event.
    public func record(_ event: borrowing TokenEvent) {
        let event = copy event
        TestTrace.show(event)
        recordedTokens.withLock { $0.append(event) }
    }

    /// Records an event.
    public func record(_ event: borrowing StateEvent) {
        let event = copy event
        TestTrace.show(event)
        recordedState.withLock { $0.append(event) }
    }
}
