public import GatewayCore
public import GatewayJSON

/// An assertion that is signed here, anew for each request (RFC 7523 §3): fresh `jti`, `iat` and `exp`, so that a server
/// that takes each only once takes it.
public struct SignedAssertion: Sendable {
    /// `iss`: who speaks.
    public let issuer: String
    /// `sub`: whom it speaks of; `nil` for the subject of the key that a token is asked for.
    public let subject: String?

    private let audience: String?
    private let claims: [String: JSONValue]
    private let key: JSONWebTokenKey
    private let keyID: String?
    private let lifetime: Duration

    /// The claims that are made anew each time.
    private static let own: Set<String> = ["iss", "sub", "aud", "jti", "iat", "exp"]

    /// Prepares an assertion.
    ///
    /// - Parameters:
    ///   - issuer: `iss`: who speaks, as the server knows it.
    ///   - subject: `sub`: whom it speaks of; `nil` for the subject of the key that a token is asked for.
    ///   - audience: `aud`: the server, by the name that it goes by; `nil` for the token endpoint's URL
    ///     (RFC 7523 §3).
    ///   - claims: what else it says; none of the registered claims that are made here.
    ///   - key: a key that can sign.
    ///   - keyID: names the key for the server.
    ///   - lifetime: in whole seconds. A minute is enough for a request, and clocks that are apart.
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

    /// Signs it.
    ///
    /// - Parameters:
    ///   - subject: of the key, where the assertion has none of its own.
    ///   - endpoint: the token endpoint's URL.
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
        claims["jti"] = .string(RandomText.make(words: 2, from: random))
        claims["iat"] = .number(JSONNumber(now))
        claims["exp"] = .number(JSONNumber(now + lifetime.wholeSeconds))
        return try JSONWebToken.sign(claims: claims, key: key, keyID: keyID)
    }
}

extension SignedAssertion: Redacted {
    /// The algorithm; neither the key nor the names.
    public var description: String { "assertion signed with \(key.algorithm.rawValue)" }
}
