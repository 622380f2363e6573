public import GatewayCore

/// The account in whose name an entry is sent. Its name stays the same over logins and restarts, and is no secret.
public struct QueueAccount: Hashable, Sendable {
    /// The name: 1 to 255 bytes of UTF-8 without control characters.
    public let name: String

    /// Names an account. A name that is not allowed is refused when an entry with it is enqueued.
    public init(_ name: String) { self.name = name }

    /// The account of a credential; `nil` for a credential that has no durable identifier.
    public init?(_ identity: CredentialIdentity) {
        guard let account = identity.account else { return nil }
        name = account
    }
}

extension QueueAccount: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
