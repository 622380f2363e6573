package import GatewayCore

/// The cause of a credential error, more specific than its code. It is the `underlying` error.
///
/// The message of the error ends with a hint that names what to change in Swift code. A program with other settings can
/// replace the hint; see ``GatewayCore/NetworkError/hinting(_:)``.
package struct CredentialProblem: Error {
    /// The kind of problem.
    package enum Reason: Hashable, Sendable {
        /// The server refused the grant: `invalid_grant`.
        case grantRefused(GrantType)
        /// The server refused the client: `invalid_client`.
        case clientRefused
        /// The server refused the grant type: `unsupported_grant_type`, `unauthorized_client`.
        case grantTypeRefused(GrantType)
        /// The server refused the scopes: `invalid_scope`.
        case scopesRefused
        /// The server refused the audiences or resources: `invalid_target`.
        case targetRefused
        /// The server refused the DPoP proof: `invalid_dpop_proof`.
        case proofRefused
        /// The server refused the request: `invalid_request`.
        case requestRefused
        /// The error code is not a registered one, so it may come from a proxy.
        case unregisteredError
        /// An endpoint responded with 400, 401 or 403 without an error code, so it may be from a proxy.
        case refusedWithoutReason(GrantType)
        /// The response of an endpoint, or with `nil` of the issuer, is not a valid OAuth 2.0 response.
        case notAnOAuthResponse(AuthorizationServerMetadata.Endpoint?)
        /// The server or the configuration does not have this endpoint.
        case endpointMissing(AuthorizationServerMetadata.Endpoint, isDiscovered: Bool)
        /// The server's metadata has an endpoint at another origin.
        case endpointElsewhere
        /// There is no metadata at the location of this convention.
        case metadataNotFound(AuthorizationServerDiscovery.Convention)
        /// The metadata has another issuer.
        case issuerDiffers
        /// The issuer in the metadata differs by a trailing slash.
        case issuerSlashDiffers
        /// The server does not support the algorithm of the DPoP proofs.
        case proofAlgorithmUnsupported
        /// The provider returned the token that was rejected.
        case rejectedTokenReturned
        /// The token service is unavailable.
        case unavailable
    }

    /// The grant type of a token request (RFC 6749 §1.3).
    package enum GrantType: String, Hashable, Sendable {
        case authorizationCode = "authorization_code"
        case clientCredentials = "client_credentials"
        case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
        case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        case refreshToken = "refresh_token"
        case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
        /// Another grant type, or a request that is not for a token.
        case other = ""
    }

    /// The kind of problem.
    package let reason: Reason
    /// A sentence that describes the problem.
    let fact: String
    /// The error code of the server, if it is a registered one.
    let serverCode: String?
    /// The server's ID of the request, if any.
    let requestID: String?

    init(_ reason: Reason, _ fact: String, serverCode: String? = nil, requestID: String? = nil) {
        self.reason = reason
        self.fact = fact
        self.serverCode = serverCode
        self.requestID = requestID
    }
}

extension CredentialProblem: Redacted {}

extension CredentialProblem.Reason {
    /// Whether the same request may succeed later without a change, because the response may not be from the
    /// authorization server.
    var mayPass: Bool {
        switch self {
        case .unregisteredError, .refusedWithoutReason, .metadataNotFound, .issuerDiffers,
            .rejectedTokenReturned:
            true
        default: false
        }
    }

    /// A hint for programmers; `nil` if the message is sufficient.
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
    /// Whether a refused grant requires a new sign-in.
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
    /// Creates a credential error.
    ///
    /// - Parameters:
    ///   - fact: a sentence that describes the problem. The hint of the reason is appended.
    ///   - serverCode: the error code of the server, if it is a registered one.
    ///   - requestID: the server's ID of the request.
    init(
        _ code: Code, _ reason: CredentialProblem.Reason, _ fact: String, origin: Origin? = nil,
        retryAfter: Duration? = nil, status: Int? = nil, serverCode: String? = nil, requestID: String? = nil
    ) {
        self.init(
            code, [fact, reason.hint].compactMap(\.self).joined(separator: " "), origin: origin,
            retryAfter: retryAfter, status: status,
            underlying: CredentialProblem(reason, fact, serverCode: serverCode, requestID: requestID))
    }

    fileprivate var credentialProblem: CredentialProblem? {
        underlying as? CredentialProblem ?? (underlying as? NetworkError)?.credentialProblem
    }

    /// The kind of credential problem, if it is known.
    package var credentialReason: CredentialProblem.Reason? { credentialProblem?.reason }

    /// A copy of the error with another hint.
    ///
    /// - Parameter hint: returns the hint for a reason; `nil` keeps the existing hint.
    package func hinting(_ hint: (CredentialProblem.Reason) -> String?) -> NetworkError {
        guard let problem = credentialProblem, let hint = hint(problem.reason) else { return self }
        return NetworkError(
            code, problem.fact + " " + hint, origin: origin, phase: phase, retryAfter: retryAfter,
            status: status,
            attempts: attempts, mayHaveBeenSent: mayHaveBeenSent, underlying: underlying)
    }
}

extension FailureCause {
    /// The cause of a credential error, with what the authorization server said.
    init(credential error: NetworkError) {
        let problem = error.credentialProblem
        self.init(error, serverCode: problem?.serverCode, requestID: problem?.requestID)
    }
}
