/// Who hears of what happens to calls.
///
/// `record` is called where the thing happens, which may be the caller's thread, and must not block. For an actor or anything slow use
/// ``BufferedEventSink``.
public protocol RequestEventSink: Sendable {
    /// Takes note of an event.
    func record(_ event: borrowing RequestEvent)
}

extension RequestContext {
    /// Tells the context's sink, if there is one, of something that happened to the request.
    @inline(__always)
    package func record(_ kind: @autoclosure () -> RequestEvent.Kind, for request: HTTPRequest) {
        guard let events else { return }
        events.record(
            RequestEvent(
                traceID: traceID, operation: operation, origin: request.origin, method: request.method,
                kind: kind()))
    }
}
