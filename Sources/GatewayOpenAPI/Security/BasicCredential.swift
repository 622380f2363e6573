public import GatewayCore

/// The credential of an `http` security scheme of kind `basic` (RFC 7617).
public struct BasicCredential: Sendable {
    let user: String
    let password: Secret
    private(set) var account: String?

    /// Creates a credential from a user name, which must not contain a colon, and a password.
    public init(user: String, password: Secret) {
        self.user = user
        self.password = password
    }

    /// Creates a credential from plain strings. The password is wrapped in a `Secret` immediately.
    public init(user: String, password: String) { self.init(user: user, password: Secret(password)) }

    /// Sets the account name: a stable identifier that is the same in all processes that use this user, and different
    /// for each account. Without it, data of its calls is not stored on disk
    /// (``GatewayCore/CredentialIdentity/account``).
    public func account(_ name: String) -> BasicCredential {
        var copy = self
        copy.account = name
        return copy
    }
}
