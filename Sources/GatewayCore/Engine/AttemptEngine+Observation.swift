/// The events and the spans of attempts.
extension AttemptEngine {
    /// What is known of an attempt that was passed to the transport, until it ends.
    @usableFromInline
    struct Observation: Sendable {
        /// When it was passed to the transport.
        let sent: MonotonicTime
        /// `nil` without an instrument.
        let span: UInt64?
        /// Whether its start was an event, and its end is one.
        let isRecorded: Bool
    }

    // Events are large: out of line, they are no part of the async frame.

    // MARK: The start

    /// Begins the span of an attempt, and writes its trace fields.
    ///
    /// - Parameter isRecorded: whether its start was an event; `nil` if it is not known yet, and becomes one if the sink is
    ///   interested, with the reading of the clock that the exchange begins at.
    @inline(__always)
    func observe(
        _ start: inout Start, _ request: HTTPRequest, _ context: RequestContext, isRecorded: Bool?
    ) {
        let records = isRecorded ?? context.isObserved(as: .attempts)
        if records || instrument != nil {
            begin(&start, request, context, records, isNew: isRecorded == nil)
        } else if context.isTraced {
            _ = TracePropagation().willSend(&start.request, context: context)
        }
    }

    @inline(never)
    private func begin(
        _ start: inout Start, _ request: HTTPRequest, _ context: RequestContext, _ isRecorded: Bool,
        isNew: Bool
    ) {
        let sent = context.time
        if isNew, isRecorded { context.record(.attemptStarted, for: request, as: .attempts, at: sent) }
        var span: UInt64?
        if let instrument {
            span = instrument.willSend(&start.request, context: context)
        } else if context.isTraced {
            _ = TracePropagation().willSend(&start.request, context: context)
        }
        start.observation = Observation(sent: sent, span: span, isRecorded: isRecorded)
    }

    /// Records the start of an attempt that waits, if the sink is interested.
    ///
    /// - Returns: whether it is.
    @inline(never)
    func recordStart(_ request: HTTPRequest, _ context: RequestContext) -> Bool {
        guard context.isObserved(as: .attempts) else { return false }
        context.record(.attemptStarted, for: request, as: .attempts)
        return true
    }

    /// Records the end of an attempt that was not passed to the transport.
    ///
    /// - Parameter isRecorded: whether its start was an event; `nil` if it becomes one now, if the sink is interested.
    @inline(never)
    func notStarted(
        _ error: NetworkError, _ request: HTTPRequest, _ context: RequestContext, isRecorded: Bool?
    ) -> NetworkError {
        // A hedge that is not sent does not count as an attempt: the next one gets its number.
        guard isRecorded ?? context.isObserved(as: .attempts), context.attempt.reason != .hedge else {
            return error
        }
        let now = context.time
        if isRecorded == nil { context.record(.attemptStarted, for: request, as: .attempts, at: now) }
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
