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
        /// The record was lost, and with it the newest refresh token. An older one must not be used: a server that
        /// detects reuse would revoke the whole grant (RFC 9700 §4.14.2). A new sign-in is required.
        case lost
    }

    /// The highest generation of a record. It has 18 digits, so that counting on from it overflows nowhere.
    public static let lastGeneration: UInt64 = 999_999_999_999_999_999

    /// The ``TokenKey/canonical`` text of its key.
    public let key: String
    /// Counts what was stored under the key, from 1 to ``lastGeneration``.
    public let generation: UInt64
    /// Differs from the record's before it when somebody signed in or out between them.
    public let login: UInt64
    /// What it holds.
    public let content: Content
    /// The logins that have ended and whose responses may be left in a cache, the oldest first: no more than
    /// ``maximumEndedLogins``. 0 stands for logins that are not known: everything must be removed for them.
    public let endedLogins: [UInt64]

    /// The number of ended logins that are kept. Beyond it 0 stands for the oldest.
    public static let maximumEndedLogins = 64

    /// Makes a record.
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

    /// Ended logins, in which 0 stands for the oldest ones if there are too many.
    static func limited(_ logins: [UInt64]) -> [UInt64] {
        guard logins.count > maximumEndedLogins else { return logins }
        return [0] + logins.filter { $0 != 0 }.suffix(maximumEndedLogins - 1)
    }

    /// The grant, where there is one.
    public var grant: Grant? {
        if case .granted(let grant) = content { return grant }
        return nil
    }

    /// Whether losing the record loses something that the acquirer cannot get again: a refresh token, or the fact that
    /// somebody signed out.
    var isIrreplaceable: Bool {
        switch content {
        case .signedOut, .lost: true
        case .signedIn: false
        case .granted(let grant): grant.refreshToken != nil
        }
    }

    /// The generation that follows two others. It is above ``lastGeneration``, and cannot be stored, where one of them
    /// is not below it.
    ///
    /// - Parameter gap: how many generations are left out.
    static func generation(after first: UInt64, _ second: UInt64 = 0, gap: UInt32 = 0) -> UInt64 {
        min(max(first, second), lastGeneration) + 1 + UInt64(gap)
    }

    /// How many generations a sign-in after a loss leaves out: other processes may know newer records than the one that
    /// is known to be lost here.
    static let lossGap: UInt32 = 1 << 20

    /// The same record, with a generation above another record's, and what that knows of ended logins.
    func following(_ other: StoredToken?) -> StoredToken {
        let others = other?.endedLogins.filter { !endedLogins.contains($0) } ?? []
        return StoredToken(
            keyText: key, generation: max(generation, Self.generation(after: other?.generation ?? 0)),
            login: login, content: content, endedLogins: others + endedLogins)
    }

    /// What the record that follows knows of ended logins.
    ///
    /// - Parameter isEnding: whether the login of this record ends with it, and may leave responses. A lost record may have lost
    ///   its login, too.
    func endedLogins(ending isEnding: Bool) -> [UInt64] {
        guard isEnding, content != .signedOut, login != 0 || content == .lost, !endedLogins.contains(login)
        else { return endedLogins }
        return endedLogins + [login]
    }

    /// The record that follows, without some of the ended logins; `nil` if it has none of them.
    func forgetting(_ logins: [UInt64]) -> StoredToken? {
        let kept = endedLogins.filter { !logins.contains($0) }
        guard kept.count < endedLogins.count else { return nil }
        return StoredToken(
            keyText: key, generation: Self.generation(after: generation), login: login, content: content,
            endedLogins: kept)
    }

    /// The record as bytes for a store.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenStoreFailed` for a record that could not be read again.
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
