public import GatewayCore

/// Retries failed attempts as a ``RetryPolicy`` decides, within the call's deadline.
///
/// Regardless of the policy, a request is not retried after a 401 or an error of the token layer, if its
/// body cannot be sent again, or (unless the policy allows it) if the server could process it twice. When
/// attempts, time or the origin's ``RetryBudget`` are exhausted, the last response is returned or the last
/// error thrown, with the number of all attempts. Its ``NetworkError/mayHaveBeenSent`` is true if any of the
/// attempts may have reached the server.
///
/// A retry that is not sent, because a circuit is open, too many calls wait, a rate limit delays it for too long, or the
/// deadline ends its wait, is not the last attempt: the call ends with the response or error before it. The content of a
/// streamed response is discarded before the delay; in its place the rejection is thrown, with the head of that response
/// in ``NetworkError/response``.
public struct RetryEngine<Below: RequestEngine>: RequestEngine {
    private let below: Below
    private let policy: any RetryPolicy
    /// The services of the engine below, with the clock of this layer.
    public var services: EngineServices { below.services.with(clock: clock) }
    /// The clock of deadlines and delays.
    public let clock: any GatewayClock
    private let random: any RandomSource
    private let budgets: OriginRetryBudgets?
    /// The rate gate below: a retry waits in it instead of for its delay, if the delay ends before the gate
    /// opens.
    private let gate: RateGate?
    /// Sends a second request when the response to an attempt is slow; `nil` disables hedging.
    private let hedging: Hedging?
    private let onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)?

    /// Makes a layer above an engine.
    ///
    /// - Parameters:
    ///   - below: the engine that makes each attempt.
    ///   - policy: the default retry policy of calls.
    ///   - budget: the retry budget of each origin; `nil` for no limit.
    ///   - onRetry: called before each retry delay, with the outcome of the attempt and the delay; must not
    ///     block.
    ///   - clock: the clock of deadlines and delays; `nil` for that of the engine below.
    ///   - random: the source of jitter.
    public init(
        below: Below, policy: any RetryPolicy, budget: RetryBudget? = nil,
        onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)? = nil,
        clock: (any GatewayClock)? = nil, random: any RandomSource = SystemRandomSource()
    ) {
        self.init(
            below: below, policy: policy, budgets: budget.map(OriginRetryBudgets.init), hedging: nil,
            onRetry: onRetry, clock: clock, random: random)
    }

    /// Makes a layer that shares its budgets with another layer, and may hedge.
    init(
        below: Below, policy: any RetryPolicy, budgets: OriginRetryBudgets? = nil, gate: RateGate? = nil,
        hedging: Hedging?, onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)? = nil,
        clock: (any GatewayClock)? = nil, random: any RandomSource = SystemRandomSource()
    ) {
        self.below = below
        self.policy = policy
        self.budgets = budgets
        self.gate = gate
        self.hedging = hedging
        self.onRetry = onRetry
        self.clock = clock ?? below.services.clock
        self.random = random
    }

    /// Makes the call, with retries as the policy allows.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        budgets?.recordRequest(request, context, clock: clock)
        let course: RetryCourse
        do {
            let response = try await attempt(request, context)
            guard response.status >= 400 else { return response }
            course = RetryCourse(.success(response), context)
        } catch {
            course = RetryCourse(.failure(error), context)
        }
        return try await proceed(course, request)
    }

    @inline(__always)
    private func attempt(
        _ request: HTTPRequest, _ context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard let hedging else { return try await below.send(request, context: context) }
        return try await hedging.attempt(request, context, over: below)
    }

    /// Out of line, to keep the async frame of calls without retries small. So are the steps of a retry: in
    /// an outage, thousands of calls may wait here.
    @inline(never)
    private func proceed(
        _ course: RetryCourse, _ request: HTTPRequest
    ) async throws(NetworkError) -> HTTPResponse {
        while let delay = nextDelay(course, request) {
            let due = clock.now.adding(delay)
            do {
                if !course.waitsInGate { try await course.context.sleep(until: due, on: clock) }
            } catch {
                throw ended(course, request, due: due)
            }
            course.beginAttempt()
            do {
                course.end(.success(try await attempt(request, course.context)))
            } catch {
                fail(course, request, error)
            }
        }
        return try course.result.get()
    }

    /// Records a failed attempt. If it has not passed the rate gate, the retry is not made and costs no
    /// token.
    @inline(never)
    private func fail(_ course: RetryCourse, _ request: HTTPRequest, _ error: NetworkError) {
        if course.waitsInGate, error.attempts == 0, error.phase == .queue { returnToken(course, request) }
        course.end(.failure(error))
    }

    /// The delay before the next attempt; `nil` if the call ends with its result.
    @inline(never)
    private func nextDelay(_ course: RetryCourse, _ request: HTTPRequest) -> Duration? {
        course.count()
        guard let outcome = outcome(of: course, request) else { return nil }
        switch next(after: outcome, request, course.context) {
        case .retry(let delay, let waitsInGate):
            course.waitsInGate = waitsInGate
            // The attempt was not sent, and the call waits for something else.
            course.context.replay?.pass()
            // An unread stream must not hold its connection while the call waits.
            if case .success(let response) = course.result { response.body.discard() }
            course.context.record(
                .retryScheduled(delay: delay, status: outcome.status, error: outcome.error?.code),
                for: request, answer: course.answer)
            onRetry?(outcome, delay)
            return delay
        case .end(let reason):
            course.context.record(
                .notRetried(reason, status: outcome.status, error: outcome.error?.code), for: request,
                answer: course.answer)
            if case .deadline(let wait) = reason {
                course.finish(unmetDelay: wait)
            } else {
                course.finish()
            }
            return nil
        }
    }

    /// The error of a call whose wait has ended early. The retry is not made and costs no token.
    @inline(never)
    private func ended(
        _ course: RetryCourse, _ request: HTTPRequest, due: ContinuousClock.Instant
    ) -> NetworkError {
        returnToken(course, request)
        let error = course.context.endOfWait(
            "waited for its next attempt", at: request.origin, attempts: course.made,
            mayHaveBeenSent: course.mayHaveBeenSent)
        if case .success(let response) = course.result, response.body.bytes == nil { return error }
        return error.with(interrupted: InterruptedRetry(course.result, due: due))
    }

    /// Returns the token of a retry that was not made.
    private func returnToken(_ course: RetryCourse, _ request: HTTPRequest) {
        guard OriginRetryBudgets.takesToken(after: course.error, course.context) else { return }
        budgets?.returnRetry(request, course.context, clock: clock)
    }

    private enum Next {
        case retry(after: Duration, inGate: Bool)
        case end(RetryRefusal)
    }

    private func next(
        after outcome: AttemptOutcome, _ request: HTTPRequest, _ context: RequestContext
    ) -> Next {
        let policy = context.retry ?? self.policy
        guard outcome.status != 401, outcome.error?.code.concernsCredential != true else {
            return .end(.credential)
        }
        guard outcome.isBodyReplayable else { return .end(.bodyNotReplayable) }
        guard outcome.isReplaySafe || policy.repeatsUnsafeRequests else { return .end(.notReplaySafe) }
        guard case .retry(let delay) = policy.decision(after: outcome, random: random) else {
            return .end(.policy)
        }
        var wait = max(delay.bounded, .zero)
        var isInGate = false
        // A single wait: the gate opens no earlier than the delay ends, and orders the retry among the other
        // calls.
        if let outlook = gate?.outlook(request, context), outlook.opening >= wait {
            isInGate = true
            wait = outlook.turn
            guard outlook.isAccepted else {
                let isLate = outcome.remaining.map { $0 <= wait } ?? false
                return .end(isLate ? .deadline(delay: wait) : .rateGate(delay: wait))
            }
        }
        if let remaining = outcome.remaining, remaining <= wait {
            return .end(.deadline(delay: wait))
        }
        // Last, so that only retries that are made take a token.
        if OriginRetryBudgets.takesToken(after: outcome.error, context),
            budgets?.takeRetry(request, context, clock: clock) == false
        {
            return .end(.budget)
        }
        return .retry(after: wait, inGate: isInGate)
    }

    /// The outcome of the last attempt for policies; `nil` for a success.
    private func outcome(of course: RetryCourse, _ request: HTTPRequest) -> AttemptOutcome? {
        var status: Int?
        var retryAfter = course.error?.retryAfter
        if case .success(let response) = course.result {
            guard response.status >= 400 else { return nil }
            status = response.status
            retryAfter = response.fields[.retryAfter].flatMap {
                RetryAfter.parse($0, unixTime: clock.unixTime)
            }
        }
        return AttemptOutcome(
            attempt: course.attempt, method: request.method, origin: request.origin,
            operation: course.context.operation, status: status, error: course.error, retryAfter: retryAfter,
            remaining: course.context.deadline?.remaining(at: clock.time),
            hasIdempotencyKey: request.fields.contains(.idempotencyKey),
            isBodyReplayable: request.body.isReplayable)
    }
}
