import GatewayCore

/// How an access token is used (RFC 6749 §7.1).
public struct AccessTokenType: Hashable, Sendable, CustomStringConvertible {
    /// The scheme of the `Authorization` field.
    public let scheme: String

    /// A bearer token: any party that has the token can use it (RFC 6750).
    public static let bearer = AccessTokenType(scheme: "Bearer")
    /// The token is bound to a key, and each request proves possession of the key (RFC 9449).
    public static let dpop = AccessTokenType(scheme: "DPoP")

    /// Whether a `token_type` value names this type, ignoring case (RFC 6749 §5.1). Some servers send `BearerToken`.
    func isNamed(_ name: String) -> Bool {
        let name = name.trimmingHTTPWhitespace()
        return HTTPSyntax.equalIgnoringCase(name, scheme)
            || self == .bearer && HTTPSyntax.equalIgnoringCase(name, "BearerToken")
    }

    /// The scheme.
    public var description: String { scheme }
}
