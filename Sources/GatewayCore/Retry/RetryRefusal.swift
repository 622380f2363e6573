/// Why a failed attempt is not retried.
@nonexhaustive
public enum RetryRefusal: Hashable, Sendable {
    /// The retry policy decided to stop: the maximum number of attempts was reached, or the status or error is not
    /// retryable.
    case policy
    /// The next attempt would start after the deadline of the call.
    case deadline(delay: Duration)
    /// A rate limit delays the next attempt by this time, which is too long for the call.
    case rateGate(delay: Duration)
    /// The retry budget of the origin is exhausted.
    case budget
    /// The server could process the request twice (``AttemptOutcome/isReplaySafe``).
    case notReplaySafe
    /// The request body cannot be sent again.
    case bodyNotReplayable
    /// The attempt failed because of its credential, which authentication handles.
    case credential
}
