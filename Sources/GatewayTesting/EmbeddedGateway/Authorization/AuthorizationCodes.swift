import GatewayAuth
import GatewayCore
import GatewayDigest

/// Authorization codes with their PKCE challenges (RFC 6749 §4.1, RFC 7636).
final class AuthorizationCodes: Sendable {
    /// The data of an issued code.
    struct Code: Sendable {
        let clientID: String
        let redirectURI: String
        let subject: String
        let scopes: [String]
        let challenge: String
        /// The issuer in the metadata, for the ID token.
        let issuer: String
        /// The nonce of the ID token (OpenID Connect Core 1.0 §3.1.2.1).
        let nonce: String?
        let end: ContinuousClock.Instant
    }

    private let codes = Locked<[String: Code]>([:])

    /// Adds an issued code.
    func add(_ text: String, _ code: Code) { codes.withLock { $0[text] = code } }

    /// Uses a code. It is removed, also if the request is not valid.
    func use(
        _ text: String, clientID: String, redirectURI: String?, verifier: String,
        now: ContinuousClock.Instant
    ) -> Code? {
        guard let code = codes.withLock({ $0.removeValue(forKey: text) }), now < code.end,
            code.clientID == clientID, code.redirectURI == redirectURI, Self.isVerifier(verifier),
            Base64.encodeURL(SHA256.digest(verifier.utf8)) == code.challenge
        else { return nil }
        return code
    }

    /// Whether a text is a code verifier (RFC 7636 §4.1).
    private static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(\.isUnreserved)
    }
}
