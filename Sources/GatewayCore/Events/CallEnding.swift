/// The end of a call whose caller decodes the response: it is recorded when the caller knows whether that succeeds, and
/// at the latest when nobody has the response any more.
@usableFromInline
package final class CallEnding: Sendable {
    private let unrecorded: Locked<(@Sendable (NetworkError.Code?) -> Void)?>

    /// - Parameter record: records the end: with the code of the caller's error, or `nil` for a response with any
    ///   status.
    package init(_ record: @escaping @Sendable (NetworkError.Code?) -> Void) { unrecorded = Locked(record) }

    deinit { end(nil) }

    /// Records the end, the first time.
    package func end(_ code: NetworkError.Code?) {
        let record = unrecorded.withLock { record in
            defer { record = nil }
            return record
        }
        record?(code)
    }
}

extension RequestContext {
    /// Records the start and the end of a call that fails before it comes to the entry layer of its engine.
    ///
    /// - Parameters:
    ///   - origin: that of the request; `nil` if it is not known.
    ///   - sink: the one of the engine.
    package func recordRefusal(
        _ error: NetworkError, of method: HTTPMethod, at origin: Origin?, to sink: (any RequestEventSink)?
    ) {
        var context = self
        context.events = EventFork.joining(events, sink)
        let request = HTTPRequest(method: method, origin: error.origin ?? origin ?? .unknown, target: "/")
        let now = clock.now
        context.record(.started, for: request, at: now)
        context.record(
            .end(of: error.code, attempts: error.attempts, duration: .zero), for: request, at: now)
    }
}

extension RequestContext {
    /// Records the start of a call with a response that does not come from its engine. The end is recorded by
    /// ``HTTPResponse/ending``.
    ///
    /// - Parameter sink: the one of the engine.
    package func recordAnswer(
        _ response: inout HTTPResponse, to request: HTTPRequest, sink: (any RequestEventSink)?
    ) {
        var context = self
        context.events = EventFork.joining(events, sink)
        let (observer, start) = (context, clock.now)
        observer.record(.started, for: request, at: start)
        let (status, attempts) = (response.status, response.exchange.attempts)
        response.ending = CallEnding { code in
            let now = observer.clock.now
            let duration = start.duration(to: now)
            observer.record(
                code.map { .end(of: $0, attempts: attempts, duration: duration) }
                    ?? .succeeded(status: status, attempts: attempts, duration: duration),
                for: request, at: now)
        }
    }
}

extension RequestEvent.Kind {
    /// The end of a call with an error.
    package static func end(of code: NetworkError.Code, attempts: Int, duration: Duration) -> Self {
        code == .cancelled
            ? .cancelled(attempts: attempts, duration: duration)
            : .failed(error: code, attempts: attempts, duration: duration)
    }
}
