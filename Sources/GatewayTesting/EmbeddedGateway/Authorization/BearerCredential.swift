import GatewayCore

/// The credential in the `Authorization` field of a request.
enum BearerCredential: Sendable {
    /// None, or a credential with another scheme.
    case none
    /// Not a valid bearer credential (RFC 6750 §2.1), or more than one field.
    case malformed
    /// A token that this gateway has not issued, or with an invalid signature.
    case unknown
    /// A bound token sent as a bearer token, or vice versa.
    case wrongScheme
    /// A bound token with a missing or invalid proof.
    case unproven(ProofCheck.Failure)
    /// A token of this gateway. It may be expired or revoked.
    case token(EmbeddedGateway.TokenClaims)

    /// The token's generation.
    var generation: UInt64? {
        if case .token(let claims) = self { claims.generation } else { nil }
    }

    /// Extracts the token from the field.
    ///
    /// - Returns: `.success(nil)` without a bearer credential, `.failure` for a malformed one.
    static func text(in fields: HTTPFields) -> Result<(token: Substring, isBound: Bool)?, Malformed> {
        let values = fields.values(for: .authorization)
        guard let value = values.first else { return .success(nil) }
        guard values.count == 1 else { return .failure(Malformed()) }
        let scheme = value.prefix { $0 != " " }
        let isBound = HTTPSyntax.equalIgnoringCase(String(scheme), "DPoP")
        guard isBound || HTTPSyntax.equalIgnoringCase(String(scheme), "Bearer") else {
            return .success(nil)
        }
        let token = value.dropFirst(scheme.count).drop { $0 == " " }
        guard !token.isEmpty, token.utf8.allSatisfy(isTokenByte) else { return .failure(Malformed()) }
        return .success((token, isBound))
    }

    struct Malformed: Error {}

    /// Whether a byte is allowed in a `b64token` (RFC 6750 §2.1).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "+/=".utf8.contains(byte)
    }
}
