/// Identifies a token. Requests with equal keys may share a token, requests with different keys never do.
public struct TokenKey: Hashable, Sendable {
    /// The issuer of the token, such as `https://login.example.com`.
    public let issuer: String
    /// The client identifier at the issuer.
    public let client: String
    /// The tenant, if the issuer has several.
    public let tenant: String?
    /// The subject on whose behalf the client requests the token; `nil` for the client itself.
    public let subject: String?
    /// The requested scopes (RFC 6749 §3.3), sorted and without duplicates.
    public let scopes: [String]
    /// The intended audiences of the token (`audience` of RFC 8693 §2.1), sorted and without duplicates.
    public let audiences: [String]
    /// The target services of the token as absolute URIs (`resource` of RFC 8707 §2), sorted and without duplicates.
    public let resources: [String]
    /// The thumbprint of the key that the token is bound to (RFC 7638); `nil` for a bearer token.
    public let binding: String?

    /// A text that is unique for the key. It contains no secret.
    public let canonical: String

    /// Creates a key. Order and duplicates of scopes, audiences and resources are ignored.
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
        // Keys without these parts keep the format from before the parts existed.
        if binding != nil || !resources.isEmpty { parts.append(binding.map { [$0] } ?? []) }
        if !resources.isEmpty { parts.append(self.resources) }
        canonical =
            parts
            .map { $0.map(Self.escape).joined(separator: ",") + ($0.isEmpty ? "" : ";") }
            .joined(separator: "|")
    }

    /// The default key, for a client with a single credential.
    public static let `default` = TokenKey()

    /// Percent-encodes the separators of the parts, so that different keys have different texts.
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

    /// Compares the canonical texts.
    public static func == (a: TokenKey, b: TokenKey) -> Bool { a.canonical == b.canonical }
    /// Hashes the canonical text.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

extension TokenKey: CustomStringConvertible {
    /// The canonical text.
    public var description: String { canonical }
}
