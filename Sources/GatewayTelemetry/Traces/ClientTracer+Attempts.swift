public import GatewayCore

extension ClientTracer: AttemptInstrument {
    /// Decides whether the call is recorded. A call without a caller's position begins a trace.
    public func willBegin(_ request: HTTPRequest, context: inout RequestContext) {
        let position = position(after: context.trace)
        // Most calls keep the position of their caller: then nothing is copied.
        if position != context.trace { context.trace = position }
    }

    /// Begins the span of an exchange, and sets its header fields.
    public func willSend(_ request: inout HTTPRequest, context: RequestContext) -> UInt64 {
        let spanID = nextSpanID()
        let trace = context.trace ?? position(after: nil)
        let position = trace.at(spanID: spanID, isSampled: trace.isSampled, parentSpanID: nil)
        if options.sendsTraceContext { request.set(position) }
        if options.sendsBaggage { request.set(context.baggage) }
        guard trace.isSampled else { return spanID }
        var exchange = OpenExchange(
            request, context, position, resendCount: context.attempt.number - 1)
        let begun = OpenCall.Exchange(number: context.attempt.number, spanID: spanID)
        state.withLock { [callID = context.callID] state in
            if let (resendCount, links) = state.calls[callID]?.begin(begun) {
                exchange.resendCount = resendCount
                exchange.links = links
            }
            state.exchanges[spanID] = exchange
        }
        return spanID
    }

    /// Ends the span of an exchange. What was not sent is no exchange.
    public func didEnd(_ span: UInt64, _ end: AttemptEnd, context: RequestContext) {
        if let trace = context.trace, !trace.isSampled { return }
        let wasSent = end.duration != nil
        let ended = state.withLock { state -> OpenExchange? in
            guard let exchange = state.exchanges.removeValue(forKey: span) else { return nil }
            state.calls[exchange.callID]?.end(exchange, wasSent: wasSent)
            return exchange
        }
        guard var ended, let duration = end.duration else { return }
        // A stream's exchange is not over, and has no event with its timings yet.
        if let head = end.headTimings { ended.timings = head.timings }
        let time = SpanTime(
            endingAt: context.clock.time, unixTime: context.clock.unixTime, duration: duration)
        receive(ended.finished(end, duration: duration, time: time, url: url))
    }

    /// Links the call to the exchange that it shared.
    public func didJoin(_ span: TraceContext, context: RequestContext) {
        guard context.trace?.isSampled != false else { return }
        state.withLock { [callID = context.callID] in $0.calls[callID]?.join(span) }
    }
}
