/// Everything that decides which token is had: two requests with equal keys may share a token, two with different
/// ones never do.
public struct TokenKey: Hashable, Sendable {
    /// Who issues the token, such as `https://login.example.com`.
    public let issuer: String
    /// The client that asks, as the issuer knows it.
    public let client: String
    /// The tenant, where the issuer serves several.
    public let tenant: String?
    /// On whose behalf the client asks; `nil` for its own.
    public let subject: String?
    /// What the token shall allow (RFC 6749 §3.3), sorted and without duplicates.
    public let scopes: [String]
    /// For whom the token is meant (`audience` of RFC 8693 §2.1), sorted and without duplicates.
    public let audiences: [String]
    /// The absolute URIs of what the token is for (`resource` of RFC 8707 §2), sorted and without duplicates.
    public let resources: [String]
    /// The thumbprint of the key that the token is bound to (RFC 7638); `nil` for a bearer token.
    public let binding: String?

    /// The key as one text that no other key has. It holds no secret.
    public let canonical: String

    /// Makes a key. Order and repetition of scopes, audiences and resources do not count.
    public init(
        issuer: String = "", client: String = "", tenant: String? = nil, subject: String? = nil,
        scopes: [String] = [], audiences: [String] = [], resources: [String] = [], binding: String? = nil
    ) {
        self.issuer = issuer
        self.client = client
        self.tenant = tenant
        self.subject = subject
        self.scopes = Set(scopes).sorted()
        self.audiences = Set(audiences).sorted()
        self.resources = Set(resources).sorted()
        self.binding = binding
        var parts = [
            [issuer], [client], tenant.map { [$0] } ?? [], subject.map { [$0] } ?? [], self.scopes,
            self.audiences,
        ]
        // Keys that have neither are written as they were before there was either.
        if binding != nil || !resources.isEmpty { parts.append(binding.map { [$0] } ?? []) }
        if !resources.isEmpty { parts.append(self.resources) }
        canonical =
            parts
            .map { $0.map(Self.escape).joined(separator: ",") + ($0.isEmpty ? "" : ";") }
            .joined(separator: "|")
    }

    /// The only key of a client that has a single credential.
    public static let `default` = TokenKey()

    /// Percent-encodes what separates the parts, so that no two keys run together.
    private static func escape(_ part: String) -> String {
        var escaped = ""
        for scalar in part.unicodeScalars {
            switch scalar {
            case "%": escaped += "%25"
            case ",": escaped += "%2C"
            case ";": escaped += "%3B"
            case "|": escaped += "%7C"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Compares the canonical texts, which are equal for equal keys only.
    public static func == (a: TokenKey, b: TokenKey) -> Bool { a.canonical == b.canonical }
    /// Feeds what `==` compares into the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

extension TokenKey: CustomStringConvertible {
    /// The canonical text.
    public var description: String { canonical }
}
