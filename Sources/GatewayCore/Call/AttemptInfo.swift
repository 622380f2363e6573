/// The number and reason of an attempt within its call.
public struct AttemptInfo: Hashable, Sendable {
    /// The reason for an attempt.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable {
        /// The call's first attempt.
        case first
        /// The previous attempt failed, or its status is retryable.
        case retry
        /// The credential of the previous attempt was rejected, and there is a newer one.
        case replay
        /// The previous response was a redirect.
        case redirect
        /// The DPoP proof of the previous attempt lacked the server's nonce (RFC 9449 §9).
        case nonce
        /// The previous response required more scopes (RFC 6750 §3.1).
        case stepUp
        /// The previous attempt is slow and still in progress (see `HedgingPolicy`).
        case hedge
    }

    /// The number of the attempt within its call, from 1, over retries, redirects and replays.
    public var number: Int
    /// The reason for the attempt.
    public var reason: Reason

    /// Whether the call is sent again because of its credential: such attempts take precedence over first ones, so that
    /// their new credential does not expire while they wait.
    package var isReplay: Bool {
        switch reason {
        case .replay, .nonce, .stepUp: true
        default: false
        }
    }

    /// The first attempt of a call.
    public static let first = AttemptInfo(number: 1, reason: .first)

    /// Creates the information on an attempt.
    ///
    /// - Parameter number: 1 or more; less counts as 1.
    public init(number: Int, reason: Reason) {
        self.number = max(1, number)
        self.reason = reason
    }
}
