public import GatewayCore
public import GatewayJSON

/// A JSON Web Token in compact, signed form (RFC 7519, RFC 7515 §7.1), parsed strictly. Its signature is not verified
/// yet.
///
/// To verify the signature use ``verify(_:key:type:)``, or ``JSONWebTokenVerifier`` with the keys that an issuer
/// publishes. A client may read the expiration time of its own access token as a hint, but must not rely on other
/// claims.
public struct JSONWebToken: Sendable {
    /// The maximum size of a token in bytes, for signing and parsing. Why: libjwt keeps tokens on the stack.
    public static let maximumBytes = 16 << 10

    /// The members of the header.
    public let header: [String: JSONValue]
    /// The members of the payload.
    public let claims: [String: JSONValue]

    /// Parses a token.
    ///
    /// - Parameter token: three parts in base64url without padding. Header and payload are JSON objects without
    ///   duplicate keys. If present, `iss`, `sub` and `jti` must be strings, `aud` a string or an array of strings, and
    ///   `exp`, `nbf` and `iat` numbers (RFC 7519 §2, §4.1).
    /// - Throws: ``JSONWebTokenError`` with code `malformed`.
    public init(decoding token: Secret) throws(JSONWebTokenError) {
        try self.init(CompactToken(token))
    }

    init(_ token: CompactToken) throws(JSONWebTokenError) {
        header = token.header
        claims = token.claims
        for name in ["exp", "nbf", "iat"] where claims[name] != nil {
            guard CompactToken.date(claims[name]) != nil else {
                throw JSONWebTokenError(.malformed, "The claim '\(name)' is not a number of seconds.")
            }
        }
        for name in ["iss", "sub", "jti"] where claims[name] != nil {
            guard claims[name]?.string != nil else {
                throw JSONWebTokenError(.malformed, "The claim '\(name)' is not a string.")
            }
        }
        switch claims["aud"]?.content {
        case nil, .string: break
        case .array(let audiences) where audiences.allSatisfy({ $0.string != nil }): break
        default:
            throw JSONWebTokenError(.malformed, "The claim 'aud' must be a string or an array of strings.")
        }
        guard header["kid"] == nil || keyID != nil else {
            throw JSONWebTokenError(.malformed, "The key id is not a string.")
        }
    }

    /// `exp`: the expiration time since 1970-01-01T00:00:00Z. Dates are clamped to the years 1970 to 9999.
    public var expiration: Duration? { CompactToken.date(claims["exp"]) }
    /// `nbf`: the time before which the token must not be used.
    public var notBefore: Duration? { CompactToken.date(claims["nbf"]) }
    /// `iat`: the time at which the token was issued.
    public var issuedAt: Duration? { CompactToken.date(claims["iat"]) }
    /// `iss`: the issuer.
    public var issuer: String? { claims["iss"]?.string }
    /// `sub`: the subject.
    public var subject: String? { claims["sub"]?.string }
    /// `jti`: the unique identifier.
    public var id: String? { claims["jti"]?.string }
    /// `aud`: the intended recipients, from a single string or an array (RFC 7519 §4.1.3).
    public var audiences: [String] {
        switch claims["aud"]?.content {
        case .string(let audience): [audience]
        case .array(let audiences): audiences.compactMap(\.string)
        default: []
        }
    }
    /// `kid` of the header: the identifier of the signing key as the token states it (RFC 7515 §4.1.4).
    public var keyID: String? { header["kid"]?.string }
}

extension JSONWebToken: Redacted {
    private static let registeredClaims = ["aud", "exp", "iat", "iss", "jti", "nbf", "sub"]

    /// The names of the registered claims, and the number of others. Contains no values and no other names.
    public var description: String {
        let known = Self.registeredClaims.filter { claims[$0] != nil }
        let others = claims.count - known.count
        let names = known + (others == 0 ? [] : ["\(others) more"])
        return names.isEmpty ? "JWT without claims" : "JWT with \(names.joined(separator: ", "))"
    }
}
