public import GatewayAuth
public import GatewayCore

/// Grants at the token endpoint that the document names or its issuer publishes.
extension OAuthCredential {
    // MARK: Client credentials

    /// The client credentials grant (RFC 6749 §4.4).
    ///
    /// - Parameters:
    ///   - id: the client identifier.
    ///   - secret: the client secret; see
    ///     ``GatewayAuth/ClientAuthentication/automatic(clientID:secret:)-swift.type.method``.
    ///   - tokenURL: the token endpoint; `nil` for the document's.
    public static func clientCredentials(
        id: String, secret: Secret, tokenURL: String? = nil
    ) -> OAuthCredential {
        .clientCredentials(.automatic(clientID: id, secret: secret)).over(tokenURL)
    }

    /// The same with a plain string, which is wrapped in a `Secret` immediately.
    public static func clientCredentials(
        id: String, secret: String, tokenURL: String? = nil
    ) -> OAuthCredential {
        .clientCredentials(id: id, secret: Secret(secret), tokenURL: tokenURL)
    }

    /// The same with a secret that is read for each token request.
    public static func clientCredentials(id: String, secret: SecretSource) -> OAuthCredential {
        .clientCredentials(.automatic(clientID: id, secret: secret))
    }

    /// The client credentials grant with a JWT that the client signs for each token request (RFC 7523 §2.2).
    ///
    /// - Parameters:
    ///   - id: the client identifier.
    ///   - key: a private key for an RS or ES algorithm.
    ///   - keyID: the key identifier that is sent to the server.
    ///   - audience: the identifier of the server; `nil` for the URL of the token endpoint.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` if the key cannot be used.
    public static func clientCredentials(
        id: String, privateKeyJWT key: JSONWebTokenKey, keyID: String? = nil, audience: String? = nil
    ) throws(NetworkError) -> OAuthCredential {
        .clientCredentials(
            try .privateKeyJWT(clientID: id, key: key, keyID: keyID, audience: audience))
    }

    /// The client credentials grant with any client authentication method.
    public static func clientCredentials(_ client: ClientAuthentication) -> OAuthCredential {
        OAuthCredential(
            .client(
                ClientGrant(name: "client credentials", authentication: client, span: .client) {
                    ClientCredentials(endpoint: $0)
                }))
    }

    // MARK: Refresh tokens

    /// A refresh token from an earlier sign-in (RFC 6749 §6). One access token is used for all scopes. Why: using the
    /// refresh token once for each set of scopes would look like token theft to the server.
    ///
    /// - Parameters:
    ///   - token: the refresh token; with a store (``stored(in:for:)``), the initial one.
    ///   - clientID: the client identifier.
    ///   - clientSecret: the client secret; `nil` for a public client.
    ///   - tokenURL: the token endpoint; `nil` for the document's.
    public static func refreshToken(
        _ token: Secret, clientID: String, clientSecret: Secret? = nil, tokenURL: String? = nil
    ) -> OAuthCredential {
        let client: ClientAuthentication =
            if let clientSecret { .automatic(clientID: clientID, secret: clientSecret) } else {
                .publicClient(clientID: clientID)
            }
        return .refreshToken(token, client: client).over(tokenURL)
    }

    /// The same with plain strings, which are wrapped in a `Secret` immediately.
    public static func refreshToken(
        _ token: String, clientID: String, clientSecret: String? = nil, tokenURL: String? = nil
    ) -> OAuthCredential {
        .refreshToken(
            Secret(token), clientID: clientID, clientSecret: clientSecret.map { Secret($0) },
            tokenURL: tokenURL)
    }

    /// A refresh token with any client authentication method.
    ///
    /// - Parameters:
    ///   - token: the refresh token; `nil` if the store already contains it (``stored(in:for:)``).
    ///   - client: the client authentication.
    public static func refreshToken(_ token: Secret?, client: ClientAuthentication) -> OAuthCredential {
        OAuthCredential(
            .client(
                ClientGrant(name: "refresh token", authentication: client, span: .single) {
                    RefreshTokenGrant(endpoint: $0, initial: token)
                }))
    }

    // MARK: Assertions and other tokens

    /// The JWT bearer grant (RFC 7523 §2.1) with an assertion that is signed for each token request. If the assertion
    /// has no subject, ``subject(_:)`` is used.
    public static func jwtBearer(
        _ assertion: SignedAssertion, client: ClientAuthentication
    ) -> OAuthCredential {
        forSubject("assertion", client) { JWTBearerGrant(endpoint: $0, assertion: assertion) }
    }

    /// The JWT bearer grant with an assertion that was signed elsewhere and is read for each token request.
    public static func jwtBearer(
        _ assertion: SecretSource, client: ClientAuthentication
    ) -> OAuthCredential {
        forSubject("assertion", client) { JWTBearerGrant(endpoint: $0, assertion: assertion) }
    }

    /// Token exchange (RFC 8693).
    ///
    /// - Parameters:
    ///   - subject: the token of the party on whose behalf the new token is requested.
    ///   - actor: the token of the acting party; `nil` if the subject acts itself.
    ///   - requested: the type of the new token; `nil` lets the server choose.
    ///   - client: the client authentication.
    public static func tokenExchange(
        _ subject: TokenExchange.Token, actor: TokenExchange.Token? = nil,
        requesting requested: TokenExchange.TokenType? = nil, client: ClientAuthentication
    ) -> OAuthCredential {
        forSubject("exchange", client) {
            TokenExchange(endpoint: $0, subject: subject, actor: actor, requesting: requested)
        }
    }

    /// Your own grant at the document's token endpoint.
    ///
    /// - Parameters:
    ///   - client: the client authentication.
    ///   - make: creates the acquirer for the endpoint.
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
