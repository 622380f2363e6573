package import GatewayCore

/// What is wrong with a credential, more precisely than the code of the error that it comes with as its cause.
///
/// The error's message ends with a hint that names what to change in Swift. A program that takes its settings from
/// somewhere else replaces it; see ``GatewayCore/NetworkError/hinting(_:)``.
package struct CredentialProblem: Error {
    /// What is wrong.
    package enum Reason: Hashable, Sendable {
        /// The grant was refused: `invalid_grant`.
        case grantRefused(GrantType)
        /// The client was refused: `invalid_client`.
        case clientRefused
        /// The grant type was refused: `unsupported_grant_type`, `unauthorized_client`.
        case grantTypeRefused(GrantType)
        /// The scopes were refused: `invalid_scope`.
        case scopesRefused
        /// The audiences or resources were refused: `invalid_target`.
        case targetRefused
        /// The DPoP proof was refused: `invalid_dpop_proof`.
        case proofRefused
        /// The request was refused: `invalid_request`.
        case requestRefused
        /// The error has a code that RFC 6749 does not register: it may come from a proxy.
        case unregisteredError
        /// An endpoint answered 400, 401 or 403 without an error code: it may have been a proxy.
        case refusedWithoutReason(GrantType)
        /// An endpoint, or with `nil` the issuer, does not answer as OAuth 2 says.
        case notAnOAuthResponse(AuthorizationServerMetadata.Endpoint?)
        /// The server or the settings have no such endpoint.
        case endpointMissing(AuthorizationServerMetadata.Endpoint, isDiscovered: Bool)
        /// The server's metadata names an endpoint at another origin.
        case endpointElsewhere
        /// There is no metadata where this convention looks for it.
        case metadataNotFound(AuthorizationServerDiscovery.Convention)
        /// The metadata names another issuer.
        case issuerDiffers
        /// The metadata's issuer differs by a slash at its end.
        case issuerSlashDiffers
        /// The issuer does not support the algorithm of DPoP proofs.
        case proofAlgorithmUnsupported
        /// The provider returned the token that was rejected.
        case rejectedTokenReturned
        /// The token service is unavailable.
        case unavailable
    }

    /// How a token is requested (RFC 6749 §1.3).
    package enum GrantType: String, Hashable, Sendable {
        case authorizationCode = "authorization_code"
        case clientCredentials = "client_credentials"
        case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
        case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        case refreshToken = "refresh_token"
        case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
        /// Another one, or a request that is not for a token.
        case other = ""
    }

    /// What is wrong.
    package let reason: Reason
    /// What happened, as a sentence.
    let fact: String

    init(_ reason: Reason, _ fact: String) {
        self.reason = reason
        self.fact = fact
    }
}

extension CredentialProblem: Redacted {}

extension CredentialProblem.Reason {
    /// Whether the same request may be accepted later although nothing was changed: where it is not certain that the
    /// authorization server itself has answered.
    var mayPass: Bool {
        switch self {
        case .unregisteredError, .refusedWithoutReason, .metadataNotFound, .issuerDiffers,
            .rejectedTokenReturned:
            true
        default: false
        }
    }

