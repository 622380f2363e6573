import GatewayCore

/// What an access token that happens to be a JWT says about its own end. It is a hint: nothing is verified, and the
/// gateway has the last word. Claims that are of no interest here may break their rules.
struct ExpiryHint {
    private let expiration: Duration
    private let issuedAt: Duration?

    /// The hint of a token; `nil` for one that is opaque or names no end.
    init?(_ token: Secret) {
        guard let claims = try? CompactToken(token).claims,
            let expiration = CompactToken.date(claims["exp"])
        else { return nil }
        self.expiration = expiration
        issuedAt = CompactToken.date(claims["iat"])
    }

    /// The lifetime of a token that has just been issued: by the issuer's clock alone where it tells both dates, so
    /// that a wrong clock here makes no difference.
    func lifetime(unixTime: Duration) -> Duration { expiration - (issuedAt ?? unixTime.bounded) }

    /// What is left of a token of unknown age.
    func remaining(unixTime: Duration) -> Duration { expiration - unixTime.bounded }
}
