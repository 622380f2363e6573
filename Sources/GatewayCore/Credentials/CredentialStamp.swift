/// Whose credential something was made with. It holds no secret.
///
/// Caches and coalescing are partitioned by it, and rows of a queue carry it.
public struct CredentialIdentity: Hashable, Sendable {
    /// Names the credential: issuer, client, tenant, subject, scopes.
    public let key: String
    /// Grows at every login and logout.
    public let epoch: UInt64

    /// Makes an identity.
    public init(key: String, epoch: UInt64) {
        self.key = key
        self.epoch = epoch
    }
}

/// With which credential a request went out.
public struct CredentialStamp: Hashable, Sendable {
    /// Whose credential.
    public let identity: CredentialIdentity
    /// Which of its successive tokens; grows by 1 with every refresh.
    public let generation: UInt64

    /// Makes a stamp.
    public init(identity: CredentialIdentity, generation: UInt64) {
        self.identity = identity
        self.generation = generation
    }
}
