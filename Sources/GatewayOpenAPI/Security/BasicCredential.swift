public import GatewayCore

/// What an `http` security scheme of kind `basic` takes (RFC 7617).
public struct BasicCredential: Sendable {
    let user: String
    let password: Secret

    /// A user with a password. The user's name holds no colon.
    public init(user: String, password: Secret) {
        self.user = user
        self.password = password
    }

    /// The same from a plain string; it is wrapped at once.
    public init(user: String, password: String) { self.init(user: user, password: Secret(password)) }
}
