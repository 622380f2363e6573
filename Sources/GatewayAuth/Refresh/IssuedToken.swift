import GatewayCore

/// A token that was granted, with the instants that matter on the monotonic clock.
final class IssuedToken: Sendable {
    let generation: UInt64
    let accessToken: Secret
    let type: AccessTokenType
    /// The `Authorization` of requests, made once. It is valid: the characters of the token were checked.
    let field: TrailingField
    /// From here on it is renewed in the background.
    let advisory: ContinuousClock.Instant
    /// From here on a newer one is waited for.
    let mandatory: ContinuousClock.Instant
    /// From here on it is worth nothing.
    let expiry: ContinuousClock.Instant

    /// - Parameters:
    ///   - grant: what was granted.
    ///   - generation: the token's number.
    ///   - sent: when it was asked for, from where its lifetime counts: the server began counting later.
    ///   - now: when it came.
    ///   - chance: from 0 to 1.
    /// - Throws: `tokenExpiredOnArrival`, or `tokenResponseMalformed` for a token that cannot be sent.
    init(
        _ grant: TokenGrant, generation: UInt64, sent: ContinuousClock.Instant, now: ContinuousClock.Instant,
        policy: TokenRefreshPolicy, chance: Double
    ) throws(NetworkError) {
        if let fault = TokenSyntax.fault(in: grant.accessToken.exposed) {
            throw NetworkError(
                .tokenResponseMalformed, "The access token from the token acquirer \(fault).")
        }
        let lifetime = min(grant.expiresIn ?? policy.assumedLifetime, policy.longestLifetime).bounded
        expiry = sent.adding(lifetime)
        // Less than a second is less than a request takes, and would renew without end.
        guard lifetime >= .seconds(1), now < expiry else {
            throw NetworkError(
                .tokenExpiredOnArrival,
                "The token had already expired when it arrived. Check its lifetime, and this machine's clock."
            )
        }
        mandatory = expiry - policy.mandatoryMargin(of: lifetime)
        advisory = min(mandatory, expiry - policy.advisoryMargin(of: lifetime, chance: chance))
        self.generation = generation
        accessToken = grant.accessToken
        type = grant.type
        field = TrailingField(.authorization, grant.type.scheme + " " + grant.accessToken.exposed)
    }
}
