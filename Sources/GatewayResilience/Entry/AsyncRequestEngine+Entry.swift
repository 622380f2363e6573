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

    @inline(never)
    func observed(
        _ request: HTTPRequest, context: consuming RequestContext, _ refusal: NetworkError?
    ) async throws(NetworkError) -> HTTPResponse {
        let observer = copy context
        let start = clock.now
        observer.record(.started, for: request, at: start)
        do throws(NetworkError) {
            if let refusal { throw refusal }
            var response = try await below.send(request, context: consume context)
            ended(&response, request, observer, since: start)
            return response
        } catch {
            ended(
                FailureCause(error), error.attempts, error.response?.fields, request, observer, since: start)
            throw error
        }
    }

    // Out of line, because events would enlarge the async frame.

    /// Records the end of a call with a response, unless its caller records it.
    @inline(never)
    private func ended(
        _ response: inout HTTPResponse, _ request: HTTPRequest, _ observer: RequestContext,
        since start: ContinuousClock.Instant
    ) {
        let (status, attempts) = (response.status, response.exchange.attempts)
        let fields = response.fields
        guard observer.isEndedByCaller else {
            ended(status: status, attempts, fields, request, observer, since: start)
            return observer.watchBody(of: &response, to: request)
        }
        response.ending = CallEnding { [self] cause in
            if let cause {
                ended(cause, attempts, fields, request, observer, since: start)
            } else {
                ended(status: status, attempts, fields, request, observer, since: start)
            }
        }
        observer.watchBody(of: &response, to: request)
    }

    @inline(never)
    private func ended(
        status: Int, _ attempts: Int, _ fields: HTTPFields, _ request: HTTPRequest,
        _ observer: RequestContext, since start: ContinuousClock.Instant
    ) {
        let now = clock.now
        observer.record(
            .succeeded(status: status, attempts: attempts, duration: start.duration(to: now)),
            for: request, at: now, answer: fields)
        if observer.isObserved(as: .state) { timeoutRates?.record(nil, of: request, observer, at: now) }
    }

    @inline(never)
    private func ended(
        _ cause: FailureCause, _ attempts: Int, _ fields: HTTPFields?, _ request: HTTPRequest,
        _ observer: RequestContext, since start: ContinuousClock.Instant
    ) {
        let now = clock.now
        observer.record(
            .end(of: cause, attempts: attempts, duration: start.duration(to: now)), for: request, at: now,
            answer: fields)
        if observer.isObserved(as: .state) {
            timeoutRates?.record(cause.code, of: request, observer, at: now)
        }
    }
}
