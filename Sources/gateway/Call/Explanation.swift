import GatewayClient

/// Prints which layer of the engine decided what about a call, to standard error. Events hold no secret.
///
/// Each line names the layer: `options`, `entry`, `credential`, `retry`, `hedging`, `redirect`, `cache`, `rate gate`, `bulkhead`,
/// `attempt`, `connection`, `fallback`.
final class Explanation: RequestEventSink {
    private let timeline: Timeline
    private let options: EffectiveOptions
    /// The number of attempts since the last redirect or replay: what the retry policy counts.
    private let policyAttempts = Locked(0)

    init(_ timeline: Timeline, _ options: EffectiveOptions) {
        self.timeline = timeline
        self.options = options
    }

    /// Prints the options that are in effect.
    func begin(_ request: HTTPRequest) {
        for entry in options.entries(request) { timeline.note("options: \(entry.text)") }
    }

    /// Prints what a layer did.
    func record(_ event: borrowing RequestEvent) {
        let number = event.attempt.number
        switch event.kind {
        case .started:
            timeline.note(
                "entry: the call begins, "
                    + (options.deadline.map { "its deadline is in \(Timeline.text($0))" }
                        ?? "without a deadline"))
        case .deduplicated: timeline.note("coalescing: waits for the response of an equal call")
        case .credentialWaited(let time): timeline.note("credential: waited \(Timeline.text(time)) for it")
        case .rateGateHeld(let time):
            timeline.note(
                "rate gate: a limit of \(event.origin) holds the call back, its turn comes in \(Timeline.text(time))"
            )
        case .rateGateWaited(let time): timeline.note("rate gate: waited \(Timeline.text(time)) for its turn")
        case .admissionWaited(let time): timeline.note("bulkhead: waited \(Timeline.text(time)) for a permit")
        case .attemptStarted: begin(event.attempt)
        case .attemptEnded(let end): timeline.note("attempt \(number): \(Self.text(end))")
        case .exchanged(let timings):
            timeline.note("connection: attempt \(number), \(Timeline.text(timings))")
        case .retryScheduled(let delay, let status, let error):
            timeline.note(
                "retry: \(Self.cause(status, error)) is retryable, next attempt in \(Timeline.text(delay))"
                    + budget(error))
        case .notRetried(let reason, let status, let error):
            timeline.note("retry: no further attempt, \(text(reason, status, error))")
        case .hedged(let delay):
            timeline.note("hedging: no response after \(Timeline.text(delay)), a second request is sent")
        case .hedgeDecided(let winner): timeline.note("hedging: \(Self.text(winner))")
        case .cacheLookedUp(let result): timeline.note("cache: \(Self.text(result))")
        case .cacheStored(let bytes): timeline.note("cache: the response is stored, \(bytes) bytes")
        case .fallbackUsed(let step, let status, let error):
            timeline.note("fallback: \(step) is used, in place of \(Self.cause(status, error))")
        case .redirected(let status, let origin):
            timeline.note(
                "redirect: \(status) leads to \(origin)"
                    + (origin == event.origin ? "" : "; other origins get no credential"))
        case .credentialRejected(let generation):
            timeline.note("credential: token \(generation) was rejected by the response")
        case .replayed(let generation):
            timeline.note("credential: the call is sent again with token \(generation) or a later one")
        case .succeeded(let status, let attempts, let duration):
            timeline.note("entry: \(status), \(Self.attempts(attempts)), \(remaining(after: duration))")
        case .failed(let cause, let attempts, let duration):
            timeline.note(
                "entry: \(cause.code.name), \(Self.attempts(attempts)), \(remaining(after: duration))")
        case .cancelled: timeline.note("entry: cancelled")
        case .bodyFailed(let cause):
            timeline.note("connection: the body of the response ended early (\(cause.code.name))")
        @unknown default: break
        }
    }

    /// Prints what happened to the token.
    func record(_ event: borrowing TokenEvent) { timeline.record(event) }

    /// Prints what happened that belongs to no call.
    func record(_ event: borrowing StateEvent) { timeline.record(event) }

    // MARK: Texts

    private func begin(_ attempt: AttemptInfo) {
        let reason =
            switch attempt.reason {
            case .first: "the first"
            case .retry: "a retry"
            case .replay: "a replay with another token"
            case .redirect: "the target of a redirect"
            case .nonce: "a replay with the server's nonce"
            case .stepUp: "a replay with more scopes"
            case .hedge: "a hedge beside the one before"
            @unknown default: "another one"
            }
        if attempt.reason != .hedge {
            policyAttempts.withLock { $0 = attempt.reason == .retry ? $0 + 1 : 1 }
        }
        timeline.note("attempt \(attempt.number): begins, \(reason)")
    }

    private func budget(_ error: NetworkError.Code?) -> String {
        options.hasBudget && error?.isLocalRejection != true ? "; takes one from the retry budget" : ""
    }

    private func text(_ reason: RetryRefusal, _ status: Int?, _ error: NetworkError.Code?) -> String {
        switch reason {
        case .policy:
            if let limit = options.retry?.maximumAttempts, policyAttempts.withLock({ $0 }) >= limit {
                limit == 1 ? "retries are off" : "all \(limit) attempts are made"
            } else {
                "\(Self.cause(status, error)) is not retryable"
            }
        case .deadline(let delay): "the next one is due in \(Timeline.text(delay)), after the deadline"
        case .rateGate(let delay):
            "a rate limit allows the next one in \(Timeline.text(delay)), and the call does not wait so long"
        case .budget: "the retry budget of the origin is exhausted"
        case .notReplaySafe: "the server could process the request twice (see --idempotency-key)"
        case .bodyNotReplayable: "the body cannot be sent again"
        case .credential: "\(Self.cause(status, error)) is handled by authentication"
        @unknown default: "no reason is known"
        }
    }

    private func remaining(after duration: Duration) -> String {
        guard let deadline = options.deadline else { return "after \(Timeline.text(duration))" }
        let rest = max(.zero, deadline - duration)
        return "after \(Timeline.text(duration)), \(Timeline.text(rest)) before the deadline"
    }

    private static func cause(_ status: Int?, _ error: NetworkError.Code?) -> String {
        status.map { "status \($0)" } ?? error.map { "the error \($0.name)" } ?? "the outcome"
    }

    private static func text(_ winner: HedgeOutcome) -> String {
        switch winner {
        case .first: "the first request brought the response"
        case .hedge: "the second request brought the response"
        case .none: "both requests failed"
        }
    }

    private static func text(_ result: CacheResult) -> String {
        switch result {
        case .hit: "a fresh stored response is used"
        case .stale: "a stale stored response is used"
        case .miss: "the request is sent"
        case .revalidated: "the server has validated the stored response, which is used"
        @unknown default: "an unknown result"
        }
    }

    private static func attempts(_ count: Int) -> String { "\(count) attempt\(count == 1 ? "" : "s")" }

    private static func text(_ end: AttemptEnd) -> String {
        switch end.outcome {
        case .response(let status): "response with status \(status)"
        case .error(let code, let phase):
            "failed with \(code.name)" + (phase.map { " in the phase \($0.rawValue)" } ?? "")
        }
    }
}
