package import GatewayAuth
package import GatewayCore

extension OAuthCredential {
    /// A token of a credential: who keeps it, and under which key.
    package struct Token: Sendable {
        package let coordinator: TokenRefreshCoordinator
        package let key: TokenKey
        /// The statuses besides 401 that reject the token.
        package let rejectionStatuses: Set<Int>
        /// Whether a 403 may lead to a token with further scopes.
        let canStepUp: Bool
        /// Returns the key at the first use; `nil` if it is known now.
        package fileprivate(set) var laterKey: (@Sendable () -> TokenKey)?
    }

    /// The token for calls without a document: the calls of an engine or a queue.
    ///
    /// The endpoints are those of the credential, otherwise those of the first client that was created with it. The
    /// scopes are those of the credential, otherwise all of that client's document. For ``TokenScopes/ofDocument`` that
    /// client may be created later, before the first use of the token.
    ///
    /// - Parameters:
    ///   - origins: the origins that receive the token.
    ///   - transport: makes the token requests.
    ///   - showsCertificate: whether its connections use a client certificate.
    ///   - plainHTTP: the hosts that are called over plain HTTP.
    /// - Throws: `credentialMisconfigured` without a token endpoint, and `invalidURL` or `insecureOrigin` for a wrong one;
    ///   `credentialMissing` if the credential is not for an origin.
    package func token(
        for origins: [Origin], transport: any Transport, showsCertificate: Bool, plainHTTP: PlainHTTPHosts
    ) throws(NetworkError) -> Token {
        for origin in origins {
            try check(origin)
            try origin.refuseInsecure(allowing: plainHTTP)
        }
        let home = keeper.home
        if home == nil, needsEndpoint, options.endpoints == nil, options.issuer == nil {
            throw NetworkError(
                .credentialMisconfigured,
                "The credential has no token endpoint. Set it by `at(tokenURL:)` or `at(issuer:)`, or create the client "
                    + "whose document has it first.")
        }
        var options = options
        if home != nil, options.scopes == .ofOperation { options.scopes = .ofDocument }
        let connections = TokenSite.Connections(
            transport: transport, showCertificate: showsCertificate, plainHTTP: plainHTTP)
        var token = try token(
            of: home?.scheme ?? "", operation: [], home?.tokens ?? DocumentedTokens(), options,
            server: home?.server, connections)
        if home == nil, needsEndpoint, options.scopes == .ofDocument {
            token.laterKey = { [self, key = token.key, options] in
                guard let home = keeper.home else { return key }
                let later = try? self.token(
                    of: home.scheme, operation: [], home.tokens, options, server: home.server, connections)
                return later?.key ?? key
            }
        }
        return token
    }

    /// Whether its tokens are requested here.
    private var needsEndpoint: Bool {
        switch way {
        case .client, .login: true
        case .fixed, .provider, .acquirer, .coordinator: false
        }
    }

    /// Fails if the credential is for other origins only.
    func check(_ origin: Origin) throws(NetworkError) {
        guard case .coordinator(_, _, let origins?) = way, !origins.contains(origin) else { return }
        throw NetworkError(
            .credentialMissing, "The credential is not configured for \(origin).", origin: origin)
    }

    /// The token for a scheme of a document.
    ///
    /// - Parameters:
    ///   - scheme: the name of the scheme.
    ///   - operation: the scopes that the operation requires.
    ///   - tokens: the endpoints and scopes of the document.
    ///   - options: the options of the credential.
    ///   - server: the base of relative URLs.
    func token(
        of scheme: String, operation: [String], _ tokens: DocumentedTokens, _ options: TokenOptions,
        server: Origin?, _ connections: TokenSite.Connections
    ) throws(NetworkError) -> Token {
        func token(
            _ coordinator: TokenRefreshCoordinator, _ key: TokenKey, canStepUp: Bool = true
        ) -> Token {
            Token(
                coordinator: coordinator, key: key, rejectionStatuses: options.rejectionStatuses,
                canStepUp: canStepUp)
        }
        let scopes = tokens.scopes(options.scopes, operation: operation)
        // Tokens without a subject belong to this credential only, so its name becomes part of the key.
        let tenant = options.subject == nil ? keeper.name : nil
        switch way {
        case .client(let grant):
            let site = try tokens.place(
                options, grant.span == .single ? tokens.ofRefreshing : tokens.ofClients, server: server)
            let client = try site.client(grant.authentication, binding: options.binding, connections)
            let coordinator = keeper.coordinator(site.name, options) {
                client.acquirer(canStepUp: grant.span != .single, grant.make)
            }
            let key = client.key(
                options, scopes: grant.span == .single ? Self.narrowed(options.scopes) : scopes,
                tenant: grant.span == .client ? nil : tenant)
            return token(coordinator, key)
        case .acquirer(let acquirer):
            try refuseBinding()
            let coordinator = keeper.coordinator("acquirer", options) { acquirer }
            let key = TokenKey(
                issuer: scheme, tenant: tenant, subject: options.subject, scopes: scopes,
                audiences: options.audiences, resources: options.resources,
                binding: acquirer.binding?.thumbprint)
            return token(coordinator, key)
        case .provider(let provider):
            try refuseBinding()
            guard options.store == nil else {
                throw NetworkError(
                    .credentialMisconfigured,
                    "The tokens of a `TokenProvider` cannot be stored: a provider keeps its own state.")
            }
            let coordinator = keeper.coordinator("provider", options) { ProviderAcquirer(provider) }
            let key = TokenKey(issuer: "provider", tenant: tenant, subject: options.subject)
            return token(coordinator, key, canStepUp: false)
        case .fixed(let secret):
            try refuseBinding()
            let coordinator = keeper.coordinator("fixed", options) {
                ProviderAcquirer(StaticTokenProvider(secret))
            }
            return token(coordinator, TokenKey(tenant: keeper.name), canStepUp: false)
        case .login(let login):
            let home = try login.settle(options, tokens, server: server, connections)
            return token(home.coordinator, home.key, canStepUp: false)
        case .coordinator(let coordinator, let key, _):
            try refuseBinding()
            return token(coordinator, key)
        }
    }

    /// A refresh token has the scopes that its owner granted, unless fewer are requested.
    private static func narrowed(_ scopes: TokenScopes) -> [String] {
        guard case .exactly(let scopes) = scopes else { return [] }
        return scopes
    }

    /// Fails if tokens that are not requested here should be bound to a key.
    func refuseBinding() throws(NetworkError) {
        guard options.binding == nil else {
            throw NetworkError(
                .credentialMisconfigured,
                "`bound(to:)` cannot be used with an acquirer, a provider or a coordinator of your own.")
        }
    }
}

extension SecurityResolver {
    /// The credential source of one scheme, for one set of scopes and one origin.
    func source(
        _ scheme: SecurityRequirements.Scheme, _ credential: OAuthCredential, _ tokens: DocumentedTokens,
        _ origin: Origin
    ) throws(NetworkError) -> any CredentialSource {
        try credential.check(origin)
        let token = try credential.token(
            of: scheme.name, operation: scheme.scopes, tokens, credential.options, server: server,
            connections)
        if let eventOutlet { token.coordinator.report(to: eventOutlet) }
        engineParts.add(token.coordinator)
        return token.coordinator.credentials(
            for: token.key, origin: origin,
            stepUpScopes: options.stepsUp && token.canStepUp ? Set(tokens.scopes) : [],
            rejectionStatuses: token.rejectionStatuses, plainHTTP: connections.plainHTTP)
    }
}
