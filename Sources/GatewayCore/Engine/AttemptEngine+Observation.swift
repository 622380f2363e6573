/// The events and the spans of attempts.
extension AttemptEngine {
    /// What is known of an attempt that was passed to the transport, until it ends.
    @usableFromInline
    struct Observation: Sendable {
        /// When it was passed to the transport.
        let sent: MonotonicTime
        /// `nil` if nothing traces the attempt.
        var span: UInt64?
        /// Whether its start was an event, and its end is one.
        let isRecorded: Bool
    }

    private static let propagation = TracePropagation()

    // Events are large: out of line, they are no part of the async frame.

    // MARK: The start

    /// Begins the span of an attempt, and writes its trace fields. Records its start, if it is new, with the reading of the
    /// clock that the exchange begins at.
    @inline(__always)
    func observe(_ start: inout Start, _ request: HTTPRequest, _ context: RequestContext, isNew: Bool) {
        let isRecorded = context.isObserved(as: .attempts)
        if isRecorded || instrument != nil || context.isTraced {
            begin(&start, request, context, isRecorded, isNew: isNew)
        }
    }

    @inline(never)
    private func begin(
        _ start: inout Start, _ request: HTTPRequest, _ context: RequestContext, _ isRecorded: Bool,
        isNew: Bool
    ) {
        let sent = context.time
        if isNew, isRecorded { context.record(.attemptStarted, for: request, as: .attempts, at: sent) }
        let tracing = instrument ?? (context.isTraced ? Self.propagation : nil)
        let span = tracing?.willSend(&start.request, context: context)
        start.observation = Observation(sent: sent, span: span, isRecorded: isRecorded)
    }

    /// Records the start of an attempt that waits.
    @inline(never)
    func recordStart(_ request: HTTPRequest, _ context: RequestContext) {
        context.record(.attemptStarted, for: request, as: .attempts)
    }

    /// Records the end of an attempt that was not passed to the transport, and its start if it is new.
    @inline(never)
    func notStarted(
        _ error: NetworkError, _ request: HTTPRequest, _ context: RequestContext, isNew: Bool
    ) -> NetworkError {
        // A hedge that is not sent does not count as an attempt: the next one gets its number.
        guard context.isObserved(as: .attempts), context.attempt.reason != .hedge else { return error }
        let now = context.time
        if isNew { context.record(.attemptStarted, for: request, as: .attempts, at: now) }
        context.record(
            .attemptEnded(Self.end(error, nil, context)), for: request, as: .attempts, at: now,
            answer: error.response?.fields)
        return error
    }

    // MARK: The end

    /// Ends an attempt with a response: its span, and its event. Both have the same duration.
    ///
    /// The response notes the span if its trace is recorded.
    @inline(never)
    func end(
        _ observation: Observation, _ response: inout HTTPResponse, _ request: HTTPRequest,
        _ context: RequestContext
    ) {
        let now = context.time
        let duration = observation.sent.duration(to: now)
        if let span = observation.span, let instrument {
            instrument.didEnd(span, AttemptEnd(response, duration: duration), context: context)
            if let recorded = context.recorded(span) { response.exchange.span = recorded }
        }
        guard observation.isRecorded else { return }
        context.record(
            .attemptEnded(AttemptEnd(response, duration: duration)), for: request, as: .attempts, at: now,
            answer: response.fields)
    }

    /// Ends an attempt that failed.
    ///
    /// - Returns: the error, which notes the span if its trace is recorded.
    @inline(never)
    func end(
        _ observation: Observation, _ error: NetworkError, _ request: HTTPRequest, _ context: RequestContext
    ) -> NetworkError {
        var error = error
        let now = context.time
        let duration = observation.sent.duration(to: now)
        if let span = observation.span, let instrument {
            instrument.didEnd(span, Self.end(error, duration, context), context: context)
            if error.attempts > 0, let recorded = context.recorded(span) {
                error = error.with(span: recorded)
            }
        }
        guard observation.isRecorded else { return error }
        context.record(
            .attemptEnded(Self.end(error, duration, context)), for: request, as: .attempts, at: now,
            answer: error.response?.fields)
        return error
    }

    /// The end of an attempt that failed. A shutdown that ends an attempt whose call has its response cancels it: nothing has
    /// failed.
    private static func end(
        _ error: NetworkError, _ duration: Duration?, _ context: RequestContext
    ) -> AttemptEnd {
        guard error.code == .closed, context.isAbandoned else {
            return AttemptEnd(error, duration: duration)
        }
        return AttemptEnd(
            .error(.cancelled, phase: error.phase), connection: error.connection,
            duration: error.attempts > 0 ? duration : nil)
    }
}

extension RequestContext {
    /// A span of the call; `nil` if its trace is not recorded.
    fileprivate func recorded(_ span: UInt64) -> ExchangeSpan? {
        guard let trace, trace.isSampled else { return nil }
        return trace.at(spanID: span).map(ExchangeSpan.init)
    }
}
