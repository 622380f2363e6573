public import GatewayCore

/// The part of a cache that a stored response belongs to. A response is used for requests of the same
/// partition only, so that no user receives the response of another.
///
/// A request's partition consists of the credential that the engine sends, the credential fields that the
/// caller has set, and the client certificate of the engine.
public struct CachePartition: Hashable, Sendable {
    /// The owner of stored responses.
    ///
    /// Accounts are compared by their bytes: two names that are canonically equivalent in Unicode are
    /// different users.
    public enum Owner: Hashable, Sendable {
        /// Requests without a credential of the engine.
        case anonymous
        /// A credential without an account. It exists in this process only.
        case identity(CredentialIdentity)
        /// An account that is valid in other processes too, ``GatewayCore/CredentialIdentity/account``.
        case account(String)

        /// The owners of the parts of a combined account, such as an API key and a token; otherwise empty. A
        /// sign-out of one of them removes the responses of the combination.
        package var parts: [Owner] {
            guard case .account(let account) = self, account.utf8.contains(UInt8(ascii: "|")) else {
                return []
            }
            return account.split(separator: "|").map { .account(String($0)) }
        }

        /// Whether two owners are the same.
        public static func == (a: Self, b: Self) -> Bool {
            switch (a, b) {
            case (.anonymous, .anonymous): true
            case (.identity(let a), .identity(let b)): a == b
            case (.account(let a), .account(let b)): hasSameBytes(a, b)
            default: false
            }
        }

        /// Spans, because iterators of string views take many instructions per byte.
        private static func hasSameBytes(_ a: String, _ b: String) -> Bool {
            let a = a.utf8Span.span
            let b = b.utf8Span.span
            guard a.count == b.count else { return false }
            for index in a.indices where a[index] != b[index] { return false }
            return true
        }

        /// Hashes the values that `==` compares: canonically equivalent names have the same hash.
        public func hash(into hasher: inout Hasher) {
            switch self {
            case .anonymous: hasher.combine(0)
            case .identity(let identity): hasher.combine(identity)
            case .account(let account): hasher.combine(account)
            }
        }

        /// Whether its responses belong to an owner, alone or as a part of a combined account.
        func belongs(to owner: Owner) -> Bool { self == owner || parts.contains(owner) }
    }

    /// On the heap, because each request has a partition.
    private final class Parts: Sendable {
        let owner: Owner
        let certificate: String?
        let fields: HTTPFields

        init(_ owner: Owner, _ certificate: String?, _ fields: HTTPFields) {
            self.owner = owner
            self.certificate = certificate
            self.fields = fields
        }
    }

    private let parts: Parts

    /// The owner.
    public var owner: Owner { parts.owner }
    /// The name of the engine's client certificate; `nil` for none.
    public var certificate: String? { parts.certificate }
    /// The credential fields that the caller has set.
    var fields: HTTPFields { parts.fields }

    /// The partition of requests without any credential.
    static let anonymous = CachePartition(owner: .anonymous)

    /// Makes a partition.
    ///
    /// - Parameters:
    ///   - owner: the owner.
    ///   - certificate: the name of the engine's client certificate; `nil` for none.
    public init(owner: Owner, certificate: String? = nil) {
        self.init(owner: owner, certificate: certificate, fields: HTTPFields())
    }

    init(owner: Owner, certificate: String?, fields: HTTPFields) {
        parts = Parts(owner, certificate, fields)
    }

    /// Whether all parts are equal.
    public static func == (a: Self, b: Self) -> Bool {
        a.parts === b.parts
            || a.parts.owner == b.parts.owner && a.parts.certificate == b.parts.certificate
                && a.parts.fields == b.parts.fields
    }

    /// Hashes all parts: an owner may have as many partitions as there are values of a credential field.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts.owner)
        hasher.combine(parts.certificate)
        if !parts.fields.isEmpty { hasher.combine(parts.fields) }
    }

    /// A name of the partition that is the same in each process and contains no secret, for durable stores.
    ///
    /// It is `nil` for partitions that a durable store must refuse: requests without a credential of the
    /// engine, credentials without a durable account, and requests with credential fields that the caller
    /// has set. Two partitions never have the same name.
    public var durableName: String? {
        guard case .account(let account) = owner, fields.isEmpty else { return nil }
        // The length separates names whatever characters they contain.
        return "\(account.utf8.count):\(account)" + (certificate.map { "+\($0)" } ?? "")
    }
}

extension CachePartition: Redacted {
    /// The kind of the owner, without names and fields.
    public var description: String {
        switch owner {
        case .anonymous: "cache partition without a credential"
        case .identity: "cache partition of a credential"
        case .account: "cache partition of an account"
        }
    }
}

extension CachePartition.Owner: Redacted {
    /// The kind of the owner.
    public var description: String {
        switch self {
        case .anonymous: "anonymous"
        case .identity: "identity"
        case .account: "account"
        }
    }
}
