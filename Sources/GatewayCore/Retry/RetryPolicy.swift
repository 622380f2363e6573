/// Decides whether and when to send again.
///
/// A policy is asked after every attempt that ended in an error or in a status from 400 on. It is not asked where
/// no policy may say yes: after a 401 or an error of the token layer, which it handles itself; where the body
/// cannot be sent again; and where sending again could do a thing twice
/// (``AttemptOutcome/isReplaySafe``), unless it says ``repeatsUnsafeRequests``. A delay past the deadline ends the
/// call.
public protocol RetryPolicy: Sendable {
    /// Decides after an attempt.
    ///
    /// - Parameters:
    ///   - outcome: what came of it.
    ///   - random: the only randomness to use, so that runs with a seed repeat.
    func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision

    /// Whether requests are sent again although that may do a thing twice: a `POST` without an idempotency key
    /// whose answer was lost, say. By default `false`.
    var repeatsUnsafeRequests: Bool { get }
}

extension RetryPolicy {
    /// `false`.
    public var repeatsUnsafeRequests: Bool { false }
}

/// What to do after an attempt.
public enum RetryDecision: Hashable, Sendable {
    /// Give the outcome to the caller.
    case stop
    /// Send again after a wait, zero or more.
    case retry(after: Duration)
}
