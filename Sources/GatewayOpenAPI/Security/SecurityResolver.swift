internal import GatewayAuth
internal import GatewayCore
internal import Synchronization

/// Finds the credentials of an operation, once for each set of requirements and origin.
///
/// A scheme has one coordinator; each set of scopes has a token of its own in it, shared by all operations that need
/// that set.
final class SecurityResolver: Sendable {
    private struct Key: Hashable {
        let requirements: String
        let origin: Origin
    }

    private struct State {
        var sources: [Key: any CredentialSource] = [:]
        var coordinators: [String: TokenRefreshCoordinator] = [:]
    }

    private let entries: [String: ConfiguredCredentials.Entry]
    private let tokenTransport: any Transport
    private let state = Locked(State())
    /// Tells this client's credentials from those of every other in this process.
    private let serial: UInt64

    private static let serials = Atomic<UInt64>(0)

    init(_ credentials: ConfiguredCredentials, engine: any RequestEngine) {
        entries = credentials.entries
        tokenTransport = EngineTransport.forTokens(of: engine)
        serial = Self.serials.add(1, ordering: .relaxed).newValue
    }

    /// The credentials that an operation demands, bound to the origin; `nil` where it goes without.
    ///
    /// - Throws: `credentialMissing`, `insecureOrigin`, `credentialMisconfigured`, and `invalidURL` for a token
    ///   endpoint; all before any I/O.
    func credentials(
        _ requirements: StaticString?, operation: StaticString, origin: Origin
    ) throws(NetworkError) -> (any CredentialSource)? {
        guard let requirements else { return nil }
        let key = Key(requirements: "\(requirements)", origin: origin)
        if let known = state.withLock({ $0.sources[key] }) { return known }
        let parsed = SecurityRequirements(key.requirements)
        switch parsed.selected(where: { entries[$0.name] != nil }) {
        case .anonymous:
            return nil
        case .missing:
            throw NetworkError(
                .credentialMissing,
                "\(operation) needs a credential that the client was not given: \(parsed.phrase).",
                origin: origin)
        case .use(let schemes):
            // Refused here, before a token is fetched for nothing.
            try origin.refuseInsecure()
            let source = try source(schemes, origin: origin)
            return state.withLock { state in
                if let known = state.sources[key] { return known }
                state.sources[key] = source
                return source
            }
        }
    }

    private func source(
        _ schemes: [SecurityRequirements.Scheme], origin: Origin
    ) throws(NetworkError) -> any CredentialSource {
        var fixed: [FixedCredential] = []
        var renewed: (any CredentialSource)?
        for scheme in schemes {
            switch entries[scheme.name] {
            case .basic(let credential): fixed.append(try .basic(credential))
            case .apiKeyHeader(let credential, let name):
                fixed.append(.header(name: name, value: credential.key))
            case .apiKeyQuery(let credential, let name):
                fixed.append(.query(name: name, value: credential.key))
            case .apiKeyCookie(let credential, let name):
                fixed.append(.cookie(name: name, value: credential.key))
            case .bearer(.token(let token)), .oauth(.token(let token), _):
                fixed.append(.bearer(token))
            case .bearer(.provider(let provider)):
                try Self.refuseSecond(renewed)
                renewed = tokens(of: scheme.name, key(scheme.name), origin) { ProviderAcquirer(provider) }
            case .oauth(let credential, let tokenURL):
                try Self.refuseSecond(renewed)
                renewed = try tokens(of: scheme, credential, tokenURL: tokenURL, origin)
            case nil: break
            }
        }
        if fixed.isEmpty, let renewed { return renewed }
        if renewed != nil, fixed.contains(where: \.isAuthorization) { throw Self.tooMany }
        return SchemeCredentialSource(
            origin: origin, fixed: fixed, renewed: renewed,
            fixedKey: "fixed:\(serial):\(schemes.map(\.name).joined(separator: "+"))")
    }

    private static func refuseSecond(_ first: (any CredentialSource)?) throws(NetworkError) {
        if first != nil { throw tooMany }
    }

    private static var tooMany: NetworkError {
        NetworkError(.credentialMisconfigured, "Two credentials cannot share one Authorization header field.")
    }

    // MARK: Tokens

    private func tokens(
        of scheme: SecurityRequirements.Scheme, _ credential: OAuthCredential.Kind, tokenURL: String,
        _ origin: Origin
    ) throws(NetworkError) -> any CredentialSource {
        switch credential {
        case .clientCredentials(let id, let secret):
            let endpoint = try endpoint(tokenURL, .basic(clientID: id, secret: secret))
            return tokens(of: scheme.name, endpoint.key(scopes: scheme.scopes), origin) {
                ClientCredentials(endpoint: endpoint)
            }
        case .refreshToken(let token, let clientID, let secret):
            let client: ClientAuthentication =
                if let secret { .basic(clientID: clientID, secret: secret) } else {
                    .publicClient(clientID: clientID)
                }
            let endpoint = try endpoint(tokenURL, client)
            // One token for all scopes: spending the same refresh token for each would look like theft.
            return tokens(of: scheme.name, endpoint.key(subject: subject), origin) {
                RefreshTokenGrant(endpoint: endpoint, initial: token)
            }
        case .provider(let provider):
            return tokens(of: scheme.name, key(scheme.name), origin) { ProviderAcquirer(provider) }
        case .acquirer(let acquirer):
            return tokens(of: scheme.name, key(scheme.name, scopes: scheme.scopes), origin) { acquirer }
        case .token(let token):
            return tokens(of: scheme.name, key(scheme.name), origin) {
                ProviderAcquirer(StaticTokenProvider(token))
            }
        }
    }

    private func endpoint(
        _ url: String, _ client: ClientAuthentication
    ) throws(NetworkError) -> TokenEndpoint {
        guard !url.isEmpty else {
            throw NetworkError(
                .credentialMisconfigured,
                "The document names no token endpoint: give the credential a tokenURL.")
        }
        return try TokenEndpoint(url, client: client, transport: tokenTransport)
    }

    private func tokens(
        of scheme: String, _ key: TokenKey, _ origin: Origin, _ acquirer: () -> any TokenAcquirer
    ) -> any CredentialSource {
        let known = state.withLock { $0.coordinators[scheme] }
        let new = known ?? TokenRefreshCoordinator(acquirer: acquirer())
        let coordinator = state.withLock { state in
            let coordinator = state.coordinators[scheme] ?? new
            state.coordinators[scheme] = coordinator
            return coordinator
        }
        return coordinator.credentials(for: key, origins: [origin])
    }

    /// A key that no other client's credential has: on whose behalf it speaks is not known.
    private func key(_ scheme: String, scopes: [String] = []) -> TokenKey {
        TokenKey(issuer: scheme, subject: subject, scopes: scopes)
    }

    private var subject: String { "client-\(serial)" }
}
