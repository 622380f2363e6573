import GatewayCore

/// The entry of calls: validates the request, applies the default deadline, and records the start and end of the call.
extension AsyncRequestEngine {
    private var clock: any GatewayClock { services.clock }

    /// The error of a call that begins after the shutdown of the engine.
    @inline(never)
    func closed(_ request: HTTPRequest, _ context: RequestContext) -> NetworkError {
        let error = NetworkError(
            .closed,
            "The engine was shut down before the call began: end the callers first, or create another engine.",
            origin: request.origin)
        if !context.isEntered {
            context.recordRefusal(error, of: request.method, at: request.origin, to: events)
        }
        return error
    }

    /// Applies the defaults. Returns the error of a call that fails before any I/O; `nil` if there is none.
    @inline(never)
    func enter(_ request: HTTPRequest, _ context: inout RequestContext) -> NetworkError? {
        let refusal = refusal(of: request, problem ?? context.problem)
        let quality = refusal == nil ? adaptation?.quality(of: request.origin) : nil
        var limit = deadline
        if let adaptation, let quality { limit = adaptation.deadline(deadline, for: quality) }
        context.enter(
            deadline: limit.map { .after($0, clock: clock) }, events: events, reentry: reentry)
        context.inheritTrace()
        instrument?.willBegin(request, context: &context)
        guard let adaptation, let quality else { return refusal }
        if context.retry == nil { context.retry = adaptation.retry(for: quality) }
        if let limits = adaptation.limits(for: quality) {
            context.limits = context.limits?.over(limits) ?? limits
        }
        adaptation.begin(context, to: request.origin, quality)
        return nil
    }

    private func refusal(of request: HTTPRequest, _ problem: NetworkError?) -> NetworkError? {
        if let problem { return problem }
        do throws(NetworkError) { try request.validate() } catch { return error }
        guard Task.isCancelled else { return nil }
        return NetworkError(
            .cancelled, "The task was cancelled before the call began.", origin: request.origin)
    }

    // Out of line, because events would enlarge the async frame.

    /// Records the start of a call; `nil` if nothing receives its events.
    @inline(never)
    func observe(_ request: HTTPRequest, _ context: RequestContext) -> ObservedCall? {
        guard context.events != nil else { return nil }
        let call = ObservedCall(context: context, start: services.clock.time)
        context.record(.started, for: request, at: call.start)
        return call
    }

    /// Ends a call with a response; a streamed call is in progress until its body ends.
    @inline(never)
    func left(
        _ response: consuming HTTPResponse, _ request: HTTPRequest, _ call: ObservedCall?
    ) -> HTTPResponse {
        if let call { ended(&response, request, call) }
        if response.isStreamed {
            response.body = response.body.ending(reentry, status: response.status)
        } else {
            reentry.leave()
        }
        return response
    }

    /// Ends a call that failed.
    @inline(never)
    func left(_ error: NetworkError, _ request: HTTPRequest, _ call: ObservedCall?) -> NetworkError {
        if let call {
            ended(FailureCause(error), error.attempts, error.response?.fields, request, call)
        }
        reentry.leave()
        return error
    }

    /// Records the end of a call with a response, unless its caller records it.
    private func ended(
        _ response: inout HTTPResponse, _ request: HTTPRequest, _ call: ObservedCall
    ) {
        let (status, attempts) = (response.status, response.exchange.attempts)
        let fields = response.fields
        guard call.context.isEndedByCaller else {
            ended(status: status, attempts, fields, request, call)
            return call.context.watchBody(of: &response, to: request)
        }
        response.ending = CallEnding { [self] cause in
            if let cause {
                ended(cause, attempts, fields, request, call)
            } else {
                ended(status: status, attempts, fields, request, call)
            }
        }
        call.context.watchBody(of: &response, to: request)
    }

    private func ended(
        status: Int, _ attempts: Int, _ fields: HTTPFields, _ request: HTTPRequest, _ call: ObservedCall
    ) {
        let (context, now) = (call.context, services.clock.time)
        context.record(
            .succeeded(status: status, attempts: attempts, duration: call.start.duration(to: now)),
            for: request, at: now, answer: fields)
        if context.isObserved(as: .state) { timeoutRates?.record(nil, of: request, context, at: now) }
    }

    private func ended(
        _ cause: FailureCause, _ attempts: Int, _ fields: HTTPFields?, _ request: HTTPRequest,
        _ call: ObservedCall
    ) {
        let (context, now) = (call.context, services.clock.time)
        context.record(
            .end(of: cause, attempts: attempts, duration: call.start.duration(to: now)), for: request,
            at: now, answer: fields)
        if context.isObserved(as: .state) { timeoutRates?.record(cause.code, of: request, context, at: now) }
    }
}

/// A call whose events somebody receives, and when it began.
struct ObservedCall: Sendable {
    let context: RequestContext
    let start: MonotonicTime
}
