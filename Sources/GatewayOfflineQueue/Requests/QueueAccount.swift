public import GatewayCore

/// The account on whose behalf an entry is sent. Its name does not change between logins and restarts, and
/// is not secret.
public struct QueueAccount: Hashable, Sendable {
    /// The name: 1 to 255 bytes of UTF-8 without control characters.
    public let name: String

    /// Creates an account. An invalid name is rejected when an entry with it is enqueued.
    public init(_ name: String) { self.name = name }

    /// The account of a credential; `nil` for a credential without a durable identifier.
    public init?(_ identity: CredentialIdentity) {
        guard let account = identity.account else { return nil }
        name = account
    }
}

extension QueueAccount: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
