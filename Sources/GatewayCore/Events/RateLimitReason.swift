/// Why a rate gate was closed.
@nonexhaustive
public enum RateLimitReason: Hashable, Sendable {
    /// The server rejected a call with this status.
    case rejected(status: Int)
    /// A response with this status announced that the quota is exhausted.
    case exhausted(status: Int)
}