    /// What to do, for those who write the program; `nil` where the fact says enough.
    var hint: String? {
        switch self {
        case .grantRefused(let type): type.hint
        case .clientRefused:
            "Check the client ID, the secret and the method of `ClientAuthentication`."
        case .grantTypeRefused:
            "Allow this grant type for the client at the authorization server, or use another `TokenAcquirer`."
        case .scopesRefused: "Check the `scopes` of the token key."
        case .targetRefused: "Check the `audiences` and `resources` of the token key."
        case .proofAlgorithmUnsupported: "Use a `DPoPBinding` with a key for another algorithm."
        case .proofRefused: "Check the key of the `DPoPBinding`, this machine's clock and the endpoint's URL."
        case .requestRefused, .unregisteredError:
            "Check the parameters of the request: grant type, scopes, audiences and resources."
        case .refusedWithoutReason(let type):
            type.isSignIn
                ? "Sign in again, or check the client ID, the secret and the method of `ClientAuthentication`."
                : Self.clientRefused.hint
        case .notAnOAuthResponse: "Check the endpoint's URL."
        case .endpointMissing(let endpoint, let isDiscovered): Self.missing(endpoint, isDiscovered)
        case .endpointElsewhere:
            "Add that origin to `allowing` of the discovery, or configure the endpoint's URL."
        case .metadataNotFound(.openID):
            "`convention: .oauth` looks in `/.well-known/oauth-authorization-server` in place of "
                + "`/.well-known/openid-configuration`; or check `issuer`."
        case .metadataNotFound(.oauth):
            "`convention: .openID` looks in `/.well-known/openid-configuration` in place of "
                + "`/.well-known/oauth-authorization-server`; or check `issuer`."
        case .issuerDiffers: "Set `issuer` to the name that the server has in its metadata."
        case .issuerSlashDiffers:
            "Write `issuer` as the metadata has it, or set `ignoresTrailingSlash`."
        case .rejectedTokenReturned: "`TokenProvider.refreshToken()` must return another token, or throw."
        case .unavailable: nil
        }
    }

    private static func missing(
        _ endpoint: AuthorizationServerMetadata.Endpoint, _ isDiscovered: Bool
    ) -> String? {
        switch endpoint {
        case .deviceAuthorization where !isDiscovered:
            "Set `deviceAuthorizationURL` of `TokenEndpoint.Others`."
        case .introspection where !isDiscovered: "Set `introspectionURL` of `TokenEndpoint.Others`."
        case .deviceAuthorization, .introspection, .authorization, .token:
            "Configure the endpoint's URL, or use a grant type that the server supports."
        case .revocation, .keys: nil
        }
    }
}

extension CredentialProblem.GrantType {
    /// Whether somebody has to sign in where the grant is not accepted.
    var isSignIn: Bool {
        switch self {
        case .authorizationCode, .deviceCode, .refreshToken: true
        case .clientCredentials, .jwtBearer, .tokenExchange, .other: false
        }
    }

    fileprivate var hint: String {
        switch self {
        case .authorizationCode, .deviceCode, .refreshToken: "Sign in again."
        case .jwtBearer: "Check the assertion: issuer, audience, key and clock."
        case .tokenExchange: "Check the subject token and the actor token."
        case .clientCredentials, .other: "Check the client and its permissions at the authorization server."
        }
    }
}

extension NetworkError {
    /// Makes an error of a credential.
    ///
    /// - Parameter fact: what happened, as a sentence. The hint of the reason follows it.
    init(
        _ code: Code, _ reason: CredentialProblem.Reason, _ fact: String, origin: Origin? = nil,
        retryAfter: Duration? = nil, status: Int? = nil
    ) {
        self.init(
            code, [fact, reason.hint].compactMap(\.self).joined(separator: " "), origin: origin,
            retryAfter: retryAfter, status: status, underlying: CredentialProblem(reason, fact))
    }

    private var credentialProblem: CredentialProblem? {
        underlying as? CredentialProblem ?? (underlying as? NetworkError)?.credentialProblem
    }

    /// What is wrong with the credential, where that is known.
    package var credentialReason: CredentialProblem.Reason? { credentialProblem?.reason }

    /// The same error with another hint.
    ///
    /// - Parameter hint: what to do about a reason, for those who made the settings; `nil` to keep the hint that the
    ///   error has.
    package func hinting(_ hint: (CredentialProblem.Reason) -> String?) -> NetworkError {
        guard let problem = credentialProblem, let hint = hint(problem.reason) else { return self }
        return NetworkError(
            code, problem.fact + " " + hint, origin: origin, phase: phase, retryAfter: retryAfter,
            status: status,
            attempts: attempts, mayHaveBeenSent: mayHaveBeenSent, underlying: underlying)
    }
}
