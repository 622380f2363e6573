public import GatewayCore
public import GatewayJSON

/// A JSON Web Token in its compact, signed form (RFC 7519, RFC 7515 §7.1): read strictly, with the signature not yet
/// checked.
///
/// Reading a token says what it claims, not whether that is true: ``verify(_:key:type:)`` does, and
/// ``JSONWebTokenVerifier`` with the keys that an issuer publishes. A client may read the end of its own access token
/// as a hint, and nothing else.
public struct JSONWebToken: Sendable {
    /// The longest token that is made or read, in bytes. libjwt keeps tokens on the stack.
    public static let maximumBytes = 16 << 10

    /// The members of the header.
    public let header: [String: JSONValue]
    /// The members of the payload.
    public let claims: [String: JSONValue]

    /// Reads a token.
    ///
    /// - Parameter token: exactly three parts of base64url without padding; header and payload are JSON objects
    ///   without duplicate keys. Where they occur `iss`, `sub` and `jti` are texts, `aud` is a text or a list of
    ///   texts, and `exp`, `nbf` and `iat` are numbers (RFC 7519 §2, §4.1).
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
                throw JSONWebTokenError(.malformed, "The claim '\(name)' is not a text.")
            }
        }
        switch claims["aud"]?.content {
        case nil, .string: break
        case .array(let audiences) where audiences.allSatisfy({ $0.string != nil }): break
        default:
            throw JSONWebTokenError(.malformed, "The claim 'aud' must be a string or an array of strings.")
        }
        guard header["kid"] == nil || keyID != nil else {
            throw JSONWebTokenError(.malformed, "The key id is not a text.")
        }
    }

    /// `exp`: when the token ends, since 1970-01-01T00:00:00Z. Dates are held from then to the year 9999.
    public var expiration: Duration? { CompactToken.date(claims["exp"]) }
    /// `nbf`: from when on the token may be used.
    public var notBefore: Duration? { CompactToken.date(claims["nbf"]) }
    /// `iat`: when the token was issued.
    public var issuedAt: Duration? { CompactToken.date(claims["iat"]) }
    /// `iss`: who issued it.
    public var issuer: String? { claims["iss"]?.string }
    /// `sub`: whom it speaks of.
    public var subject: String? { claims["sub"]?.string }
    /// `jti`: its unique identifier.
    public var id: String? { claims["jti"]?.string }
    /// `aud`: for whom it is meant; a single text or a list (RFC 7519 §4.1.3).
    public var audiences: [String] {
        switch claims["aud"]?.content {
        case .string(let audience): [audience]
        case .array(let audiences): audiences.compactMap(\.string)
        default: []
        }
    }
    /// `kid` of the header: which of the issuer's keys signed it, as it says itself (RFC 7515 §4.1.4).
    public var keyID: String? { header["kid"]?.string }
}

extension JSONWebToken: Redacted {
    private static let registeredClaims = ["aud", "exp", "iat", "iss", "jti", "nbf", "sub"]

    /// Which of the registered claims there are and how many others; never a value, nor a name that the token made up.
    public var description: String {
        let known = Self.registeredClaims.filter { claims[$0] != nil }
        let others = claims.count - known.count
        let names = known + (others == 0 ? [] : ["\(others) more"])
        return names.isEmpty ? "JWT without claims" : "JWT with \(names.joined(separator: ", "))"
    }
}
