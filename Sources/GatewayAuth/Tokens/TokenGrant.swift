public import GatewayCore

/// A grant from a token endpoint or another source of tokens (RFC 6749 §5.1).
public struct TokenGrant: Sendable {
    /// The access token: visible ASCII characters without space and comma.
    public var accessToken: Secret
    /// The lifetime of the access token, from the time of the request; `nil` if it is unknown.
    public var expiresIn: Duration?
    /// The refresh token, if one was issued.
    public var refreshToken: Secret?
    /// The granted scopes, if they are known. They may differ from the requested ones.
    public var scopes: [String]?
    /// How the access token is used.
    public var type: AccessTokenType
    /// The ID token of a sign-in with the scope `openid`, validated; see ``AuthorizationCode``. It is not stored, and
    /// refreshes do not change it.
    public var idToken: Secret?
    /// The token endpoint that returned it, for errors; `nil` if there was none.
    var origin: Origin?
    /// The status of its response.
    var status: Int?

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
    /// The parts of the grant, without text from a server: neither tokens nor names of scopes.
    public var description: String {
        let lifetime = expiresIn.map { " for \($0)" } ?? ""
        let refresh = refreshToken == nil ? "" : ", refresh token"
        let scopes = scopes.map { ", \($0.count) scopes" } ?? ""
        let type = type == .bearer ? "" : "bound "
        return type + "access token" + lifetime + refresh + scopes
    }
}
