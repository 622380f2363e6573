public import GatewayCore

/// The credential of each origin. No other origin gets one.
///
/// ```swift
/// let scope = try CredentialScope(["https://api.example.com"])                       // one credential
/// let two = CredentialScope([billing: TokenKey(scopes: ["billing"]), search: TokenKey(scopes: ["search"])])
/// ```
public struct CredentialScope: Sendable {
    let keys: [Origin: TokenKey]

    /// The further scopes that an origin may require; none for an origin that is not listed.
    ///
    /// If an origin answers 403 with `insufficient_scope` (RFC 6750 §3.1), a token is requested with the scopes of the
    /// previous one and those of the required scopes that are listed here, and the call is sent once more. An origin cannot
    /// make a client request any other scope. Later calls to the origin have that token from the start while it is valid,
    /// under an identity of its own. To send each call with the fewest scopes, list nothing here and give such calls a
    /// credential of their own.
    ///
    /// The acquirer must support it: see ``TokenAcquirer/canStepUp``.
    public var stepUpScopes: [Origin: Set<String>] = [:]

    /// The statuses besides 401 that reject a token, by origin: 400, 403 or both; others are ignored. None by default.
    ///
    /// For gateways that answer a revoked or expired token with such a status. The response must say so: by a challenge
    /// with `error="invalid_token"` (RFC 6750 §3.1), or, if no challenge names an error, by a JSON body of at most 16 KiB
    /// with `"error": "invalid_token"`. A body that is streamed is not read. Such a response is handled as a 401.
    public var rejectionStatuses: [Origin: Set<Int>] = [:]

    /// The statuses that ``rejectionStatuses`` may have.
    package static let possibleRejectionStatuses: Set<Int> = [400, 403]

    /// Sets the key of each origin.
    public init(_ keys: [Origin: TokenKey]) { self.keys = keys }

    /// Gives these origins the same credential.
    public init(_ origins: [Origin], key: TokenKey = .default) {
        keys = Dictionary(origins.map { ($0, key) }) { first, _ in first }
    }

    /// Gives these origins, each `scheme://host[:port]`, the same credential.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `invalidURL`.
    public init(_ origins: [String], key: TokenKey = .default) throws(NetworkError) {
        var keys: [Origin: TokenKey] = [:]
        for origin in origins { keys[try Origin(origin)] = key }
        self.keys = keys
    }
}
