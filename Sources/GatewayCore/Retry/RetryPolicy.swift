/// Decides whether and when a request is sent again.
///
/// A policy is asked after each attempt that ended in an error or with a status of 400 or more. It is not asked after a 401
/// or an error of the token layer, which authentication handles; if the body cannot be sent again; and if the server could
/// process the request twice (``AttemptOutcome/isReplaySafe``), unless the policy has ``repeatsUnsafeRequests``. A delay past
/// the deadline ends the call.
///
/// ```swift
/// struct Patient: RetryPolicy, Hashable {
///     func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision {
///         guard outcome.operation == "listBooks", outcome.attempt < 5 else { return .stop }
///         return .retry(after: .seconds(1))
///     }
/// }
/// ```
/// A policy that is not `Equatable` keeps calls that name it from sharing responses with equal calls.
public protocol RetryPolicy: Sendable {
    /// Returns whether and when to make the next attempt.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the attempt.
    ///   - random: the only source of randomness to use, so that a run with a seed can be repeated.
    func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision

    /// Whether requests are sent again although the server could process them twice, such as a `POST` without an
    /// idempotency key whose response was lost. By default `false`.
    var repeatsUnsafeRequests: Bool { get }

    /// Checks the policy when an engine is made. By default every policy is valid.
    ///
    /// - Throws: ``NetworkError`` with the code ``NetworkError/misconfigured``, which names the property.
    func validate() throws(NetworkError)
}

extension RetryPolicy {
    /// `false`.
    public var repeatsUnsafeRequests: Bool { false }
    /// Does nothing.
    public func validate() throws(NetworkError) {}
}

/// The decision of a ``RetryPolicy``.
public enum RetryDecision: Hashable, Sendable {
    /// Return the outcome to the caller.
    case stop
    /// Make another attempt after a delay of zero or more.
    case retry(after: Duration)
}
