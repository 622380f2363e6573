public import GatewayAuth
public import GatewayCore

extension EmbeddedGateway {
    /// The key for verifying the gateway's access tokens.
    public var verificationKey: JSONWebTokenKey { pipeline.authorization.tokens.publicKey }

    /// The generation of the newest access token; 0 before the first.
    public var currentGeneration: UInt64 { pipeline.authorization.lastGeneration }

    /// Revokes all access tokens up to a generation. They are rejected with 401 from now on.
    public func revokeTokens(upToGeneration generation: UInt64) {
        _ = pipeline.authorization.revoke(upTo: generation)
    }

    /// Revokes all access tokens that were issued so far. They are rejected with 401 from now on.
    ///
    /// - Returns: the generation of the newest revoked token.
    @discardableResult
    public func revokeCurrentTokens() -> UInt64 { pipeline.authorization.revoke(upTo: nil) }

    /// Revokes all refresh tokens that were issued so far. They are rejected with `invalid_grant` from now on.
    public func revokeRefreshTokens() { pipeline.authorization.revokeRefreshTokens() }

    /// Returns and removes the recorded uses of refresh tokens, at most ``Configuration/journalLimit``.
    package func takeRefreshTokenUses() -> [RefreshTokenUse] { pipeline.ledger.takeRefreshTokenUses() }

    /// Issues an access token without the token endpoint. It is not counted as a token request.
    ///
    /// - Parameters:
    ///   - subject: the subject; `nil` for the client itself.
    ///   - scopes: the scopes; `nil` for all allowed scopes of the client.
    ///   - lifetime: the lifetime in whole seconds; `nil` for the default, negative for an expired token.
    /// - Throws: ``NetworkError`` with code `credentialMisconfigured` if the key cannot sign.
    public func issueAccessToken(
        subject: String? = nil, scopes: [String]? = nil, lifetime: Duration? = nil
    ) throws(NetworkError) -> IssuedAccessToken {
        try pipeline.authorization.issue(
            to: AuthorizationServer.Grant(
                clientID: client.id, subject: subject ?? client.id, scopes: scopes ?? client.scopes),
            lifetime: lifetime)
    }

    /// Issues a partner token. It has no scopes and gives access to the operations that accept `partnerToken`.
    public func issuePartnerToken(
        subject: String = "partner", lifetime: Duration? = nil
    ) throws(NetworkError) -> IssuedAccessToken {
        try pipeline.authorization.issue(
            to: AuthorizationServer.Grant(clientID: subject, subject: subject, scopes: []),
            lifetime: lifetime,
            isPartner: true)
    }

    /// Signs in a user without the token endpoint, and starts a family of refresh tokens.
    ///
    /// - Parameters:
    ///   - subject: the user.
    ///   - scopes: the scopes; `nil` for all allowed scopes of the client.
    public func signIn(
        subject: String = "reader", scopes: [String]? = nil
    ) throws(NetworkError) -> SignedIn {
        let scopes = scopes ?? client.scopes
        let (family, refreshToken) = pipeline.authorization.startFamily(
            clientID: client.id, subject: subject, scopes: scopes)
        let access = try pipeline.authorization.issue(
            to: AuthorizationServer.Grant(
                clientID: client.id, subject: subject, scopes: scopes, family: family))
        return SignedIn(access: access, refreshToken: refreshToken)
    }
}
