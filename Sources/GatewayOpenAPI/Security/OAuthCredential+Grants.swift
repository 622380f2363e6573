public import GatewayAuth
public import GatewayCore

/// Ways to a token at the token endpoint that the document names, or that its issuer publishes.
extension OAuthCredential {
    // MARK: Client credentials

    /// The client's own credential (RFC 6749 §4.4).
    ///
    /// - Parameters:
    ///   - id: the client's identifier.
    ///   - secret: the client's secret; see ``GatewayAuth/ClientAuthentication/automatic(clientID:secret:)-swift.type.method``.
    ///   - tokenURL: the token endpoint, where it is another than the document's.
    public static func clientCredentials(
        id: String, secret: Secret, tokenURL: String? = nil
    ) -> OAuthCredential {
        .clientCredentials(.automatic(clientID: id, secret: secret)).over(tokenURL)
    }

    /// The same from a secret that is still a plain string; it is wrapped at once.
    public static func clientCredentials(
        id: String, secret: String, tokenURL: String? = nil
    ) -> OAuthCredential {
        .clientCredentials(id: id, secret: Secret(secret), tokenURL: tokenURL)
    }

    /// The same with a secret that is read anew for each token.
    public static func clientCredentials(id: String, secret: SecretSource) -> OAuthCredential {
        .clientCredentials(.automatic(clientID: id, secret: secret))
    }

    /// The same by an assertion that the client signs anew for each token (RFC 7523 §2.2).
    ///
    /// - Parameters:
    ///   - id: the client's identifier.
    ///   - key: a private key of the RS or ES family.
    ///   - keyID: names the key for the server.
    ///   - audience: the server, by the name that it expects; `nil` for the token endpoint's URL.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` for a key that cannot do it.
    public static func clientCredentials(
        id: String, privateKeyJWT key: JSONWebTokenKey, keyID: String? = nil, audience: String? = nil
    ) throws(NetworkError) -> OAuthCredential {
        .clientCredentials(
            try .privateKeyJWT(clientID: id, key: key, keyID: keyID, audience: audience))
    }

    /// The same by any proof of who the client is.
    public static func clientCredentials(_ client: ClientAuthentication) -> OAuthCredential {
        OAuthCredential(
            .client(
                ClientGrant(name: "client credentials", authentication: client, span: .client) {
                    ClientCredentials(endpoint: $0)
                }))
    }

    // MARK: Refresh tokens

    /// A refresh token that somebody got by signing in (RFC 6749 §6). It brings one token for all scopes: spending it
    /// for each set would look like theft.
    ///
    /// - Parameters:
    ///   - token: the refresh token; where ``stored(in:for:)`` names a store, the first one.
    ///   - clientID: the client's identifier.
    ///   - clientSecret: the client's secret; `nil` for a public client.
    ///   - tokenURL: the token endpoint, where it is another than the document's.
    public static func refreshToken(
        _ token: Secret, clientID: String, clientSecret: Secret? = nil, tokenURL: String? = nil
    ) -> OAuthCredential {
        let client: ClientAuthentication =
            if let clientSecret { .automatic(clientID: clientID, secret: clientSecret) } else {
                .publicClient(clientID: clientID)
            }
        return .refreshToken(token, client: client).over(tokenURL)
    }

    /// The same from plain strings; they are wrapped at once.
    public static func refreshToken(
        _ token: String, clientID: String, clientSecret: String? = nil, tokenURL: String? = nil
    ) -> OAuthCredential {
        .refreshToken(
            Secret(token), clientID: clientID, clientSecret: clientSecret.map { Secret($0) },
            tokenURL: tokenURL)
    }

    /// The same by any proof of who the client is.
    ///
    /// - Parameters:
    ///   - token: the refresh token; `nil` where it is in the store already; see ``stored(in:for:)``.
    ///   - client: who spends it.
    public static func refreshToken(_ token: Secret?, client: ClientAuthentication) -> OAuthCredential {
        OAuthCredential(
            .client(
                ClientGrant(name: "refresh token", authentication: client, span: .single) {
                    RefreshTokenGrant(endpoint: $0, initial: token)
                }))
    }

    // MARK: Assertions and other tokens

    /// The JWT bearer grant: an assertion for an access token (RFC 7523 §2.1), signed anew for each token. One that
    /// names no subject speaks of ``subject(_:)``.
    public static func jwtBearer(
        _ assertion: SignedAssertion, client: ClientAuthentication
    ) -> OAuthCredential {
        forSubject("assertion", client) { JWTBearerGrant(endpoint: $0, assertion: assertion) }
    }

    /// The same with an assertion that somebody else has signed, read anew for each token.
    public static func jwtBearer(
        _ assertion: SecretSource, client: ClientAuthentication
    ) -> OAuthCredential {
        forSubject("assertion", client) { JWTBearerGrant(endpoint: $0, assertion: assertion) }
    }

    /// Token exchange: one token for another (RFC 8693).
    ///
    /// - Parameters:
    ///   - subject: on whose behalf the new token is.
    ///   - actor: who acts on that behalf; `nil` where nobody but the subject is told of.
    ///   - requested: what the new token shall be; `nil` leaves it to the server.
    ///   - client: who asks.
    public static func tokenExchange(
        _ subject: TokenExchange.Token, actor: TokenExchange.Token? = nil,
        requesting requested: TokenExchange.TokenType? = nil, client: ClientAuthentication
    ) -> OAuthCredential {
        forSubject("exchange", client) {
            TokenExchange(endpoint: $0, subject: subject, actor: actor, requesting: requested)
        }
    }

    /// A grant of your own at the document's token endpoint.
    ///
    /// - Parameters:
    ///   - client: who asks.
    ///   - make: makes what asks, for the endpoint.
    public static func grant(
        client: ClientAuthentication, _ make: @escaping @Sendable (TokenEndpoint) -> any TokenAcquirer
    ) -> OAuthCredential {
        forSubject("its own grant", client, make)
    }

    private static func forSubject(
        _ name: StaticString, _ client: ClientAuthentication,
        _ make: @escaping @Sendable (TokenEndpoint) -> any TokenAcquirer
    ) -> OAuthCredential {
        OAuthCredential(.client(ClientGrant(name: name, authentication: client, span: .subject, make: make)))
    }

    private func over(_ tokenURL: String?) -> OAuthCredential {
        guard let tokenURL else { return self }
        return at(tokenURL: tokenURL)
    }
}
