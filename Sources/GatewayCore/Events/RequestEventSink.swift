/// A receiver of events of calls, tokens and the client's state. Sinks are objects, because copying a reference into
/// each context is cheap.
///
/// `record` is called where the event happens, on the thread of the caller or of the transport, and must not block. For
/// an actor or slow work use ``BufferedEventSink``.
///
/// The sink of an engine's configuration also receives the events of its tokens, including those of generated clients
/// that use the engine. The sink of a single call (``RequestContext/events``) receives the events of the call and of
/// the state that the call changes, besides that of the configuration.
public protocol RequestEventSink: AnyObject, Sendable {
    /// The events that the sink receives. Default: all. It is read for each event and must be fast.
    var interests: EventInterests { get }

    /// The header fields of responses that ``RequestEvent/requestID`` is read from; the first one with a usable value
    /// counts. Fields whose names say that they carry credentials are skipped. Default: none.
    /// ``HTTPField/Name/requestIDs`` has the common ones. It is read for each event about a response and must be fast.
    var requestIDFields: [HTTPField.Name] { get }

    /// Receives an event of a call.
    func record(_ event: borrowing RequestEvent)

    /// Receives an event of a token. Default: ignored.
    func record(_ event: borrowing TokenEvent)

    /// Receives an event that does not belong to a call. Default: ignored.
    func record(_ event: borrowing StateEvent)

    /// Returns when the events so far are written or sent. An engine calls it at the end of its shutdown. Default: does
    /// nothing.
    func flush() async

    /// Observes the attempts of an engine whose configuration has this sink and no instrument. Default: `nil`. Read once by
    /// each engine.
    var instrument: (any AttemptInstrument)? { get }
}

extension RequestEventSink {
    /// Default: all events.
    public var interests: EventInterests { .all }
    /// Default: none, so that no response is searched.
    public var requestIDFields: [HTTPField.Name] { [] }
    /// Default: none.
    public var instrument: (any AttemptInstrument)? { nil }
    /// Default: does nothing.
    public func record(_ event: borrowing TokenEvent) {}
    /// Default: does nothing.
    public func record(_ event: borrowing StateEvent) {}
    /// Default: does nothing.
    public func flush() async {}
}

extension RequestEventSink {
    /// The server's ID of a request, if the sink wants it.
    @inline(__always)
    fileprivate func requestID(in answer: @autoclosure () -> HTTPFields?) -> String? {
        let names = requestIDFields
        return names.isEmpty ? nil : answer()?.requestID(in: names)
    }
}

extension RequestContext {
    /// Sends an event of the call to the context's sink, if it is interested.
    ///
    /// - Parameter answer: the header fields of the response that the event is about.
    @inline(__always)
    package func record(
        _ kind: @autoclosure () -> RequestEvent.Kind, for request: HTTPRequest,
        as interest: EventInterests = .calls, answer: @autoclosure () -> HTTPFields? = nil
    ) {
        guard let events, events.interests.contains(interest) else { return }
        events.record(
            RequestEvent(kind(), at: time, self, request, requestID: events.requestID(in: answer())))
    }

    /// Sends an event that happened at a time.
    @inline(__always)
    package func record(
        _ kind: @autoclosure () -> RequestEvent.Kind, for request: HTTPRequest,
        as interest: EventInterests = .calls, at time: MonotonicTime,
        answer: @autoclosure () -> HTTPFields? = nil
    ) {
        guard let events, events.interests.contains(interest) else { return }
        events.record(
            RequestEvent(kind(), at: time, self, request, requestID: events.requestID(in: answer())))
    }

    /// Whether the context has a sink that is interested in certain events.
    package func isObserved(as interest: EventInterests) -> Bool {
        events?.interests.contains(interest) ?? false
    }
}
