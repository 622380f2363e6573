public import GatewayCore

/// What a ``TokenStore`` keeps of a key.
///
/// Times are wall-clock times, since nothing else means the same to two processes.
public struct StoredToken: Sendable, Hashable {
    /// A grant as it is stored.
    public struct Grant: Sendable, Hashable {
        /// The access token.
        public var accessToken: Secret
        /// What the next grant is had with.
        public var refreshToken: Secret?
        /// When it was asked for, since 1970-01-01T00:00:00Z.
        public var issuedAt: Duration
        /// When the access token ends, since 1970-01-01T00:00:00Z; `nil` where nobody said.
        public var expiresAt: Duration?
        /// What was granted, where that was said.
        public var scopes: [String]?
        /// How the access token is used.
        public var type: AccessTokenType

        /// Makes a grant.
        public init(
            accessToken: Secret, refreshToken: Secret? = nil, issuedAt: Duration, expiresAt: Duration? = nil,
            scopes: [String]? = nil, type: AccessTokenType = .bearer
        ) {
            self.accessToken = accessToken
            self.refreshToken = refreshToken
            self.issuedAt = issuedAt
            self.expiresAt = expiresAt
            self.scopes = scopes
            self.type = type
        }
    }

    /// What there is to keep.
    public enum Content: Sendable, Hashable {
        /// Somebody signed out. It is kept so that what comes late stays out.
        case signedOut
        /// Somebody signed in without a grant: the acquirer knows all it needs.
        case signedIn
        /// A grant.
        case granted(Grant)
    }

    /// The ``TokenKey/canonical`` text of its key.
    public let key: String
    /// Counts what was stored under the key, from 1.
    public let generation: UInt64
    /// Differs from the record's before it when somebody signed in or out between them.
    public let login: UInt64
    /// What it holds.
    public let content: Content

    /// Makes a record.
    public init(key: TokenKey, generation: UInt64, login: UInt64, content: Content) {
        self.init(keyText: key.canonical, generation: generation, login: login, content: content)
    }

    init(keyText: String, generation: UInt64, login: UInt64, content: Content) {
        key = keyText
        self.generation = generation
        self.login = login
        self.content = content
    }

    /// The grant, where there is one.
    public var grant: Grant? {
        if case .granted(let grant) = content { return grant }
        return nil
    }
}
