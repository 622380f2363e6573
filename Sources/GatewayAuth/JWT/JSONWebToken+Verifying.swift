import CLibjwt
public import GatewayCore
import GatewayJSON

extension JSONWebToken {
    /// Reads a token and checks its signature.
    ///
    /// The key decides the algorithm, never the token (RFC 8725 §3.1), and nothing that the header points to is
    /// fetched or trusted (`jwk`, `jku`, `x5u`, `x5c`). Tokens with `crit` are refused.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - key: an HMAC key, or a public key.
    ///   - type: the only kind of token that will do.
    /// - Returns: the token. Whether it is valid now and here is for ``check(_:unixTime:)``.
    /// - Throws: ``JSONWebTokenError`` with code `malformed`, `unsupported`, `wrongType` or `signatureInvalid`.
    public static func verify(
        _ token: Secret, key: JSONWebTokenKey, type: JSONWebTokenType = .jwt
    ) throws(JSONWebTokenError) -> JSONWebToken {
        try verify(token, CompactToken(token), key: key, type: type)
    }

    static func verify(
        _ token: Secret, _ compact: CompactToken, key: JSONWebTokenKey, type: JSONWebTokenType
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
        // libjwt 1 takes no other `typ` than this.
        let isPlain = read.header["typ"].map { $0.string?.lowercased() == "jwt" } ?? true
        let isSigned =
            isPlain
            ? isSignedByLibjwt(token, key)
            : JSONWebSignature.check(compact.signature, of: compact.signedBytes, key: key)
        guard isSigned else { throw JSONWebTokenError(.signatureInvalid, "The signature is not valid.") }
        return read
    }

    private static func isSignedByLibjwt(_ token: Secret, _ key: JSONWebTokenKey) -> Bool {
        // Without a key libjwt would check nothing.
        guard !key.material.isEmpty else { return false }
        var pointer: OpaquePointer?
        let status = unsafe key.material.withUnsafeBufferPointer {
            unsafe jwt_decode(&pointer, token.exposed, $0.baseAddress, Int32($0.count))
        }
        guard status == 0, let decoded = unsafe pointer else { return false }
        defer { unsafe jwt_free(decoded) }
        return unsafe jwt_get_alg(decoded) == key.algorithm.libjwt
    }
}
