import GatewayAuth
import GatewayCore
import GatewayCurl

extension VariableReader {
    /// The variables of an authorization server.
    private static let ofServer: [Variable] = [
        .tokenURL, .issuer, .discovery, .issuerMatch, .revocationURL, .deviceURL, .authorizationURL,
    ]

    private static let ofClient: [Variable] =
        ofServer + [
            .clientID, .clientSecret,
            .clientSecretFile, .clientAuthentication, .signingKeyFile, .signingKeyID, .signingAlgorithm,
            .assertionAudience, .clientAssertionFile, .dpopKeyFile, .grant, .subject, .scope, .audience,
            .resource, .tokenStore, .tokenStorePassword, .tokenStorePasswordFile,
        ] + EnvironmentGrant.variables

    /// Whether any variable describes a client, well or badly.
    private var namesClient: Bool {
        Self.ofClient.contains { isSet($0) && (requiresClient || !Self.ofServer.contains($0)) }
    }

    /// Whether any variable describes a credential, be it well or badly.
    var namesCredential: Bool { isSet(.token) || isSet(.tokenFile) || namesClient }

    /// The credential, if there is one.
    mutating func credential(
        transport: CurlConfiguration, stores: [String: GatewayEnvironment.StoreMaker]
    ) -> EnvironmentCredential? {
        if !namesCredential {
            refuse([.account], "no variable describes a credential")
        } else if isSet(.tokenStore) {
            refuse([.account], "not used: \(Variable.tokenStore) is set, and identifies the account")
        }
        var credential = unnamedCredential(transport: transport, stores: stores)
        credential?.account = text(.account)
        return credential
    }

    private mutating func unnamedCredential(
        transport: CurlConfiguration, stores: [String: GatewayEnvironment.StoreMaker]
    ) -> EnvironmentCredential? {
        let fixed: Variable? = isSet(.token) ? .token : isSet(.tokenFile) ? .tokenFile : nil
        guard let fixed else { return clientCredential(transport: transport, stores: stores) }
        refuse(Self.ofClient, "not used: \(fixed) is set")
        if isSet(.token) {
            if isSet(.tokenFile) {
                note(
                    .conflict, .token,
                    "\(Variable.tokenFile) is set as well: remove one of them, preferably this one"
                )
                return nil
            }
            return value(.token) { text in
                TokenSyntax.fault(in: text) == nil
                    ? EnvironmentCredential(StaticTokenProvider(Secret(text))) : nil
            }
        }
        return text(.tokenFile).map { EnvironmentCredential(FileTokenProvider(path: $0)) }
    }

    /// The credential of a client at its token endpoint.
    private mutating func clientCredential(
        transport configuration: CurlConfiguration, stores: [String: GatewayEnvironment.StoreMaker]
    ) -> EnvironmentCredential? {
        guard namesClient else { return nil }
        let kind = grantKind()
        let authentication = clientAuthentication(for: kind)
        let grant = grant(kind)
        let store = tokenStore(stores)
        let subject = subject(of: kind)
        let resources = resources()
        let options = authorizationOptions()
        let authorizationURL = url(.authorizationURL, allowing: PlainHTTPHosts.none)
        let transport = TokenTransport(configuration: configuration)
        let client = client(authentication, kind, transport)
        guard let client, let grant, problems.isEmpty else { return nil }
        let hint = VariableHint(kind: kind, isDiscovered: isSet(.issuer), isFile: isSet(.refreshTokenFile))
        return EnvironmentCredential(
            key: client.key(
                subject: subject, scopes: words(.scope), audiences: words(.audience), resources: resources),
            acquirer: HintingAcquirer(client.acquirer(canStepUp: kind.canStepUp, grant), hint), store: store,
            transport: transport,
            signIn: kind.isSignIn
                ? EnvironmentSignIn(
                    client: client, kind: kind, authorizationURL: authorizationURL, options: options) : nil,
            hint: hint)
    }

    /// On whose behalf tokens are had; `nil` for the client's own. Grants for others name them, where a store that
    /// others use as well would give one the token of another.
    private mutating func subject(of kind: EnvironmentGrant.Kind) -> String? {
        if kind == .clientCredentials {
            refuse([.subject], "not used: client credentials have no subject")
        }
        let isOthers = kind == .tokenExchange || kind == .jwtBearer && isSet(.assertionFile)
        if isOthers, isSet(.tokenStore), !isSet(.subject) {
            note(
                .missing, .subject, "required with a token store: it separates the tokens of several subjects"
            )
        }
        return text(.subject) ?? (kind == .jwtBearer ? text(.assertionIssuer) : nil)
    }

    private mutating func resources() -> [String] {
        let resources = words(.resource)
        for resource in resources {
            guard let colon = resource.firstIndex(of: ":"), colon > resource.startIndex,
                resource[..<colon].utf8.allSatisfy({ $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }),
                !resource.contains("#")
            else {
                note(.invalidValue, .resource, "\(Variable.resource.expected) are expected")
                break
            }
        }
        return resources
    }

    /// What tokens are bound to; `nil` for bearer tokens.
    private mutating func binding() -> DPoPBinding? {
        guard let path = text(.dpopKeyFile) else { return nil }
        do throws(SecretFile.Failure) {
            let pem = try SecretFile.read(path)
            for algorithm in [JSONWebTokenAlgorithm.es256, .es384, .es512] {
                let key = try? JSONWebTokenKey(pem: pem, algorithm: algorithm)
                if let binding = try? key.map({ try DPoPBinding(key: $0) }) { return binding }
            }
            note(.unreadableFile, .dpopKeyFile, "the file has no such key")
        } catch {
            note(.unreadableFile, .dpopKeyFile, error.reason)
        }
        return nil
    }

