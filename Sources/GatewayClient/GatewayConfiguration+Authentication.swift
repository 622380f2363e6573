public import GatewayAuth
public import GatewayCore
public import GatewayOpenAPI

extension GatewayConfiguration {
    /// The credential of calls without their own, and the origins that receive it.
    public struct Authentication: Sendable {
        /// The coordinator and the scope of the tokens of an engine.
        typealias Token = (coordinator: TokenRefreshCoordinator, scope: CredentialScope)

        private enum Source: Sendable {
            case coordinator(TokenRefreshCoordinator)
            case credential(OAuthCredential, origins: [Origin])
        }

        private var source: Source
        /// The token of each origin. For a credential it is set by the engine: only
        /// ``GatewayAuth/CredentialScope/stepUpScopes`` and ``GatewayAuth/CredentialScope/rejectionStatuses`` are used.
        public var scope: CredentialScope

        /// The coordinator that keeps the tokens; `nil` if a credential was given, which has its own.
        public var coordinator: TokenRefreshCoordinator? {
            guard case .coordinator(let coordinator) = source else { return nil }
            return coordinator
        }

        /// The tokens of a coordinator, by origin.
        public init(coordinator: TokenRefreshCoordinator, scope: CredentialScope) {
            source = .coordinator(coordinator)
            self.scope = scope
        }

        /// A credential for some origins.
        ///
        /// Engines and clients with the same credential value share its tokens. Its token requests use the connections of
        /// the engine that is created first. The endpoints are those of the credential; without them, those of a client
        /// that was created with the same value before the engine.
        ///
        /// - Parameters:
        ///   - credential: the credential.
        ///   - origins: the origins that receive it, one or more, each in the form `scheme://host[:port]`. It is sent to no
        ///     other.
        /// - Throws: ``GatewayCore/NetworkError`` with the code `invalidURL`, or `misconfigured` without an origin.
        public init(_ credential: OAuthCredential, origins: [String]) throws(NetworkError) {
            try OAuthCredential.requireOrigins(origins)
            scope = try CredentialScope(origins)
            source = .credential(credential, origins: Array(scope.origins))
        }

        /// The tokens of an engine.
        ///
        /// - Throws: the errors of the credential.
        func token(
            transport: any Transport, showsCertificate: Bool, plainHTTP: PlainHTTPHosts
        ) throws(NetworkError) -> Token {
            switch source {
            case .coordinator(let coordinator): return (coordinator, scope)
            case .credential(let credential, let origins):
                let token = try credential.token(
                    for: origins, transport: transport, showsCertificate: showsCertificate,
                    plainHTTP: plainHTTP)
                var scope = CredentialScope(origins, key: token.key)
                scope.laterKey = token.laterKey
                scope.stepUpScopes = self.scope.stepUpScopes
                for origin in origins {
                    scope.rejectionStatuses[origin] =
                        self.scope.rejectionStatuses[origin] ?? token.rejectionStatuses
                }
                return (token.coordinator, scope)
            }
        }
    }
}
