public import GatewayCore

/// Which origins get which credential. No other origin ever sees one.
///
/// ```swift
/// let scope = try CredentialScope(["https://api.example.com"])                       // one credential
/// let two = CredentialScope([billing: TokenKey(scopes: ["billing"]), search: TokenKey(scopes: ["search"])])
/// ```
public struct CredentialScope: Sendable {
    let keys: [Origin: TokenKey]

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
