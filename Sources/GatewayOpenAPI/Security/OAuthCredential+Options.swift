public import GatewayAuth
public import GatewayCore

/// Options. Each method returns a new credential, which has its own tokens.
extension OAuthCredential {
    private func with(_ change: (inout TokenOptions) -> Void) -> OAuthCredential {
        var options = options
        change(&options)
        return OAuthCredential(way, options)
    }

    /// Sets the endpoints, if they differ from the document's. They replace those of an earlier `at(…)`.
    ///
    /// - Parameters:
    ///   - tokenURL: the token endpoint. Like the other URLs it must be absolute and use `https`, or `http` with a
    ///     loopback address.
    ///   - revocationURL: the revocation endpoint (RFC 7009); `nil` disables revocation.
    ///   - deviceAuthorizationURL: the device authorization endpoint (RFC 8628); `nil` for the document's.
    ///   - authorizationURL: the authorization endpoint (RFC 6749 §3.1); `nil` for the document's.
    public func at(
        tokenURL: String, revocationURL: String? = nil, deviceAuthorizationURL: String? = nil,
        authorizationURL: String? = nil
    ) -> OAuthCredential {
        with {
            $0.issuer = nil
            $0.endpoints = TokenOptions.Endpoints(
                token: tokenURL, revocation: revocationURL, deviceAuthorization: deviceAuthorizationURL,
                authorization: authorizationURL)
        }
    }

    /// Sets the issuer. Its metadata contains the endpoints and must name the same issuer, byte for byte. It replaces the
    /// endpoints of an earlier `at(…)`.
    ///
    /// - Parameters:
    ///   - issuer: the issuer identifier: an `https` URL, or `http` with a loopback address.
    ///   - convention: the location of the metadata.
    ///   - allowed: additional origins that its endpoints may have.
    ///   - ignoresTrailingSlash: whether the issuer in the metadata may differ by a trailing slash.
    public func at(
        issuer: String, convention: AuthorizationServerDiscovery.Convention = .openID,
        allowing allowed: Set<Origin> = [], ignoresTrailingSlash: Bool = false
    ) -> OAuthCredential {
        with {
            $0.endpoints = nil
            $0.issuer = TokenOptions.Issuer(
                name: issuer, convention: convention, allowed: allowed,
                ignoresTrailingSlash: ignoresTrailingSlash)
        }
    }

    /// Sets the scopes to request. Default: the scopes that the operation requires.
    public func scopes(_ scopes: TokenScopes) -> OAuthCredential { with { $0.scopes = scopes } }

    /// Sets the audiences of the tokens (`audience` of RFC 8693 §2.1).
    public func audiences(_ audiences: [String]) -> OAuthCredential { with { $0.audiences = audiences } }

    /// Sets the resources that the tokens are for, as absolute URIs (`resource` of RFC 8707 §2).
    public func resources(_ resources: [String]) -> OAuthCredential { with { $0.resources = resources } }

    /// Sets the subject on whose behalf the client requests tokens.
    public func subject(_ subject: String) -> OAuthCredential { with { $0.subject = subject } }

    /// Sets the account name: a stable identifier that is the same in all processes that use this credential, and
    /// different for each account. Without it and without a store (``stored(in:for:)``), data of its calls is not
    /// stored on disk (``GatewayCore/CredentialIdentity/account``).
    ///
    /// The name is ignored with a durable store and with your own coordinator, because they identify the login
    /// themselves. For a login, the name applies until the next sign-in or sign-out.
    public func account(_ name: String) -> OAuthCredential { with { $0.account = name } }

    /// Sets the statuses besides 401 that reject a token if the response has the error `invalid_token`: 400, 403 or
    /// both; see ``GatewayAuth/CredentialScope/rejectionStatuses``. Default: none.
    public func rejectionStatuses(_ statuses: Set<Int>) -> OAuthCredential {
        with { $0.rejectionStatuses = statuses }
    }

    /// Binds tokens to a key (DPoP, RFC 9449). Each request proves possession of the key, and the tokens are never sent
    /// as bearer tokens.
    ///
    /// Not supported with your own acquirer, provider or coordinator, because they have their own binding; then calls
    /// fail with the code `credentialMisconfigured`.
    public func bound(to binding: DPoPBinding) -> OAuthCredential { with { $0.binding = binding } }

    /// Keeps refresh tokens in a store, so that they survive the process. Processes that share the store refresh each
    /// token only once.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - subject: the owner of the tokens. Each person needs a different name, because the name gives access to the
    ///     tokens.
    public func stored(in store: any TokenStore, for subject: String) -> OAuthCredential {
        with {
            $0.store = store
            $0.subject = subject
        }
    }

    /// Sets when tokens are refreshed.
    ///
    /// - Parameters:
    ///   - policy: when tokens are refreshed, and how failures are handled.
    ///   - onEvent: receives each event; must not block. Events contain no secrets.
    public func renewed(
        by policy: TokenRefreshPolicy, onEvent: (@Sendable (TokenEvent) -> Void)? = nil
    ) -> OAuthCredential {
        with {
            $0.policy = policy
            $0.onEvent = onEvent
        }
    }
}
