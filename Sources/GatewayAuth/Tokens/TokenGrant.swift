public import GatewayCore

/// What a token endpoint, or whoever else gives tokens, has granted (RFC 6749 §5.1).
public struct TokenGrant: Sendable {
    /// The access token: visible ASCII characters without space and comma.
    public var accessToken: Secret
    /// How long the access token lives, counted from when it was asked for; `nil` where nobody said.
    public var expiresIn: Duration?
    /// What the next grant is had with.
    public var refreshToken: Secret?
    /// What was granted, where that was said; it may differ from what was asked for.
    public var scopes: [String]?
    /// How the access token is used.
    public var type: AccessTokenType
    /// The ID token of a sign-in with the scope `openid`, validated; see ``AuthorizationCode``. It is not stored, and
    /// refreshes do not change it.
    public var idToken: Secret?

    /// Creates a grant.
    public init(
        accessToken: Secret, expiresIn: Duration? = nil, refreshToken: Secret? = nil,
        scopes: [String]? = nil, type: AccessTokenType = .bearer, idToken: Secret? = nil
    ) {
        self.accessToken = accessToken
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.scopes = scopes
        self.type = type
        self.idToken = idToken
    }
}

extension TokenGrant: Redacted {
    /// What there is, without what a server wrote: neither tokens nor the names of scopes.
    public var description: String {
        let lifetime = expiresIn.map { " for \($0)" } ?? ""
        let refresh = refreshToken == nil ? "" : ", refresh token"
        let scopes = scopes.map { ", \($0.count) scopes" } ?? ""
        let type = type == .bearer ? "" : "bound "
        return type + "access token" + lifetime + refresh + scopes
    }
}