    // MARK: Places

    /// The authorization server; `nil` if no variable names it, or one is noted as wrong.
    mutating func endpoints() -> EnvironmentEndpoints? {
        let convention = choice(
            .discovery, ["openid": AuthorizationServerDiscovery.Convention.openID, "oauth": .oauth])
        let ignoresSlash = choice(.issuerMatch, ["exact": false, "ignore_trailing_slash": true])
        guard isSet(.issuer) else {
            refuse([.discovery, .issuerMatch], "not used: \(Variable.issuer) is not set")
            let (revocation, device) = (url(.revocationURL), url(.deviceURL))
            let authorization = url(.authorizationURL, allowing: PlainHTTPHosts.none)
            return url(.tokenURL).map {
                .urls(token: $0, revocation: revocation, device: device, authorization: authorization)
            }
        }
        refuse(
            [.tokenURL, .deviceURL, .authorizationURL, .revocationURL],
            "not used: \(Variable.issuer) is set, and the endpoints come from its metadata")
        return url(.issuer).map {
            .issuer($0, convention ?? .openID, ignoresTrailingSlash: ignoresSlash ?? false)
        }
    }

    /// The client at its endpoints, or at its issuer's.
    private mutating func client(
        _ authentication: ClientAuthentication?, _ kind: EnvironmentGrant.Kind, _ transport: TokenTransport
    ) -> AuthorizationClient? {
        let endpoints = endpoints()
        let binding = binding()
        guard isSet(.issuer) else {
            return endpoint(kind, authentication, binding, transport)
                .flatMap { client(.endpoint($0), authentication, binding, transport) }
        }
        guard let endpoints, case .issuer(let issuer, let convention, let ignoresSlash) = endpoints else {
            return nil
        }
        guard
            let discovery = try? AuthorizationServerDiscovery(
                issuer: issuer, convention: convention, ignoresTrailingSlash: ignoresSlash,
                transport: transport, plainHTTP: plainHTTP)
        else {
            note(.invalidValue, .issuer, "\(Variable.issuer.expected) is expected")
            return nil
        }
        return client(.issuer(discovery), authentication, binding, transport)
    }

    private func client(
        _ place: AuthorizationClient.Place, _ authentication: ClientAuthentication?, _ binding: DPoPBinding?,
        _ transport: TokenTransport
    ) -> AuthorizationClient? {
        authentication.map { authentication in
            AuthorizationClient(
                place, authentication: authentication, binding: binding,
                showsCertificate: isSet(.clientCertificateFile), transport: transport)
        }
    }

    private mutating func endpoint(
        _ kind: EnvironmentGrant.Kind, _ authentication: ClientAuthentication?, _ binding: DPoPBinding?,
        _ transport: TokenTransport
    ) -> TokenEndpoint? {
        if !isSet(.tokenURL) {
            note(.missing, .tokenURL, "required by the other variables of the client")
        }
        if kind == .deviceCode, !isSet(.deviceURL) {
            note(.missing, .deviceURL, "required by \(Variable.grant) `device_code`, or \(Variable.issuer)")
        }
        if kind == .authorizationCode, !isSet(.authorizationURL) {
            note(
                .missing, .authorizationURL,
                "required by \(Variable.grant) `authorization_code`, or \(Variable.issuer)")
        }
        let others = TokenEndpoint.Others(
            revocationURL: url(.revocationURL), deviceAuthorizationURL: url(.deviceURL))
        guard let url = url(.tokenURL), let authentication else { return nil }
        guard
            let endpoint = try? TokenEndpoint(
                url, client: authentication, others: others, binding: binding, transport: transport,
                plainHTTP: plainHTTP)
        else {
            note(.invalidValue, .tokenURL, "\(Variable.tokenURL.expected) is expected")
            return nil
        }
        return endpoint
    }

    /// The URL of an endpoint, by the rules for those.
    private mutating func url(_ variable: Variable, allowing hosts: PlainHTTPHosts? = nil) -> String? {
        guard let text = text(variable) else { return nil }
        let origin = (try? ParsedURL(endpoint: text))?.origin
        if let origin,
            origin.scheme == .https || origin.isLoopback && origin.host != "localhost"
                || (hosts ?? plainHTTP).names(origin)
        {
            return text
        }
        note(
            .invalidValue, variable,
            origin?.host == "localhost"
                ? "a name may resolve to any address: write 127.0.0.1 in place of localhost, or use https"
                : "\(variable.expected) is expected\(Self.missingScheme(text))")
        return nil
    }

    /// The statuses besides 401 that reject a token.
    mutating func rejectionStatuses() -> Set<Int> {
        guard isSet(.rejectionStatuses) else { return [] }
        let statuses = words(.rejectionStatuses, commas: true).map(Int.init)
        guard !statuses.isEmpty,
            statuses.allSatisfy({ $0.map(CredentialScope.possibleRejectionStatuses.contains) ?? false })
        else {
            note(.invalidValue, .rejectionStatuses, "\(Variable.rejectionStatuses.expected) are expected")
            return []
        }
        if !namesCredential { refuse([.rejectionStatuses], "no variable describes a credential") }
        return Set(statuses.compactMap(\.self))
    }
}
