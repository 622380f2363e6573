import GatewayCore

/// The expiration time of an access token that is a JWT. It is only a hint: nothing is verified, and the gateway
/// decides. Errors in other claims are ignored.
struct ExpiryHint {
    private let expiration: Duration
    private let issuedAt: Duration?

    /// Reads the hint of a token; `nil` if the token is not a JWT or has no expiration time.
    init?(_ token: Secret) {
        guard let claims = try? CompactToken(token).claims,
            let expiration = CompactToken.date(claims["exp"])
        else { return nil }
        self.expiration = expiration
        issuedAt = CompactToken.date(claims["iat"])
    }

    /// The lifetime of a token that was just issued. If the token has both dates, only the issuer's clock is used, so
    /// that an incorrect local clock has no effect.
    func lifetime(unixTime: Duration) -> Duration { expiration - (issuedAt ?? unixTime.bounded) }

    /// The remaining lifetime of a token of unknown age.
    func remaining(unixTime: Duration) -> Duration { expiration - unixTime.bounded }
}
