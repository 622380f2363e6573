/// The events and the spans of attempts.
extension AttemptEngine {
    // Events are large: out of line, they are no part of the async frame.

    // MARK: Events

    @inline(never)
    static func recordStart(
        _ request: HTTPRequest, _ context: RequestContext, at instant: ContinuousClock.Instant
    ) {
        context.record(.attemptStarted, for: request, as: .attempts, at: instant)
    }

    // MARK: Spans

    private static let propagation = TracePropagation()

    /// The instrument of an attempt; `nil` if it is neither observed nor traced.
    private func instrument(for context: RequestContext) -> (any AttemptInstrument)? {
        instrument ?? (context.isTraced ? Self.propagation : nil)
    }

    @inline(never)
    func beginSpan(_ request: inout HTTPRequest, _ context: RequestContext) -> UInt64? {
        instrument(for: context)?.willSend(&request, context: context)
    }

    // MARK: The end

    /// Ends an attempt with a response: its span, and its event. Both have the same duration.
    ///
    /// The response notes the span if its trace is recorded.
    @inline(never)
    func end(
        _ span: UInt64?, _ response: inout HTTPResponse, _ request: HTTPRequest, _ context: RequestContext,
        since sent: ContinuousClock.Instant, _ isObserved: Bool
    ) {
        let now = context.clock.now
        let duration = sent.duration(to: now)
        if let span, let instrument {
            instrument.didEnd(span, AttemptEnd(response, duration: duration), context: context)
            if let recorded = context.recorded(span) { response.exchange.span = recorded }
        }
        guard isObserved else { return }
        context.record(
            .attemptEnded(AttemptEnd(response, duration: duration)), for: request, as: .attempts, at: now,
            answer: response.fields)
    }

    /// Ends an attempt that failed.
    ///
    /// - Parameters:
    ///   - span: its span; `nil` if it was not passed to the transport, or has none.
    ///   - sent: when it was passed to the transport.
    ///   - isRecorded: whether its end is an event.
    /// - Returns: the error, which notes the span if its trace is recorded.
    @inline(never)
    func end(
        _ span: UInt64?, _ error: NetworkError, _ request: HTTPRequest, _ context: RequestContext,
        since sent: ContinuousClock.Instant?, _ isRecorded: Bool
    ) -> NetworkError {
        guard isRecorded || span != nil else { return error }
        var error = error
        let now = context.clock.now
        let duration = sent?.duration(to: now)
        if let span, let instrument {
            instrument.didEnd(span, Self.end(error, duration, context), context: context)
            if error.attempts > 0, let recorded = context.recorded(span) {
                error = error.with(span: recorded)
            }
        }
        guard isRecorded else { return error }
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
