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

    @inline(never)
    static func recordWait(
        since start: ContinuousClock.Instant, _ request: HTTPRequest, _ context: RequestContext
    ) {
        context.record(.credentialWaited(start.duration(to: context.clock.now)), for: request)
    }

    // MARK: Spans

    /// The instrument of an attempt; `nil` if it is neither observed nor traced.
    private func instrument(for context: RequestContext) -> (any AttemptInstrument)? {
        instrument ?? (context.trace == nil ? nil : TracePropagation())
    }

    @inline(never)
    func beginSpan(_ request: inout HTTPRequest, _ context: RequestContext) -> UInt64? {
        instrument(for: context)?.willSend(&request, context: context)
    }

    @inline(never)
    func end(_ span: UInt64, _ response: HTTPResponse, _ context: RequestContext) {
        instrument(for: context)?.didEnd(span, AttemptEnd(response), context: context)
    }

    @inline(never)
    func end(_ span: UInt64, _ error: NetworkError, _ context: RequestContext) {
        instrument(for: context)?.didEnd(span, AttemptEnd(error), context: context)
    }
}
