/// A receiver of events: of calls, of tokens, and of the client's state. A sink is an object, since a context copies a
/// reference at the least cost.
///
/// `record` is called where the event happens, on the caller's or the transport's thread, and must not block. For an actor
/// or anything slow use ``BufferedEventSink``.
///
/// The sink of an engine's configuration receives the events of its tokens too, also those of credentials of generated
/// clients that use the engine. The sink of a single call (``RequestContext/events``) receives those of the call and the
/// state that the call changes.
public protocol RequestEventSink: AnyObject, Sendable {
    /// The events that the sink wants; by default all. It is read for each event and must be cheap.
    var interests: EventInterests { get }

    /// Receives an event of a call.
    func record(_ event: borrowing RequestEvent)

    /// Receives an event of a token. By default it is ignored.
    func record(_ event: borrowing TokenEvent)

    /// Receives an event that belongs to no call. By default it is ignored.
    func record(_ event: borrowing StateEvent)
}

extension RequestEventSink {
    /// Everything.
    public var interests: EventInterests { .all }
    /// Does nothing.
    public func record(_ event: borrowing TokenEvent) {}
    /// Does nothing.
    public func record(_ event: borrowing StateEvent) {}
}

extension RequestContext {
    /// Passes an event of the call to the context's sink, if there is one that wants it.
    @inline(__always)
    package func record(
        _ kind: @autoclosure () -> RequestEvent.Kind, for request: HTTPRequest,
        as interest: EventInterests = .calls
    ) {
        guard let events, events.interests.contains(interest) else { return }
        pass(kind(), to: events, for: request, at: clock.now)
    }

    // Apart, since an optional instant has no layout at compile time and is slow to copy.
    /// Passes an event that happened at an instant.
    @inline(__always)
    package func record(
        _ kind: @autoclosure () -> RequestEvent.Kind, for request: HTTPRequest,
        as interest: EventInterests = .calls, at instant: ContinuousClock.Instant
    ) {
        guard let events, events.interests.contains(interest) else { return }
        pass(kind(), to: events, for: request, at: instant)
    }

    @inline(__always)
    private func pass(
        _ kind: RequestEvent.Kind, to sink: any RequestEventSink, for request: HTTPRequest,
        at instant: ContinuousClock.Instant
    ) {
        sink.record(
            RequestEvent(
                instant: instant, callID: callID, trace: trace, attempt: attempt, operation: operation,
                origin: request.origin, method: request.method, kind: kind))
    }

    /// Whether the context's sink, if there is one, wants certain events.
    package func isObserved(as interest: EventInterests) -> Bool {
        events?.interests.contains(interest) ?? false
    }
}
