/// A receiver of events.
///
/// `record` is called where the event happens, on the caller's or the transport's thread, and must not block. For an actor
/// or anything slow use ``BufferedEventSink``.
public protocol RequestEventSink: Sendable {
    /// The events that the sink wants; by default all. It is read for each event and must be cheap.
    var interests: EventInterests { get }

    /// Receives an event.
    func record(_ event: borrowing RequestEvent)
}

extension RequestEventSink {
    /// Everything.
    public var interests: EventInterests { .all }
}

extension RequestContext {
    /// Passes an event of the call to the context's sink, if there is one that wants it.
    @inline(__always)
    package func record(
        _ kind: @autoclosure () -> RequestEvent.Kind, for request: HTTPRequest,
        as interest: EventInterests = .calls
    ) {
        guard let events, events.interests.contains(interest) else { return }
        events.record(
            RequestEvent(
                instant: clock.now, callID: callID, attempt: attempt, operation: operation,
                origin: request.origin, method: request.method, kind: kind()))
    }

    /// Whether the context's sink, if there is one, wants certain events.
    package func isObserved(as interest: EventInterests) -> Bool {
        events?.interests.contains(interest) ?? false
    }
}
