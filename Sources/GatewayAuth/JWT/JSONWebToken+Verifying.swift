public import GatewayCore
import GatewayJSON

extension JSONWebToken {
    /// Parses a token and verifies its signature.
    ///
    /// The key determines the algorithm, not the token (RFC 8725 §3.1). Keys and URLs in the header (`jwk`, `jku`,
    /// `x5u`, `x5c`) are ignored. Tokens with `crit` are rejected.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - key: an HMAC key, or a public key.
    ///   - type: the required type of the token.
    /// - Returns: the token. Use ``check(_:unixTime:)`` to validate its claims.
    /// - Throws: ``JSONWebTokenError`` with code `malformed`, `unsupported`, `wrongType` or `signatureInvalid`.
    public static func verify(
        _ token: Secret, key: JSONWebTokenKey, type: JSONWebTokenType = .jwt
    ) throws(JSONWebTokenError) -> JSONWebToken {
        try verify(CompactToken(token), key: key, type: type)
    }

    static func verify(
        _ compact: CompactToken, key: JSONWebTokenKey, type: JSONWebTokenType
    ) throws(JSONWebTokenError) -> JSONWebToken {
        let read = try JSONWebToken(compact)
        guard key.canVerify else {
            throw JSONWebTokenError(
                .unsupported, "A private key cannot verify signatures: use its public key.")
        }
        guard compact.algorithm == key.algorithm.rawValue else {
            throw JSONWebTokenError(.unsupported, "The token is not signed with \(key.algorithm.rawValue).")
        }
        guard read.header["crit"] == nil else {
            throw JSONWebTokenError(.unsupported, "The token has critical extensions.")
        }
        guard type.admits(read.header["typ"]) else {
            throw JSONWebTokenError(.wrongType, "The token has another type.")
        }
        guard JSONWebSignature.check(compact.signature, of: compact.signedBytes, key: key) else {
            throw JSONWebTokenError(.signatureInvalid, "The signature is not valid.")
        }
        return read
    }
}
