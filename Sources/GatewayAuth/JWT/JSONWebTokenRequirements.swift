import GatewayCore

/// What a token must say to be valid here and now (RFC 7519 §4.1, RFC 8725 §3).
public struct JSONWebTokenRequirements: Hashable, Sendable {
    /// The only issuer that will do, compared byte by byte; `nil` for any.
    public var issuer: String?
    /// Who must be among the audiences, compared byte by byte; `nil` where that does not matter.
    public var audience: String?
    /// The only kind of token that will do.
    public var type: JSONWebTokenType
    /// How far clocks may be apart. Half a minute: more than machines with a time server need. More than 10,000 years
    /// count as that.
    public var leeway: Duration = .seconds(30)
    /// How long ago the token may have been issued; `nil` where `exp` decides alone. It makes `iat` necessary.
    public var maximumAge: Duration?
    /// Whether a token must name its end. Without one it would be good for ever.
    public var requiresExpiration = true

    /// Requirements; whoever leaves out issuer or audience says so.
    ///
    /// - Parameters:
    ///   - issuer: the only issuer that will do; `nil` for any.
    ///   - audience: who must be among the audiences; `nil` where that does not matter.
    ///   - type: the only kind of token that will do.
    public init(issuer: String?, audience: String?, type: JSONWebTokenType = .jwt) {
        self.issuer = issuer
        self.audience = audience
        self.type = type
    }
}

extension JSONWebToken {
    /// Checks of which kind the token is, from whom, for whom, and when it is valid.
    ///
    /// - Parameters:
    ///   - requirements: what the token must say.
    ///   - unixTime: now, since 1970-01-01T00:00:00Z.
    /// - Throws: ``JSONWebTokenError`` with code `wrongType`, `wrongIssuer`, `wrongAudience`, `missingClaim`,
    ///   `expired`, `notYetValid` or `tooOld`.
    public func check(
        _ requirements: JSONWebTokenRequirements, unixTime: Duration
    ) throws(JSONWebTokenError) {
        let (unixTime, leeway) = (unixTime.bounded, requirements.leeway.bounded)
        guard requirements.type.admits(header["typ"]) else {
            throw JSONWebTokenError(.wrongType, "The token has another type.")
        }
        if let issuer = requirements.issuer, self.issuer?.hasSameBytes(as: issuer) != true {
            throw JSONWebTokenError(.wrongIssuer, "The token comes from another issuer.")
        }
        if let audience = requirements.audience, !audiences.contains(where: audience.hasSameBytes) {
            throw JSONWebTokenError(.wrongAudience, "The token has another audience.")
        }
        if let expiration {
            guard unixTime < expiration + leeway else {
                throw JSONWebTokenError(.expired, "The token has expired.")
            }
        } else if requirements.requiresExpiration {
            throw JSONWebTokenError(.missingClaim, "The token has no expiration time.")
        }
        if let notBefore, unixTime + leeway < notBefore {
            throw JSONWebTokenError(.notYetValid, "The token is not valid yet.")
        }
        guard let maximumAge = requirements.maximumAge else { return }
        guard let issuedAt else {
            throw JSONWebTokenError(.missingClaim, "The token has no issue time.")
        }
        guard issuedAt <= unixTime + leeway else {
            throw JSONWebTokenError(.notYetValid, "The token was issued in the future.")
        }
        guard unixTime - issuedAt <= maximumAge.bounded + leeway else {
            throw JSONWebTokenError(.tooOld, "The token was issued too long ago.")
        }
    }
}
