/// Attempts whose call goes on without them: what would have been done with their outcome is done when their exchange ends.
extension AttemptEngine {
    /// Records the end of the attempt.
    @inline(never)
    static func recordEndOrLater(
        _ error: NetworkError, _ request: HTTPRequest, _ context: RequestContext,
        _ sent: ContinuousClock.Instant?
    ) {
        guard error.code == .abandoned else { return recordEnd(error, request, context, sent) }
        context.whenExchangeEnds { outcome in
            switch outcome {
            case .success(let response): recordEnd(response, request, context, sent)
            case .failure(let error): recordEnd(error, request, context, sent)
            }
        }
    }

    /// Ends the span of the attempt.
    @inline(never)
    func endOrLater(_ span: UInt64, _ error: NetworkError, _ context: RequestContext) {
        guard error.code == .abandoned else { return end(span, error, context) }
        context.whenExchangeEnds { outcome in
            switch outcome {
            case .success(let response): end(span, response, context)
            case .failure(let error): end(span, error, context)
            }
        }
    }
}
