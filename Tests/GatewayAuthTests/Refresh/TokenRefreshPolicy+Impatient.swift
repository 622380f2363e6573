import GatewayAuth

extension TokenRefreshPolicy {
    /// The defaults, with callers that wait for no second flight: for tests of a single failure.
    static var impatient: TokenRefreshPolicy {
        var policy = TokenRefreshPolicy()
        policy.outagePatience = .zero
        return policy
    }
}
