public import GatewayCore

/// Maps origins to credentials. Other origins receive none.
///
/// ```swift
/// let scope = try CredentialScope(["https://api.example.com"])                       // one credential
/// let two = CredentialScope([billing: TokenKey(scopes: ["billing"]), search: TokenKey(scopes: ["search"])])
/// ```
public struct CredentialScope: Sendable {
    let keys: [Origin: TokenKey]
    /// Returns the key of all origins at the first use; `nil` if it is known now.
    package var laterKey: (@Sendable () -> TokenKey)?

    /// The origins that receive a credential.
    package var origins: Set<Origin> { Set(keys.keys) }

    /// The additional scopes that an origin may require. Default: none.
    ///
    /// If an origin responds with 403 and `insufficient_scope` (RFC 6750 §3.1), a token is requested with the scopes of
    /// the previous token and those required scopes that are listed here. Then the call is sent once more. An origin
    /// cannot make a client request any other scope. Later calls to the origin use that token from the start while it
    /// is valid, with a separate identity. If each call must have the fewest scopes, leave this empty and give such
    /// calls their own credential.
    ///
    /// The acquirer must support it: see ``TokenAcquirer/canStepUp``.
    public var stepUpScopes: [Origin: Set<String>] = [:]

    /// The statuses besides 401 that reject a token, by origin: 400, 403 or both. Other values are ignored. Default:
    /// none.
    ///
    /// For gateways that respond to a revoked or expired token with such a status. The response must have a challenge
    /// with `error="invalid_token"` (RFC 6750 §3.1), or, if no challenge has an error, a JSON body of at most 16 KiB
    /// with `"error": "invalid_token"`. A streamed body is not read. Such a response is handled as a 401.
    public var rejectionStatuses: [Origin: Set<Int>] = [:]

    /// The allowed values of ``rejectionStatuses``.
    package static let possibleRejectionStatuses: Set<Int> = [400, 403]

    /// Creates a scope with a key for each origin.
    public init(_ keys: [Origin: TokenKey]) { self.keys = keys }

    /// Creates a scope with the same credential for all origins.
    public init(_ origins: [Origin], key: TokenKey = .default) {
        keys = Dictionary(origins.map { ($0, key) }) { first, _ in first }
    }

    /// Creates a scope with the same credential for all origins, each in the form `scheme://host[:port]`.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `invalidURL`.
    public init(_ origins: [String], key: TokenKey = .default) throws(NetworkError) {
        var keys: [Origin: TokenKey] = [:]
        for origin in origins { keys[try Origin(origin)] = key }
        self.keys = keys
    }
}
