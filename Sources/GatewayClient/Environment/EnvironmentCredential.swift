import GatewayAuth
import GatewayCore
import GatewayCurl

/// What gets the tokens that the variables describe.
struct EnvironmentCredential: Sendable {
    let key: TokenKey
    let acquirer: any TokenAcquirer
    let store: (any TokenStore)?
    let transport: (any Transport)?
    /// Where somebody signs in; `nil` where nobody has to.
    var login: EnvironmentClient?
}

extension EnvironmentCredential {
    /// One that a provider of a single token gives.
    fileprivate init(_ provider: any TokenProvider) {
        self.init(key: .default, acquirer: ProviderAcquirer(provider), store: nil, transport: nil)
    }
}

extension VariableReader {
    private static let ofClient: [Variable] = [
        .tokenURL, .issuer, .discovery, .deviceURL, .revocationURL, .grant, .clientID, .clientSecret,
        .clientSecretFile, .clientAuthentication,
        .signingKeyFile, .signingKeyID, .signingAlgorithm, .assertionAudience, .clientAssertionFile,
        .refreshToken, .refreshTokenFile, .scope, .audience, .tokenStore,
    ]

    /// Whether any variable describes a credential, be it well or badly.
    var namesCredential: Bool { isSet(.token) || isSet(.tokenFile) || Self.ofClient.contains(where: isSet) }

    /// The credential, if there is one.
    mutating func credential(
        transport: CurlConfiguration, stores: [String: GatewayEnvironment.StoreMaker]
    ) -> EnvironmentCredential? {
        let fixed: Variable? = isSet(.token) ? .token : isSet(.tokenFile) ? .tokenFile : nil
        guard let fixed else { return clientCredential(transport: transport, stores: stores) }
        refuse(Self.ofClient, "\(fixed) is set as well: a token that is given is not had from an endpoint")
        if isSet(.token) {
            if isSet(.tokenFile) {
                note(
                    .conflict, .token, "\(Variable.tokenFile) is set as well: keep one of them, best the file"
                )
                return nil
            }
            return value(.token) { text in
                Self.isToken68(text) ? EnvironmentCredential(StaticTokenProvider(Secret(text))) : nil
            }
        }
        return text(.tokenFile).map { EnvironmentCredential(FileTokenProvider(path: $0)) }
    }

    /// Whether a text may stand behind `Bearer` (RFC 9110 §11.2).
    private static func isToken68(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-._~+/=".utf8.contains(byte)
            }
        }
    }

    /// The credential of a client at its token endpoint.
    private mutating func clientCredential(
        transport configuration: CurlConfiguration, stores: [String: GatewayEnvironment.StoreMaker]
    ) -> EnvironmentCredential? {
        guard Self.ofClient.contains(where: isSet) else { return nil }
        let grant = grant()
        let authentication = clientAuthentication(provesNothing: grant != .clientCredentials)
        let refreshToken = secret(.refreshToken, file: .refreshTokenFile)
        let store = tokenStore(stores)
        if grant == .deviceCode, !isSet(.tokenStore) {
            note(
                .missing, .tokenStore, "somebody signs in: this variable says where what that brings is kept")
        }
        let transport = TokenTransport(configuration: configuration)
        let client = client(authentication, grant, transport)
        guard let client, problems.isEmpty else { return nil }
        return EnvironmentCredential(
            key: client.key(scopes: words(.scope), audiences: words(.audience)),
            acquirer: client.acquirer { endpoint in
                if grant == .clientCredentials { return ClientCredentials(endpoint: endpoint) }
                return RefreshTokenGrant(endpoint: endpoint, initial: refreshToken)
            }, store: store, transport: transport, login: grant == .deviceCode ? client : nil)
    }

    private enum Grant: String {
        case clientCredentials = "client_credentials", refreshToken = "refresh_token", deviceCode =
            "device_code"
    }

    /// How tokens are had.
    private mutating func grant() -> Grant {
        let hasToken = isSet(.refreshToken) || isSet(.refreshTokenFile)
        let grant = value(.grant, Grant.init(rawValue:)) ?? (hasToken ? .refreshToken : .clientCredentials)
        if grant == .refreshToken, !hasToken {
            note(.missing, .refreshTokenFile, "\(Variable.grant) wants a refresh token")
        } else if grant != .refreshToken {
            refuse(
                [.refreshToken, .refreshTokenFile], "\(Variable.grant) says that tokens are had otherwise")
        }
        return grant
    }

    /// The client at its endpoints, or at its issuer's.
    private mutating func client(
        _ authentication: ClientAuthentication?, _ grant: Grant, _ transport: TokenTransport
    ) -> EnvironmentClient? {
        let convention = choice(
            .discovery, ["openid": AuthorizationServerDiscovery.Convention.openID, "oauth": .oauth])
        if isSet(.issuer) {
            refuse([.tokenURL, .deviceURL, .revocationURL], "\(Variable.issuer) says where it is")
            guard let issuer = endpoint(.issuer), let authentication,
                let discovery = try? AuthorizationServerDiscovery(
                    issuer: issuer, convention: convention ?? .openID, transport: transport)
            else {
                if problems.isEmpty {
                    note(.invalidValue, .issuer, "\(Variable.issuer.expected) is expected")
                }
                return nil
            }
            return EnvironmentClient(
                place: .issuer(discovery), authentication: authentication,
                canStepUp: grant == .clientCredentials,
                showsCertificate: isSet(.clientCertificateFile), transport: transport)
        }
        refuse([.discovery], "there is no \(Variable.issuer)")
        if !isSet(.tokenURL) {
            note(.missing, .tokenURL, "other variables describe a client: this one says where it gets tokens")
        }
        if grant == .deviceCode, !isSet(.deviceURL) {
            note(.missing, .deviceURL, "\(Variable.grant) wants to know where devices begin")
        } else if grant != .deviceCode {
            refuse([.deviceURL], "\(Variable.grant) is not `device_code`")
        }
        let others = TokenEndpoint.Others(
            revocationURL: endpoint(.revocationURL), deviceAuthorizationURL: endpoint(.deviceURL))
        guard let url = endpoint(.tokenURL), let authentication else { return nil }
        guard
            let endpoint = try? TokenEndpoint(
                url, client: authentication, others: others, transport: transport)
        else {
            note(.invalidValue, .tokenURL, "\(Variable.tokenURL.expected) is expected")
            return nil
        }
        return EnvironmentClient(
            place: .endpoint(endpoint), authentication: authentication,
            canStepUp: grant == .clientCredentials,
            showsCertificate: isSet(.clientCertificateFile), transport: transport)
    }

    /// The URL of an endpoint, by the rules for those.
    private mutating func endpoint(_ variable: Variable) -> String? {
        value(variable) { text in
            guard let origin = (try? ParsedURL(text))?.origin,
                origin.scheme == .https || origin.isLoopback && origin.host != "localhost"
            else { return nil }
            return text
        }
    }

    private mutating func tokenStore(
        _ stores: [String: GatewayEnvironment.StoreMaker]
    ) -> (any TokenStore)? {
        guard let text = text(.tokenStore) else { return nil }
        if text.hasPrefix("/") { return FileTokenStore(directory: text) }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard text.contains("://"), let make = stores[scheme] else {
            let known = stores.keys.sorted().map { ", `\($0)://…`" }.joined()
            note(.invalidValue, .tokenStore, "the absolute path of a folder\(known) is expected")
            return nil
        }
        guard let store = try? make(text) else {
            note(.invalidValue, .tokenStore, "the store for `\(scheme)` does not accept this URL")
            return nil
        }
        return store
    }
}
