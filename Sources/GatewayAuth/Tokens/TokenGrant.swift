public import GatewayCore

/// What a token endpoint, or whoever else gives tokens, has granted (RFC 6749 §5.1).
public struct TokenGrant: Sendable {
    /// The access token: `token68` characters (RFC 6750 §2.1).
    public var accessToken: Secret
    /// How long the access token lives, counted from when it was asked for; `nil` where nobody said.
    public var expiresIn: Duration?
    /// What the next grant is had with.
    public var refreshToken: Secret?
    /// What was granted, where that was said; it may differ from what was asked for.
    public var scopes: [String]?

    /// Makes a grant.
    public init(
        accessToken: Secret, expiresIn: Duration? = nil, refreshToken: Secret? = nil,
        scopes: [String]? = nil
    ) {
        self.accessToken = accessToken
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.scopes = scopes
    }
}
