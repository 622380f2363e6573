public import GatewayCore

/// Retries failed attempts as a ``RetryPolicy`` decides, within the call's deadline.
///
/// Regardless of the policy, a request is not sent again after a 401 or an error of the token layer, with a body that cannot
/// be sent again, or (unless the policy allows it) if the server could process it twice. When attempts or time run out,
/// the last response is returned or the last error thrown, with the number of all attempts. Its
/// ``NetworkError/mayHaveBeenSent`` is true if any of the attempts may have reached the server. The same happens when the
/// ``RetryBudget`` of the origin is exhausted.
public struct RetryEngine<Below: RequestEngine>: RequestEngine {
    private let below: Below
    private let policy: any RetryPolicy
    /// The clock that deadlines and delays are measured on.
    public let clock: any GatewayClock
    private let random: any RandomSource
    private let budgets: OriginRetryBudgets?
    private let onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)?

    /// Makes a layer above an engine.
    ///
    /// - Parameters:
    ///   - below: the engine that makes each attempt.
    ///   - policy: the retry policy of calls without one of their own.
    ///   - budget: how many retries the calls to an origin may make; `nil` for any number.
    ///   - onRetry: called before each wait for a retry, with the outcome of the attempt and the delay; must not block.
    ///   - clock: the clock of deadlines and delays.
    ///   - random: the source of jitter.
    public init(
        below: Below, policy: any RetryPolicy, budget: RetryBudget? = nil,
        onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)? = nil,
        clock: any GatewayClock = SystemClock(), random: any RandomSource = SystemRandomSource()
    ) {
        self.init(
            below: below, policy: policy, budgets: budget.map(OriginRetryBudgets.init), onRetry: onRetry,
            clock: clock, random: random)
    }

    /// Makes a layer that shares its budgets with another one.
    init(
        below: Below, policy: any RetryPolicy, budgets: OriginRetryBudgets?,
        onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)?, clock: any GatewayClock,
        random: any RandomSource
    ) {
        self.below = below
        self.policy = policy
        self.budgets = budgets
        self.onRetry = onRetry
        self.clock = clock
        self.random = random
    }

    /// Makes the call, with as many attempts as it needs and the policy allows.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        budgets?.recordRequest(request, context, clock: clock)
        let first: First
        do {
            let response = try await below.send(request, context: context)
            guard response.status >= 400 else { return response }
            first = .response(response)
        } catch {
            first = .error(error)
        }
        return try await proceed(after: first, request, context: context)
    }

    /// The outcome of the first attempt. Indirect, to keep the async frame of calls without retries small.
    private indirect enum First {
        case response(HTTPResponse)
        case error(NetworkError)

        var result: Result<HTTPResponse, NetworkError> {
            switch self {
            case .response(let response): .success(response)
            case .error(let error): .failure(error)
            }
        }
    }

    /// Out of line, to keep the async frame of calls without retries small.
    @inline(never)
    private func proceed(
        after first: First, _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        var (result, context) = (first.result, context)
        let number = context.attempt.number
        var attempt = 1
        var made = 0
        var mayHaveBeenSent = false
        while true {
            let outcome: AttemptOutcome
            switch result {
            case .success(var response):
                made = made.addingClamped(response.exchange.attempts)
                mayHaveBeenSent = true
                response.exchange.attempts = made
                response.exchange.attemptNumber = context.attempt.number
                guard response.status >= 400 else { return response }
                result = .success(response)
                outcome = self.outcome(of: response, attempt: attempt, request, context)
            case .failure(let error):
                made = made.addingClamped(error.attempts)
                mayHaveBeenSent = mayHaveBeenSent || error.mayHaveBeenSent
                result = .failure(error.with(attempts: made, mayHaveBeenSent: mayHaveBeenSent))
                outcome = self.outcome(of: error, attempt: attempt, request, context)
            }
            let delay: Duration
            switch next(after: outcome, request, context) {
            case .retry(let wait): delay = wait
            case .end(let reason):
                context.record(
                    .notRetried(reason, status: outcome.status, error: outcome.error?.code), for: request)
                if case .deadline(let wait) = reason { result = result.cutShort(of: wait) }
                return try result.get()
            }
            // A stream that is not read must not hold its connection while the call waits.
            if case .success(let response) = result { response.body.discard() }
            context.record(
                .retryScheduled(delay: delay, status: outcome.status, error: outcome.error?.code),
                for: request)
            onRetry?(outcome, delay)
            do {
                try await clock.sleep(until: clock.now.adding(delay))
            } catch {
                if OriginRetryBudgets.takesToken(after: outcome.error, context) {
                    budgets?.returnRetry(request, context, clock: clock)
                }
                throw NetworkError(
                    .cancelled, "The task was cancelled while the call waited for its next attempt.",
                    origin: request.origin, attempts: made, mayHaveBeenSent: mayHaveBeenSent)
            }
            context.attempt = AttemptInfo(
                number: number.addingClamped(max(made, attempt)), reason: .retry)
            // Every kept connection may be about to end, as after a restart of the server. Not at the first loss, so that
            // the many requests of one lost HTTP/2 connection share the next one.
            context.opensConnection = attempt > 1 && outcome.error?.code == .connectionLost
            attempt += 1
            do {
                result = .success(try await below.send(request, context: context))
            } catch {
                result = .failure(error)
            }
        }
    }

    private enum Next {
        case retry(after: Duration)
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
        let wait = max(delay.bounded, .zero)
        if let remaining = outcome.remaining, remaining <= wait {
            return .end(.deadline(delay: wait))
        }
        // Last, so that only a retry that is made takes a token.
        if OriginRetryBudgets.takesToken(after: outcome.error, context),
            budgets?.takeRetry(request, context, clock: clock) == false
        {
            return .end(.budget)
        }
        return .retry(after: wait)
    }

    private func outcome(
        of response: HTTPResponse, attempt: Int, _ request: HTTPRequest, _ context: RequestContext
    ) -> AttemptOutcome {
        AttemptOutcome(
            attempt: attempt, method: request.method, origin: request.origin, operation: context.operation,
            status: response.status,
            retryAfter: response.fields[.retryAfter].flatMap {
                RetryAfter.parse($0, unixTime: clock.unixTime)
            },
            remaining: context.deadline?.remaining(at: clock.now),
            hasIdempotencyKey: request.fields.contains(.idempotencyKey),
            isBodyReplayable: request.body.isReplayable)
    }

    private func outcome(
        of error: NetworkError, attempt: Int, _ request: HTTPRequest, _ context: RequestContext
    ) -> AttemptOutcome {
        AttemptOutcome(
            attempt: attempt, method: request.method, origin: request.origin, operation: context.operation,
            error: error, retryAfter: error.retryAfter,
            remaining: context.deadline?.remaining(at: clock.now),
            hasIdempotencyKey: request.fields.contains(.idempotencyKey),
            isBodyReplayable: request.body.isReplayable)
    }
}

extension Result<HTTPResponse, NetworkError> {
    /// The outcome of a call whose deadline left no time for the wait before the next attempt.
    fileprivate func cutShort(of wait: Duration) -> Self {
        switch self {
        case .success(var response):
            response.exchange.unmetDelay = wait
            return .success(response)
        case .failure(let error): return .failure(error.with(unmetDelay: wait))
        }
    }
}
