/// The end of a call whose caller decodes the response: it is recorded when the caller knows whether that succeeds, and
/// at the latest when nobody has the response any more.
@usableFromInline
package final class CallEnding: Sendable {
    private let unrecorded: Locked<(@Sendable (FailureCause?) -> Void)?>

    /// - Parameter record: records the end: with the cause of the caller's error, or `nil` for a response with any
    ///   status.
    package init(_ record: @escaping @Sendable (FailureCause?) -> Void) { unrecorded = Locked(record) }

    deinit { end(nil) }

    /// Whether the end was recorded.
    fileprivate var hasEnded: Bool { unrecorded.withLock { $0 == nil } }

    /// Records the end, the first time.
    package func end(_ cause: FailureCause?) {
        let record = unrecorded.withLock { record in
            defer { record = nil }
            return record
        }
        record?(cause)
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
        let now = clock.time
        context.record(.started, for: request, at: now)
        context.record(
            .end(of: FailureCause(error), attempts: error.attempts, duration: .zero), for: request, at: now)
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
        let (observer, start) = (context, clock.time)
        observer.record(.started, for: request, at: start)
        let (status, attempts) = (response.status, response.exchange.attempts)
        let fields = response.fields
        response.ending = CallEnding { cause in
            let now = observer.clock.time
            let duration = start.duration(to: now)
            observer.record(
                cause.map { .end(of: $0, attempts: attempts, duration: duration) }
                    ?? .succeeded(status: status, attempts: attempts, duration: duration),
                for: request, at: now, answer: fields)
        }
    }
}

extension RequestContext {
    /// Records it as an event of the call if the body of a streamed response fails after the end of the call.
    package func watchBody(of response: inout HTTPResponse, to request: HTTPRequest) {
        guard response.isStreamed, isObserved(as: .calls) else { return }
        var request = request
        request.body = .empty
        let watch = BodyWatch(
            context: self, request: request, fields: response.fields, ending: response.ending)
        response.body = response.body.ending(watch, status: response.status)
    }
}

/// Ends with the body of a streamed response.
private final class BodyWatch: AdmissionPermit {
    private let context: RequestContext
    private let request: HTTPRequest
    private let fields: HTTPFields
    private let ending: CallEnding?

    init(context: RequestContext, request: HTTPRequest, fields: HTTPFields, ending: CallEnding?) {
        self.context = context
        self.request = request
        self.fields = fields
        self.ending = ending
    }

    func end(_ outcome: AdmissionOutcome) {
        // Before the end of the call, the failure of the body is that of the call.
        guard case .failed(let error) = outcome, error.code != .cancelled, ending?.hasEnded ?? true else {
            return
        }
        context.record(.bodyFailed(FailureCause(error)), for: request, answer: fields)
    }
}

extension RequestEvent.Kind {
    /// The end of a call with an error.
    package static func end(of cause: FailureCause, attempts: Int, duration: Duration) -> Self {
        cause.code == .cancelled
            ? .cancelled(attempts: attempts, duration: duration)
            : .failed(cause, attempts: attempts, duration: duration)
    }
}
