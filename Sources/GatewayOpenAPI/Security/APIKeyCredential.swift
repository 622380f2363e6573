public import GatewayCore

/// What an `apiKey` security scheme takes.
public struct APIKeyCredential: Sendable, ExpressibleByStringLiteral {
    let read: @Sendable () throws -> Secret
    private(set) var account: String?

    /// A key.
    public init(_ key: Secret) { read = { key } }

    /// The same from a plain string; it is wrapped at once.
    public init(_ key: String) { self.init(Secret(key)) }

    /// A key.
    public init(stringLiteral value: String) { self.init(value) }

    /// A key that may change: it is read for each attempt.
    ///
    /// - Parameter read: gives the key at once; it must neither block nor call out. What it throws fails the call with
    ///   the code `credentialMissing`, unless it is a ``GatewayCore/NetworkError``.
    public init(reading read: @escaping @Sendable () throws -> Secret) { self.read = read }

    /// Names the account: an identifier that is the same in each process that uses this key, and another one for
    /// another account. Without a name nothing of its calls may be kept on disk
    /// (``GatewayCore/CredentialIdentity/account``).
    public func account(_ name: String) -> APIKeyCredential {
        var copy = self
        copy.account = name
        return copy
    }
}
