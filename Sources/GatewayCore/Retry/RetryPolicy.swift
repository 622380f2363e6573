/// Decides whether and when a request is retried.
///
/// A policy is called after each attempt with an error or a status of 400 or more. It is not called after a 401 or an
/// error of the token layer, which authentication handles; if the body cannot be sent again; or if the server could
/// process the request twice (``AttemptOutcome/isReplaySafe``), unless ``repeatsUnsafeRequests`` is true. A delay that
/// ends after the deadline ends the call.
///
/// ```swift
/// struct Patient: RetryPolicy, Hashable {
///     func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision {
///         guard outcome.operation == "listBooks", outcome.attempt < 5 else { return .stop }
///         return .retry(after: .seconds(1))
///     }
/// }
/// ```
/// Calls whose options contain a policy that is not `Equatable` do not share responses with equal calls.
public protocol RetryPolicy: Sendable {
    /// Decides whether and when to make the next attempt.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the attempt.
    ///   - random: the only source of randomness to use, so that runs with a seed are repeatable.
    func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision

    /// Whether requests are retried although the server could process them twice, for example a `POST` without an
    /// idempotency key whose response was lost. Default: `false`.
    var repeatsUnsafeRequests: Bool { get }

    /// Validates the policy when an engine is created. Default: does nothing.
    ///
    /// - Throws: ``NetworkError`` with the code ``NetworkError/misconfigured``. The message contains the property.
    func validate() throws(NetworkError)
}

extension RetryPolicy {
    /// Default: `false`.
    public var repeatsUnsafeRequests: Bool { false }
    /// Default: does nothing.
    public func validate() throws(NetworkError) {}
}

/// The decision of a ``RetryPolicy``.
public enum RetryDecision: Hashable, Sendable {
    /// Returns the outcome to the caller.
    case stop
    /// Makes another attempt after a delay of zero or more.
    case retry(after: Duration)
}
