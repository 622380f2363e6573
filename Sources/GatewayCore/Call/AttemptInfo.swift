/// Which attempt of a call a request is.
public struct AttemptInfo: Hashable, Sendable {
    /// Why an attempt is made.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable {
        /// The call's first attempt.
        case first
        /// The attempt before failed, or its status asked for another one.
        case retry
        /// The credential of the attempt before was rejected, and there is a newer one.
        case replay
        /// The response before was a redirect.
        case redirect
        /// The proof of the attempt before lacked the server's nonce (RFC 9449 §9).
        case nonce
        /// The response before required more scopes (RFC 6750 §3.1).
        case stepUp
        /// The attempt before takes long, and has not ended (see `HedgingPolicy`).
        case hedge
    }

    /// The number of the attempt within its call, from 1, over retries, redirects and replays.
    public var number: Int
    /// Why it is made.
    public var reason: Reason

    /// Whether the call is sent again because of its credential: such attempts come before first ones, or they would meet the
    /// next rejection.
    package var isReplay: Bool {
        switch reason {
        case .replay, .nonce, .stepUp: true
        default: false
        }
    }

    /// The first attempt of a call.
    public static let first = AttemptInfo(number: 1, reason: .first)

    /// Makes the account of an attempt.
    ///
    /// - Parameter number: 1 or more; less counts as 1.
    public init(number: Int, reason: Reason) {
        self.number = max(1, number)
        self.reason = reason
    }
}
