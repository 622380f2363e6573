public import GatewayCore

extension ClientTracer {
    /// Begins, continues or ends the record of a call.
    public func record(_ event: borrowing RequestEvent) {
        if let trace = event.trace, !trace.isSampled { return }
        switch event.kind {
        case .attemptStarted, .attemptEnded: return
        case .started: begin(event)
        case .exchanged(let timings): note(timings, of: event)
        case .succeeded(let status, let attempts, let duration):
            end(event, .status(status), attempts, duration)
        case .failed(let cause, let attempts, let duration):
            end(
                event, CallSeriesKey.Outcome(cause.code), attempts, duration,
                cause.spanAttributes(of: event.origin))
        case .cancelled(let attempts, let duration): end(event, .cancelled, attempts, duration)
        default:
            guard let spanEvent = event.spanEvent else { return }
            let (callID, request) = (event.callID, event.exchange?.position)
            state.withLock { state in
                state.calls[callID]?.add(spanEvent)
                if let request { state.calls[callID]?.wait(for: request) }
            }
        }
    }

    private func begin(_ event: borrowing RequestEvent) {
        // A call that fails before it comes to an engine has no trace yet.
        let trace = event.trace ?? position(after: nil)
        guard trace.isSampled else { return }
        let (callID, call) = (event.callID, OpenCall(event, trace))
        state.withLock { $0.calls[callID] = call }
    }

    private func note(_ timings: ExchangeTimings, of event: borrowing RequestEvent) {
        let (callID, number) = (event.callID, event.attempt.number)
        state.withLock { state in
            guard let exchange = state.calls[callID]?.exchanges.last(where: { $0.number == number }) else {
                return
            }
            state.exchanges[exchange.spanID]?.timings = timings
        }
    }

    private func end(
        _ event: borrowing RequestEvent, _ outcome: CallSeriesKey.Outcome, _ attempts: Int,
        _ duration: Duration, _ cause: [FinishedSpan.Attribute] = []
    ) {
        let callID = event.callID
        let answer = event.requestID.map { [FinishedSpan.Attribute("gateway.request_id", $0)] } ?? []
        guard let call = state.withLock({ $0.calls.removeValue(forKey: callID) }), call.hasSpan else {
            return
        }
        let time = SpanTime(endingAt: event.time, unixTime: clock.unixTime, duration: duration)
        receive(
            call.finished(
                outcome, attempts: attempts, details: cause + answer, spanID: nextSpanID(), time: time))
    }

    /// Links the calls that wait for a token to the request that brought it, or that failed.
    public func record(_ event: borrowing TokenEvent) {
        guard let exchange = event.exchange else { return }
        switch event.kind {
        case .refreshed, .adopted, .refreshFailed:
            let calls = event.waitingCalls
            state.withLock { state in for call in calls { state.calls[call]?.wait(for: exchange) } }
        default: return
        }
    }
}
