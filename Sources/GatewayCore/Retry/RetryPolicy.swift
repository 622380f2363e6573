/// Decides whether and when to send again.
///
/// A policy is asked after every attempt whose outcome is not a plain success. Whether sending again is *safe*
/// has been judged before: see ``AttemptOutcome/isReplaySafe``. A delay past the deadline ends the call.
public protocol RetryPolicy: Sendable {
    /// Decides after an attempt.
    ///
    /// - Parameters:
    ///   - outcome: what came of it.
    ///   - random: the only randomness to use, so that runs with a seed repeat.
    func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision
}

/// What to do after an attempt.
public enum RetryDecision: Hashable, Sendable {
    /// Give the outcome to the caller.
    case stop
    /// Send again after a wait, zero or more.
    case retry(after: Duration)
}
