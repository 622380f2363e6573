public import GatewayAuth
public import GatewayCore

extension EmbeddedGateway {
    /// The key that verifies the gateway's access tokens.
    public var verificationKey: JSONWebTokenKey { pipeline.authorization.tokens.publicKey }

    /// The generation of the youngest access token; 0 before the first.
    public var currentGeneration: UInt64 { pipeline.authorization.lastGeneration }

    /// Rejects all access tokens up to a generation with 401 from now on.
    public func revokeTokens(upToGeneration generation: UInt64) {
        _ = pipeline.authorization.revoke(upTo: generation)
    }

    /// Rejects all access tokens that were issued so far with 401 from now on.
    ///
    /// - Returns: the generation of the youngest that was rejected.
    @discardableResult
    public func revokeCurrentTokens() -> UInt64 { pipeline.authorization.revoke(upTo: nil) }

    /// Makes every refresh token that was issued so far an `invalid_grant`.
    public func revokeRefreshTokens() { pipeline.authorization.revokeRefreshTokens() }

    /// Takes out what came of refresh tokens since the last time, up to ``Configuration/journalLimit`` uses.
    package func takeRefreshTokenUses() -> [RefreshTokenUse] { pipeline.ledger.takeRefreshTokenUses() }

    /// Makes an access token without asking the token endpoint. It counts as no token request.
    ///
    /// - Parameters:
    ///   - subject: on whose behalf it is used.
    ///   - scopes: what it allows; `nil` for all that the client may have.
    ///   - lifetime: in whole seconds; `nil` for the gateway's usual one, below zero for an expired token.
    /// - Throws: ``NetworkError`` with code `credentialMisconfigured` where the key cannot sign.
    public func issueAccessToken(
        subject: String? = nil, scopes: [String]? = nil, lifetime: Duration? = nil
    ) throws(NetworkError) -> IssuedAccessToken {
        try pipeline.authorization.issue(
            to: AuthorizationServer.Grant(
                clientID: client.id, subject: subject ?? client.id, scopes: scopes ?? client.scopes),
            lifetime: lifetime)
    }

    /// Makes the token of a partner: it has no scopes and opens the operations that take `partnerToken`.
    public func issuePartnerToken(
        subject: String = "partner", lifetime: Duration? = nil
    ) throws(NetworkError) -> IssuedAccessToken {
        try pipeline.authorization.issue(
            to: AuthorizationServer.Grant(clientID: subject, subject: subject, scopes: []),
            lifetime: lifetime,
            isPartner: true)
    }

    /// Signs somebody in, without asking the token endpoint: the beginning of a family of refresh tokens.
    ///
    /// - Parameters:
    ///   - subject: who signs in.
    ///   - scopes: what the tokens allow; `nil` for all that the client may have.
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
