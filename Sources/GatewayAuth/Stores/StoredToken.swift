public import GatewayCore

/// The record of a key in a ``TokenStore``.
///
/// Times are wall-clock times, so that processes can share them.
public struct StoredToken: Sendable, Hashable {
    /// A stored grant.
    public struct Grant: Sendable, Hashable {
        /// The access token.
        public var accessToken: Secret
        /// The refresh token, if one was issued.
        public var refreshToken: Secret?
        /// When the grant was requested, since 1970-01-01T00:00:00Z.
        public var issuedAt: Duration
        /// When the access token expires, since 1970-01-01T00:00:00Z; `nil` if the server sent no lifetime.
        public var expiresAt: Duration?
        /// The granted scopes; `nil` if they are not known.
        public var scopes: [String]?
        /// How the access token is used.
        public var type: AccessTokenType

        /// Creates a grant.
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

    /// The content of a record.
    public enum Content: Sendable, Hashable {
        /// Signed out. It is stored so that late grants are not used.
        case signedOut
        /// Signed in without a grant: the acquirer needs none.
        case signedIn
        /// A grant.
        case granted(Grant)
        /// The record was lost, and with it the newest refresh token. An older one must not be used: a server that
        /// detects reuse would revoke the whole grant (RFC 9700 §4.14.2). A new sign-in is required.
        case lost
    }

    /// The highest generation of a record. It has 18 digits, so that adding to it cannot overflow.
    public static let lastGeneration: UInt64 = 999_999_999_999_999_999

    /// The ``TokenKey/canonical`` text of its key.
    public let key: String
    /// The number of the record among those of the key, from 1 to ``lastGeneration``; it increases with each record.
    public let generation: UInt64
    /// The identifier of the login. It differs from that of the previous record after each sign-in and sign-out.
    public let login: UInt64
    /// The content.
    public let content: Content
    /// The ended logins whose responses may remain in a cache, the oldest first, at most ``maximumEndedLogins``. 0
    /// means unknown logins: all responses must be removed for them.
    public let endedLogins: [UInt64]

    /// The maximum number of ended logins in a record. If there are more, 0 replaces the oldest.
    public static let maximumEndedLogins = 64

    /// Creates a record.
    public init(
        key: TokenKey, generation: UInt64, login: UInt64, content: Content, endedLogins: [UInt64] = []
    ) {
        self.init(
            keyText: key.canonical, generation: generation, login: login, content: content,
            endedLogins: endedLogins)
    }

    init(keyText: String, generation: UInt64, login: UInt64, content: Content, endedLogins: [UInt64]) {
        key = keyText
        self.generation = generation
        self.login = login
        self.content = content
        self.endedLogins = Self.limited(endedLogins)
    }

    /// Limits ended logins to the maximum: 0 replaces the oldest ones.
    static func limited(_ logins: [UInt64]) -> [UInt64] {
        guard logins.count > maximumEndedLogins else { return logins }
        return [0] + logins.filter { $0 != 0 }.suffix(maximumEndedLogins - 1)
    }

    /// The grant, if there is one.
    public var grant: Grant? {
        if case .granted(let grant) = content { return grant }
        return nil
    }

    /// Whether losing the record loses something that the acquirer cannot get again: a refresh token, or a sign-out.
    var isIrreplaceable: Bool {
        switch content {
        case .signedOut, .lost: true
        case .signedIn: false
        case .granted(let grant): grant.refreshToken != nil
        }
    }

    /// Returns the generation after two others. The result is above ``lastGeneration`` and cannot be stored if one of
    /// them is not below ``lastGeneration``.
    ///
    /// - Parameter gap: the number of generations to skip.
    static func generation(after first: UInt64, _ second: UInt64 = 0, gap: UInt32 = 0) -> UInt64 {
        min(max(first, second), lastGeneration) + 1 + UInt64(gap)
    }

    /// The number of generations that a sign-in after a loss skips, because other processes may know newer records than
    /// the lost one.
    static let lossGap: UInt32 = 1 << 20

    /// The same record, with a generation above that of another record, and the other's ended logins.
    func following(_ other: StoredToken?) -> StoredToken {
        let others = other?.endedLogins.filter { !endedLogins.contains($0) } ?? []
        return StoredToken(
            keyText: key, generation: max(generation, Self.generation(after: other?.generation ?? 0)),
            login: login, content: content, endedLogins: others + endedLogins)
    }

    /// The ended logins of the next record.
    ///
    /// - Parameter isEnding: whether the login of this record ends and may leave responses. A lost record may not
    ///   contain its login.
    func endedLogins(ending isEnding: Bool) -> [UInt64] {
        guard isEnding, content != .signedOut, login != 0 || content == .lost, !endedLogins.contains(login)
        else { return endedLogins }
        return endedLogins + [login]
    }

    /// The next record, without some ended logins; `nil` if this record contains none of them.
    func forgetting(_ logins: [UInt64]) -> StoredToken? {
        let kept = endedLogins.filter { !logins.contains($0) }
        guard kept.count < endedLogins.count else { return nil }
        return StoredToken(
            keyText: key, generation: Self.generation(after: generation), login: login, content: content,
            endedLogins: kept)
    }

    /// The record as bytes for a store.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenStoreFailed` for a record that could not be decoded
    ///   again.
    package func storable() throws(NetworkError) -> [UInt8] {
        try refuseGeneration()
        let bytes = encoded()
        guard bytes.count <= Self.maximumBytes else {
            throw .storeFailed("The token is too large to be stored.")
        }
        return bytes
    }

    func refuseGeneration() throws(NetworkError) {
        guard 1...Self.lastGeneration ~= generation else {
            throw .storeFailed("The generation of the token record is out of range.")
        }
    }
}
