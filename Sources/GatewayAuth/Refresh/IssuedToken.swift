import GatewayCore

/// A granted token, with its instants on the monotonic clock.
final class IssuedToken: Sendable {
    let generation: UInt64
    let accessToken: Secret
    let type: AccessTokenType
    /// The `Authorization` field of requests, created once. It is valid, because the characters of the token were
    /// checked.
    let field: TrailingField
    /// When to start refreshing the token in the background.
    let advisory: ContinuousClock.Instant
    /// When calls start to wait for a newer token, if one can be obtained.
    let mandatory: ContinuousClock.Instant
    /// When the token expires.
    let expiry: ContinuousClock.Instant

    /// - Parameters:
    ///   - grant: the grant.
    ///   - generation: the generation of the token.
    ///   - sent: when the request was sent, from which the lifetime is counted. The server's count starts later.
    ///   - now: when the response was received.
    ///   - chance: a random number from 0 to 1.
    /// - Throws: `tokenExpiredOnArrival`, or `tokenResponseMalformed` if the token cannot be sent.
    init(
        _ grant: TokenGrant, generation: UInt64, sent: ContinuousClock.Instant, now: ContinuousClock.Instant,
        policy: TokenRefreshPolicy, chance: Double
    ) throws(NetworkError) {
        if let fault = TokenSyntax.fault(in: grant.accessToken.exposed) {
            throw NetworkError(
                .tokenResponseMalformed, "The access token from the token acquirer \(fault).",
                origin: grant.origin, status: grant.status)
        }
        let lifetime = min(grant.expiresIn ?? policy.assumedLifetime, policy.longestLifetime).bounded
        expiry = sent.adding(lifetime)
        // A lifetime of less than a second is shorter than a request and would cause endless refreshes.
        guard lifetime >= .seconds(1), now < expiry else {
            throw NetworkError(
                .tokenExpiredOnArrival,
                "The token had already expired when it arrived. Check its lifetime, and this machine's clock.",
                origin: grant.origin, status: grant.status)
        }
        mandatory = expiry - policy.mandatoryMargin(of: lifetime)
        advisory = min(mandatory, expiry - policy.advisoryMargin(of: lifetime, chance: chance))
        self.generation = generation
        accessToken = grant.accessToken
        type = grant.type
        field = TrailingField(.authorization, grant.type.scheme + " " + grant.accessToken.exposed)
    }
}
