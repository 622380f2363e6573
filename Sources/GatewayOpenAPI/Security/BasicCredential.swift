public import GatewayCore

/// What an `http` security scheme of kind `basic` takes (RFC 7617).
public struct BasicCredential: Sendable {
    let user: String
    let password: Secret
    private(set) var account: String?

    /// A user with a password. The user's name holds no colon.
    public init(user: String, password: Secret) {
        self.user = user
        self.password = password
    }

    /// The same from a plain string; it is wrapped at once.
    public init(user: String, password: String) { self.init(user: user, password: Secret(password)) }

    /// Names the account: an identifier that is the same in each process that uses this user, and another one for
    /// another account. Without a name nothing of its calls may be kept on disk
    /// (``GatewayCore/CredentialIdentity/account``).
    public func account(_ name: String) -> BasicCredential {
        var copy = self
        copy.account = name
        return copy
    }
}
