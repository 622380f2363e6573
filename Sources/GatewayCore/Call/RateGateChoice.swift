/// What a call does while a rate limit holds it back. An engine without a rate gate ignores it.
@nonexhaustive
public enum RateGateChoice: Hashable, Sendable {
    /// It waits for its turn, as long as its deadline and the policy of the gate allow.
    case wait
    /// It fails immediately with ``NetworkError/rateLimited``.
    case fail
    /// It is sent immediately. Its response can close gates like any other.
    case ignore
}
