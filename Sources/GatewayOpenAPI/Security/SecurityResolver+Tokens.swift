internal import GatewayAuth
internal import GatewayCore

extension SecurityResolver {
    /// The credential source of one scheme, for one set of scopes and one origin.
    func source(
        _ scheme: SecurityRequirements.Scheme, _ credential: OAuthCredential, _ tokens: DocumentedTokens,
        _ origin: Origin
    ) throws(NetworkError) -> any CredentialSource {
        let (options, keeper) = (credential.options, credential.keeper)
        let scopes = tokens.scopes(options.scopes, operation: scheme.scopes)
        // Tokens without a subject belong to this credential only, so its name becomes part of the key.
        let tenant = options.subject == nil ? keeper.name : nil
        switch credential.way {
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
            return self.credentials(coordinator, key, options, tokens, origin)
        case .acquirer(let acquirer):
            try Self.refuseBinding(options)
            let coordinator = keeper.coordinator("acquirer", options) { acquirer }
            let key = TokenKey(
                issuer: scheme.name, tenant: tenant, subject: options.subject, scopes: scopes,
                audiences: options.audiences, resources: options.resources,
                binding: acquirer.binding?.thumbprint)
            return self.credentials(coordinator, key, options, tokens, origin)
        case .provider(let provider):
            try Self.refuseBinding(options)
            guard options.store == nil else {
                throw NetworkError(
                    .credentialMisconfigured,
                    "The tokens of a `TokenProvider` cannot be stored: a provider keeps its own state.")
            }
            let coordinator = keeper.coordinator("provider", options) { ProviderAcquirer(provider) }
            let key = TokenKey(issuer: "provider", tenant: tenant, subject: options.subject)
            return self.credentials(coordinator, key, options, nil, origin)
        case .fixed(let token):
            let coordinator = keeper.coordinator("fixed", options) {
                ProviderAcquirer(StaticTokenProvider(token))
            }
            return self.credentials(coordinator, TokenKey(tenant: keeper.name), options, nil, origin)
        case .login(let login):
            let home = try login.settle(options, tokens, server: server, connections)
            return self.credentials(home.coordinator, home.key, options, nil, origin)
        case .coordinator(let coordinator, let key, let origins):
            try Self.refuseBinding(options)
            guard origins?.contains(origin) ?? true else {
                throw NetworkError(
                    .credentialMissing, "The credential is not configured for \(origin).", origin: origin)
            }
            return self.credentials(coordinator, key, options, tokens, origin)
        }
    }

    /// - Parameter tokens: has the scopes that may be requested after a 403; `nil` disables step-up.
    private func credentials(
        _ coordinator: TokenRefreshCoordinator, _ key: TokenKey, _ token: TokenOptions,
        _ tokens: DocumentedTokens?, _ origin: Origin
    ) -> any CredentialSource {
        if let eventOutlet { coordinator.report(to: eventOutlet) }
        engineParts.add(coordinator)
        return coordinator.credentials(
            for: key, origin: origin, stepUpScopes: options.stepsUp ? Set(tokens?.scopes ?? []) : [],
            rejectionStatuses: token.rejectionStatuses, plainHTTP: connections.plainHTTP)
    }

    /// A refresh token has the scopes that its owner granted, unless fewer are requested.
    private static func narrowed(_ scopes: TokenScopes) -> [String] {
        guard case .exactly(let scopes) = scopes else { return [] }
        return scopes
    }

    static func refuseBinding(_ options: TokenOptions) throws(NetworkError) {
        guard options.binding == nil else {
            throw NetworkError(
                .credentialMisconfigured,
                "`bound(to:)` cannot be used with an acquirer, a provider or a coordinator of your own.")
        }
    }
}
