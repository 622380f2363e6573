public import GatewayCore
public import GatewayJSON

/// An assertion that is signed for each request (RFC 7523 §3), with new `jti`, `iat` and `exp`, so that servers that
/// accept each assertion only once accept it.
public struct SignedAssertion: Sendable {
    /// `iss`: the issuer.
    public let issuer: String
    /// `sub`: the subject; `nil` uses the subject of the token key.
    public let subject: String?

    private let audience: String?
    private let claims: [String: JSONValue]
    private let key: JSONWebTokenKey
    private let keyID: String?
    private let lifetime: Duration

    /// The claims that are set for each request.
    private static let own: Set<String> = ["iss", "sub", "aud", "jti", "iat", "exp"]

    /// Creates an assertion.
    ///
    /// - Parameters:
    ///   - issuer: `iss`: the issuer, as the server knows it.
    ///   - subject: `sub`: the subject; `nil` uses the subject of the token key.
    ///   - audience: `aud`: the identifier of the server; `nil` for the URL of the token endpoint (RFC 7523 §3).
    ///   - claims: additional claims. The registered claims that are set here are not allowed.
    ///   - key: a key that can sign.
    ///   - keyID: the key identifier that is sent to the server.
    ///   - lifetime: the lifetime in whole seconds. Default: 60 s, enough for a request and for clock differences.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured`.
    public init(
        issuer: String, subject: String?, audience: String? = nil, claims: [String: JSONValue] = [:],
        key: JSONWebTokenKey, keyID: String? = nil, lifetime: Duration = .seconds(60)
    ) throws(NetworkError) {
        guard key.canSign else {
            throw NetworkError(.credentialMisconfigured, "A public key cannot sign. Use the private key.")
        }
        guard Self.own.isDisjoint(with: claims.keys) else {
            throw NetworkError(
                .credentialMisconfigured,
                "`claims` must not contain iss, sub, aud, jti, iat or exp, which are set for each request.")
        }
        guard lifetime >= .seconds(1), lifetime <= .seconds(3600) else {
            throw NetworkError(
                .credentialMisconfigured, "The lifetime of an assertion must be from one second to one hour.")
        }
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.claims = claims
        self.key = key
        self.keyID = keyID
        self.lifetime = lifetime
    }

    /// Signs the assertion.
    ///
    /// - Parameters:
    ///   - subject: the subject of the token key, used if the assertion has none.
    ///   - endpoint: the URL of the token endpoint.
    func sign(
        subject: String?, endpoint: String, unixTime: Duration, random: any RandomSource
    ) throws(NetworkError) -> Secret {
        guard let subject = self.subject ?? subject else {
            throw NetworkError(
                .credentialMisconfigured,
                "The assertion has no subject. Set `subject` of the assertion or of the token key.")
        }
        let now = unixTime.wholeSeconds
        var claims = claims
        claims["iss"] = .string(issuer)
        claims["sub"] = .string(subject)
        claims["aud"] = .string(audience ?? endpoint)
        claims["jti"] = .string(Base64.encodeURL(random.bytes(words: 2)))
        claims["iat"] = .number(JSONNumber(now))
        claims["exp"] = .number(JSONNumber(now + lifetime.wholeSeconds))
        return try JSONWebToken.sign(claims: claims, key: key, keyID: keyID)
    }
}

extension SignedAssertion: Redacted {
    /// The algorithm, without key and names.
    public var description: String { "assertion signed with \(key.algorithm.rawValue)" }
}
