public import GatewayAuth
public import GatewayCore

/// Options. Each returns a new credential, with tokens of its own.
extension OAuthCredential {
    private func with(_ change: (inout TokenOptions) -> Void) -> OAuthCredential {
        var options = options
        change(&options)
        return OAuthCredential(way, options)
    }

    /// Sets the endpoints, where they differ from the document's.
    ///
    /// - Parameters:
    ///   - tokenURL: the token endpoint: an absolute URL, `https`, or `http` to a loopback literal, as the others.
    ///   - revocationURL: the revocation endpoint (RFC 7009); `nil` to revoke nothing.
    ///   - deviceAuthorizationURL: the device authorization endpoint (RFC 8628); `nil` for the document's.
    ///   - authorizationURL: the authorization endpoint (RFC 6749 §3.1); `nil` for the document's.
    public func at(
        tokenURL: String, revocationURL: String? = nil, deviceAuthorizationURL: String? = nil,
        authorizationURL: String? = nil
    ) -> OAuthCredential {
        with {
            $0.endpoints = TokenOptions.Endpoints(
                token: tokenURL, revocation: revocationURL, deviceAuthorization: deviceAuthorizationURL,
                authorization: authorizationURL)
        }
    }

    /// Sets the issuer, whose metadata has the endpoints and must name the same issuer, byte for byte.
    ///
    /// - Parameters:
    ///   - issuer: the issuer: `https`, or `http` to a loopback literal.
    ///   - convention: where its metadata is published.
    ///   - allowed: the origins that its endpoints may have, besides the issuer's own.
    ///   - ignoresTrailingSlash: whether the issuer in the metadata may differ by a slash at its end.
    public func at(
        issuer: String, convention: AuthorizationServerDiscovery.Convention = .openID,
        allowing allowed: Set<Origin> = [], ignoresTrailingSlash: Bool = false
    ) -> OAuthCredential {
        with {
            $0.issuer = TokenOptions.Issuer(
                name: issuer, convention: convention, allowed: allowed,
                ignoresTrailingSlash: ignoresTrailingSlash)
        }
    }

    /// Sets the scopes to request: by default those that the operation needs.
    public func scopes(_ scopes: TokenScopes) -> OAuthCredential { with { $0.scopes = scopes } }

    /// Sets the audiences of the tokens (`audience` of RFC 8693 §2.1).
    public func audiences(_ audiences: [String]) -> OAuthCredential { with { $0.audiences = audiences } }

    /// Sets the resources that the tokens are for, as absolute URIs (`resource` of RFC 8707 §2).
    public func resources(_ resources: [String]) -> OAuthCredential { with { $0.resources = resources } }

    /// Sets the subject on whose behalf the client requests tokens.
    public func subject(_ subject: String) -> OAuthCredential { with { $0.subject = subject } }

    /// Names the account: an identifier that is the same in each process that uses this credential, and another one for
    /// another account. Without a name, and without a store (``stored(in:for:)``), nothing of its calls may be kept on disk
    /// (``GatewayCore/CredentialIdentity/account``).
    ///
    /// A durable store identifies the login itself, and so does a coordinator of your own; then the name is not used. For a
    /// login the name counts until somebody signs in or out.
    public func account(_ name: String) -> OAuthCredential { with { $0.account = name } }

    /// Sets the statuses besides 401 that reject a token, if the response says `invalid_token`: 400, 403 or both; see
    /// ``GatewayAuth/CredentialScope/rejectionStatuses``. None by default.
    public func rejectionStatuses(_ statuses: Set<Int>) -> OAuthCredential {
        with { $0.rejectionStatuses = statuses }
    }

    /// Binds tokens to a key: each request proves that its sender has it, and no such token is ever sent as a bearer
    /// token (RFC 9449).
    ///
    /// An acquirer, a login's grants excepted, brings its own binding; there this is refused.
    public func bound(to binding: DPoPBinding) -> OAuthCredential { with { $0.binding = binding } }

    /// Keeps refresh tokens in a store, so that they outlive the process, and each is renewed once for all processes that
    /// share it.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - subject: the owner of the tokens. Each person needs a name of their own: the name gives access to the tokens.
    public func stored(in store: any TokenStore, for subject: String) -> OAuthCredential {
        with {
            $0.store = store
            $0.subject = subject
        }
    }

    /// Sets when tokens are renewed.
    ///
    /// - Parameters:
    ///   - policy: when tokens are renewed, and what happens when that fails.
    ///   - onEvent: is called with each event; must not block. Events hold no secret.
    public func renewed(
        by policy: TokenRefreshPolicy, onEvent: (@Sendable (TokenEvent) -> Void)? = nil
    ) -> OAuthCredential {
        with {
            $0.policy = policy
            $0.onEvent = onEvent
        }
    }
}
