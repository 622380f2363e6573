import GatewayAuth
import GatewayCore

/// How tokens are obtained from an endpoint.
enum EnvironmentGrant {
    /// Creates the acquirer.
    typealias Make = @Sendable (TokenEndpoint) -> any TokenAcquirer

    /// The values of `GATEWAY_GRANT`.
    enum Kind: String, CaseIterable {
        case refreshToken = "refresh_token", tokenExchange = "token_exchange", jwtBearer = "jwt_bearer"
        case authorizationCode = "authorization_code", deviceCode = "device_code"
        case clientCredentials = "client_credentials"

        /// The variables that only this kind uses.
        var variables: [VariableName] {
            switch self {
            case .refreshToken: [.refreshToken, .refreshTokenFile]
            case .tokenExchange:
                [
                    .subjectTokenFile, .subjectTokenType, .actorTokenFile, .actorTokenType,
                    .requestedTokenType,
                ]
            case .jwtBearer: [.assertionFile, .assertionIssuer]
            case .authorizationCode: [.authorizationURL, .redirectURI, .authorizationParameters]
            case .deviceCode: [.deviceURL]
            case .clientCredentials: []
            }
        }

        /// Whether a person signs in first.
        var isSignIn: Bool { self == .authorizationCode || self == .deviceCode }

        /// Whether tokens with further scopes can be requested in the same way.
        var canStepUp: Bool {
            switch self {
            case .clientCredentials, .jwtBearer, .tokenExchange: true
            case .refreshToken, .authorizationCode, .deviceCode: false
            }
        }
    }

    /// The variables that only one kind uses.
    static let variables = Kind.allCases.flatMap(\.variables)
}

extension VariableReader {
    /// The kind that is configured; otherwise the one that the variables that are set belong to.
    mutating func grantKind() -> EnvironmentGrant.Kind {
        let given = EnvironmentGrant.Kind.allCases.first { $0.variables.contains(where: isSet) }
        let kind = value(.grant, EnvironmentGrant.Kind.init(rawValue:)) ?? given ?? .clientCredentials
        for other in EnvironmentGrant.Kind.allCases
        where other != kind && !(other.isSignIn && kind.isSignIn) {
            refuse(other.variables, "not used: \(Variable.grant) is `\(kind.rawValue)`")
        }
        if kind.isSignIn, !isSet(.tokenStore) {
            note(
                .missing, .tokenStore,
                "required by \(Variable.grant) `\(kind.rawValue)`: it names where the tokens of a sign-in are kept"
            )
        }
        return kind
    }

    /// Whether the grant uses assertions that are signed here.
    func signsGrants(_ kind: EnvironmentGrant.Kind) -> Bool { kind == .jwtBearer && !isSet(.assertionFile) }

    /// Creates the acquirer; `nil` with a note if something is missing.
    mutating func grant(_ kind: EnvironmentGrant.Kind) -> EnvironmentGrant.Make? {
        switch kind {
        case .clientCredentials: return { ClientCredentials(endpoint: $0) }
        case .authorizationCode, .deviceCode: return { RefreshTokenGrant(endpoint: $0) }
        case .refreshToken:
            let token = secret(.refreshToken, file: .refreshTokenFile)
            if !isSet(.refreshToken), !isSet(.refreshTokenFile) {
                note(.missing, .refreshTokenFile, "required by \(Variable.grant) `refresh_token`")
            }
            return { RefreshTokenGrant(endpoint: $0, initial: token) }
        case .jwtBearer: return jwtBearer()
        case .tokenExchange: return tokenExchange()
        }
    }

    private mutating func jwtBearer() -> EnvironmentGrant.Make? {
        guard signsGrants(.jwtBearer) else {
            refuse(
                [.assertionIssuer], "not used: the assertion in \(Variable.assertionFile) names its issuer")
            guard let path = file(.assertionFile) else { return nil }
            let source = SecretSource.file(path)
            return { JWTBearerGrant(endpoint: $0, assertion: source) }
        }
        guard let key = signingKey(), let issuer = text(.assertionIssuer) ?? text(.clientID) else {
            return nil
        }
        let assertion = try? SignedAssertion(
            issuer: issuer, subject: text(.subject) ?? issuer, audience: text(.assertionAudience), key: key,
            keyID: text(.signingKeyID))
        guard let assertion else {
            note(.invalidValue, .signingKeyFile, "the key cannot sign")
            return nil
        }
        return { JWTBearerGrant(endpoint: $0, assertion: assertion) }
    }

    private mutating func tokenExchange() -> EnvironmentGrant.Make? {
        if !isSet(.subjectTokenFile) {
            note(
                .missing, .subjectTokenFile,
                "required by \(Variable.grant) `token_exchange`: the token to exchange")
        }
        let subject = exchanged(.subjectTokenFile, .subjectTokenType)
        if !isSet(.actorTokenFile) {
            refuse([.actorTokenType], "not used: \(Variable.actorTokenFile) is not set")
        }
        let actor = exchanged(.actorTokenFile, .actorTokenType)
        let requested = value(.requestedTokenType, Self.tokenType)
        guard let subject else { return nil }
        return { TokenExchange(endpoint: $0, subject: subject, actor: actor, requesting: requested) }
    }

    private mutating func exchanged(_ path: Variable, _ type: Variable) -> TokenExchange.Token? {
        let type = value(type, Self.tokenType) ?? .accessToken
        return file(path).map { TokenExchange.Token(.file($0), type: type) }
    }

    /// A type by its short name or its URI.
    private static func tokenType(_ text: String) -> TokenExchange.TokenType? {
        switch text {
        case "access_token": .accessToken
        case "refresh_token": .refreshToken
        case "id_token": .idToken
        case "jwt": .jwt
        case "saml2": .saml2
        default: text.contains(":") && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? .init(text) : nil
        }
    }
}
