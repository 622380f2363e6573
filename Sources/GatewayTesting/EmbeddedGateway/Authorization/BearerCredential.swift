import GatewayCore

/// What a request's `Authorization` field holds.
enum BearerCredential: Sendable {
    /// Nothing, or a credential of another scheme.
    case none
    /// Something that is no bearer credential by its form (RFC 6750 §2.1), or more than one field.
    case malformed
    /// A token that this gateway has not issued, or whose signature is wrong.
    case unknown
    /// A bound token as a bearer token, or the other way round.
    case wrongScheme
    /// A bound token whose proof is missing or wrong.
    case unproven(ProofCheck.Failure)
    /// One of this gateway's tokens. It may have expired or been revoked.
    case token(EmbeddedGateway.TokenClaims)

    /// The token's generation.
    var generation: UInt64? {
        if case .token(let claims) = self { claims.generation } else { nil }
    }

    /// Takes the token out of the field; `nil` where there is none.
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

    /// `b64token` of RFC 6750 §2.1.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
