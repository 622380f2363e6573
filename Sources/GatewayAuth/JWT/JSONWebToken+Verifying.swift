import CLibjwt
public import GatewayCore
import GatewayJSON

extension JSONWebToken {
    /// Reads a token and checks its signature.
    ///
    /// The key decides the algorithm, never the token (RFC 8725 §3.1). Tokens with `crit` or with a `typ` other than
    /// `JWT` are refused: libjwt 1 knows neither.
    ///
    /// - Returns: the token. Whether it is valid now and here is for ``validate(unixTime:leeway:issuer:audience:)``.
    /// - Throws: ``JSONWebTokenError``.
    public static func verify(
        _ token: Secret, key: JSONWebTokenKey
    ) throws(JSONWebTokenError) -> JSONWebToken {
        let read = try JSONWebToken(decoding: token)
        guard read.header["alg"]?.string == key.algorithm.rawValue else {
            throw JSONWebTokenError(.unsupported, "The token is not signed with \(key.algorithm.rawValue).")
        }
        guard read.header["crit"] == nil else {
            throw JSONWebTokenError(.unsupported, "The token has critical extensions.")
        }
        if let type = read.header["typ"] {
            guard let type = type.string, HTTPSyntax.equalIgnoringCase(type, "JWT") else {
                throw JSONWebTokenError(.unsupported, "The token's type is not JWT.")
            }
        }
        var pointer: OpaquePointer?
        let status = unsafe key.material.withUnsafeBufferPointer {
            unsafe jwt_decode(&pointer, token.exposed, $0.baseAddress, Int32($0.count))
        }
        guard status == 0, let decoded = unsafe pointer else {
            throw JSONWebTokenError(.signatureInvalid, "The signature does not fit.")
        }
        defer { unsafe jwt_free(decoded) }
        guard unsafe jwt_get_alg(decoded) == key.algorithm.libjwt else {
            throw JSONWebTokenError(.unsupported, "The token is not signed with \(key.algorithm.rawValue).")
        }
        return read
    }

    /// Checks when and for whom the token is valid (RFC 7519 §4.1).
    ///
    /// - Parameters:
    ///   - unixTime: now, since 1970-01-01T00:00:00Z.
    ///   - leeway: how far clocks may be apart.
    ///   - issuer: the only issuer that will do; `nil` for any.
    ///   - audience: who must be among the audiences; `nil` where that does not matter.
    /// - Throws: ``JSONWebTokenError``. A token without `exp` counts as ended.
    public func validate(
        unixTime: Duration, leeway: Duration = .seconds(30), issuer: String? = nil, audience: String? = nil
    ) throws(JSONWebTokenError) {
        guard let expiration, unixTime < expiration + leeway else {
            throw JSONWebTokenError(.expired, "The token has ended or names no end.")
        }
        if let notBefore, unixTime + leeway < notBefore {
            throw JSONWebTokenError(.notYetValid, "The token may not be used yet.")
        }
        if let issuer, issuer != self.issuer {
            throw JSONWebTokenError(.wrongIssuer, "The token comes from another issuer.")
        }
        if let audience, !audiences.contains(audience) {
            throw JSONWebTokenError(.wrongAudience, "The token is meant for somebody else.")
        }
    }
}
