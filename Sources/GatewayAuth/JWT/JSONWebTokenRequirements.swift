import GatewayCore

/// The requirements for the claims of a token (RFC 7519 §4.1, RFC 8725 §3).
public struct JSONWebTokenRequirements: Hashable, Sendable {
    /// The required issuer, compared byte by byte; `nil` accepts any.
    public var issuer: String?
    /// The required audience, compared byte by byte; `nil` accepts any. The token can have others, too.
    public var audience: String?
    /// The required type.
    public var type: JSONWebTokenType
    /// The maximum clock difference. Default: 30 s, more than synchronized machines need. Values are clamped to
    /// 0…10,000 years.
    public var leeway: Duration = .seconds(30)
    /// The maximum time since `iat`; `nil` checks only `exp`. If it is set, `iat` is required.
    public var maximumAge: Duration?
    /// Whether `exp` is required. A token without `exp` never expires.
    public var requiresExpiration = true

    /// Creates requirements. Issuer and audience have no default, so that they are not omitted by mistake.
    ///
    /// - Parameters:
    ///   - issuer: the required issuer; `nil` accepts any.
    ///   - audience: the required audience; `nil` accepts any.
    ///   - type: the required type.
    public init(issuer: String?, audience: String?, type: JSONWebTokenType = .jwt) {
        self.issuer = issuer
        self.audience = audience
        self.type = type
    }
}

extension JSONWebToken {
    /// Validates type, issuer, audience and dates.
    ///
    /// - Parameters:
    ///   - requirements: the requirements for the token.
    ///   - unixTime: the current time since 1970-01-01T00:00:00Z.
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
