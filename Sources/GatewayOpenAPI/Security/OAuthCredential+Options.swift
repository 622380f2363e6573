public import GatewayAuth
public import GatewayCore

/// What can be said beside the way to a token. Each gives a credential of its own, with tokens of its own.
extension OAuthCredential {
    private func with(_ change: (inout TokenOptions) -> Void) -> OAuthCredential {
        var options = options
        change(&options)
        return OAuthCredential(way, options)
    }

    /// Names the endpoints, where they are others than the document's.
    ///
    /// - Parameters:
    ///   - tokenURL: the token endpoint: the absolute URL; `https`, or `http` to a loopback literal. So are the others.
    ///   - revocationURL: where grants are taken back (RFC 7009); `nil` for nowhere.
    ///   - deviceAuthorizationURL: where devices begin (RFC 8628); `nil` for the document's.
    ///   - authorizationURL: where a browser goes (RFC 6749 §3.1); `nil` for the document's.
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

    /// Names the issuer, whose token endpoint is found by its metadata, which must name the issuer byte by byte.
    ///
    /// - Parameters:
    ///   - issuer: the issuer: `https`, or `http` to a loopback literal.
    ///   - convention: where its metadata stands.
    ///   - allowed: at which origins beside the issuer's own its endpoints may lie.
    public func at(
        issuer: String, convention: AuthorizationServerDiscovery.Convention = .openID,
        allowing allowed: Set<Origin> = []
    ) -> OAuthCredential {
        with {
            $0.issuer = TokenOptions.Issuer(name: issuer, convention: convention, allowed: allowed)
        }
    }

    /// Says which scopes tokens are asked for with: by default those that the operation needs.
    public func scopes(_ scopes: TokenScopes) -> OAuthCredential { with { $0.scopes = scopes } }

    /// Says for whom tokens are meant (`audience` of RFC 8693 §2.1).
    public func audiences(_ audiences: [String]) -> OAuthCredential { with { $0.audiences = audiences } }

    /// Says what tokens are for, by absolute URIs (`resource` of RFC 8707 §2).
    public func resources(_ resources: [String]) -> OAuthCredential { with { $0.resources = resources } }

    /// Names on whose behalf the client asks.
    public func subject(_ subject: String) -> OAuthCredential { with { $0.subject = subject } }

    /// Binds tokens to a key: each request proves that its sender has it, and no such token is ever sent as a bearer
    /// token (RFC 9449).
    ///
    /// An acquirer, a login's grants excepted, brings its own binding; there this is refused.
    public func bound(to binding: DPoPBinding) -> OAuthCredential { with { $0.binding = binding } }

    /// Keeps what tokens are renewed with in a store, so that they outlive the process and are renewed once for all
    /// processes that share it.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - subject: whose tokens they are. Two people have two names: who has the name has the tokens.
    public func stored(in store: any TokenStore, for subject: String) -> OAuthCredential {
        with {
            $0.store = store
            $0.subject = subject
        }
    }

    /// Says when tokens are renewed.
    ///
    /// - Parameters:
    ///   - policy: when.
    ///   - onEvent: hears of what happens; must not block, and is given no secret.
    public func renewed(
        by policy: TokenRefreshPolicy, onEvent: (@Sendable (TokenEvent) -> Void)? = nil
    ) -> OAuthCredential {
        with {
            $0.policy = policy
            $0.onEvent = onEvent
        }
    }
}
