/// Why no further attempt follows one that failed.
@nonexhaustive
public enum RetryRefusal: Hashable, Sendable {
    /// The retry policy asks for none: the attempts are used up, or the status or error is not retryable.
    case policy
    /// The next attempt is due after the call's deadline.
    case deadline(delay: Duration)
    /// A rate limit allows the next attempt after this time, which is longer than the call may wait for it.
    case rateGate(delay: Duration)
    /// The retry budget of the origin is exhausted.
    case budget
    /// The server could process the request twice (``AttemptOutcome/isReplaySafe``).
    case notReplaySafe
    /// The request's body cannot be sent again.
    case bodyNotReplayable
    /// The attempt failed because of its credential, which authentication handles.
    case credential
}
