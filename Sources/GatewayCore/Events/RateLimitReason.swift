/// Why a rate gate closed.
@nonexhaustive
public enum RateLimitReason: Hashable, Sendable {
    /// The server rejected a call with this status.
    case rejected(status: Int)
    /// A response of this status says that nothing of the quota remains.
    case exhausted(status: Int)
}
