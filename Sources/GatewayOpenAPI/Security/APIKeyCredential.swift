public import GatewayCore

/// The credential of an `apiKey` security scheme.
public struct APIKeyCredential: Sendable, ExpressibleByStringLiteral {
    let read: @Sendable () throws -> Secret
    private(set) var account: String?

    /// Creates a credential from a key.
    public init(_ key: Secret) { read = { key } }

    /// Creates a credential from a plain string, which is wrapped in a `Secret` immediately.
    public init(_ key: String) { self.init(Secret(key)) }

    /// Creates a credential from a string literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates a credential whose key can change: it is read for each attempt.
    ///
    /// - Parameter read: returns the key. It must neither block nor make calls. An error that is not a
    ///   ``GatewayCore/NetworkError`` fails the call with the code `credentialMissing`.
    public init(reading read: @escaping @Sendable () throws -> Secret) { self.read = read }

    /// Sets the account name: a stable identifier that is the same in all processes that use this key, and different
    /// for each account. Without it, data of its calls is not stored on disk
    /// (``GatewayCore/CredentialIdentity/account``).
    public func account(_ name: String) -> APIKeyCredential {
        var copy = self
        copy.account = name
        return copy
    }
}
