public import GatewayCore

/// Which origins get which credential. No other origin ever sees one.
///
/// ```swift
/// let scope = try CredentialScope(["https://api.example.com"])                       // one credential
/// let two = CredentialScope([billing: TokenKey(scopes: ["billing"]), search: TokenKey(scopes: ["search"])])
/// ```
public struct CredentialScope: Sendable {
    let keys: [Origin: TokenKey]

    /// Which further scopes an origin may ask for; none where it is not listed.
    ///
    /// Where an origin answers 403 and says `insufficient_scope` (RFC 6750 §3.1), a token is had that allows what the
    /// one before did and those of the scopes it names that stand here, and the call is sent once more. No origin
    /// talks a client into any other scope. Later calls to the origin carry that token from the start while it is at
    /// hand, under an identity of its own. Whoever would rather send each call with the least it needs lists nothing
    /// here, and gives such calls a credential of their own.
    ///
    /// It takes an acquirer that can: see ``TokenAcquirer/canStepUp``.
    public var stepUpScopes: [Origin: Set<String>] = [:]

    /// Names the key of each origin.
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
