/// The events and the spans of attempts.
extension AttemptEngine {
    // Events are large: out of line, they are no part of the async frame.

    // MARK: Events

    @inline(never)
    static func recordStart(_ request: HTTPRequest, _ context: RequestContext) {
        context.record(.attemptStarted, for: request, as: .attempts)
    }

    @inline(never)
    static func recordEnd(
        _ response: HTTPResponse, _ request: HTTPRequest, _ context: RequestContext,
        _ sent: ContinuousClock.Instant?
    ) {
        let now = context.clock.now
        context.record(
            .attemptEnded(AttemptEnd(response, duration: sent?.duration(to: now))), for: request,
            as: .attempts, at: now, answer: response.fields)
    }

    @inline(never)
    static func recordEnd(
        _ error: NetworkError, _ request: HTTPRequest, _ context: RequestContext,
        _ sent: ContinuousClock.Instant?
    ) {
        let now = context.clock.now
        context.record(
            .attemptEnded(AttemptEnd(error, duration: sent?.duration(to: now))), for: request, as: .attempts,
            at: now, answer: error.response?.fields)
    }

    // MARK: Spans

    /// The instrument of an attempt; `nil` if it is neither observed nor traced.
    private func instrument(for context: RequestContext) -> (any AttemptInstrument)? {
        instrument ?? (context.isTraced ? TracePropagation() : nil)
    }

    @inline(never)
    func beginSpan(_ request: inout HTTPRequest, _ context: RequestContext) -> UInt64? {
        instrument(for: context)?.willSend(&request, context: context)
    }

    /// Ends a span, and notes it in the response.
    @inline(never)
    func end(
        _ span: UInt64, _ response: inout HTTPResponse, _ context: RequestContext,
        _ sent: ContinuousClock.Instant?
    ) {
        guard let instrument else { return }
        let duration = sent?.duration(to: context.clock.now)
        instrument.didEnd(span, AttemptEnd(response, duration: duration), context: context)
        response.exchange.span = context.trace?.at(spanID: span).map(ExchangeSpan.init)
    }

    /// Ends a span.
    ///
    /// - Returns: the error with the span.
    @inline(never)
    func end(
        _ span: UInt64, _ error: NetworkError, _ context: RequestContext, _ sent: ContinuousClock.Instant?
    ) -> NetworkError {
        guard let instrument else { return error }
        let duration = sent?.duration(to: context.clock.now)
        instrument.didEnd(span, AttemptEnd(error, duration: duration), context: context)
        guard error.attempts > 0, let position = context.trace?.at(spanID: span) else { return error }
        return error.with(span: ExchangeSpan(position))
    }
}
