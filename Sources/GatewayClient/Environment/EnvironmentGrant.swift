import GatewayAuth
import GatewayCore

/// How tokens are had from an endpoint.
enum EnvironmentGrant {
    /// Makes what gets them.
    typealias Make = @Sendable (TokenEndpoint) -> any TokenAcquirer

    /// The values of `GATEWAY_GRANT`.
    enum Kind: String, CaseIterable {
        case refreshToken = "refresh_token", tokenExchange = "token_exchange", jwtBearer = "jwt_bearer"
        case deviceCode = "device_code", clientCredentials = "client_credentials"

        /// What is of use for it alone.
        var variables: [VariableName] {
            switch self {
            case .refreshToken: [.refreshToken, .refreshTokenFile]
            case .tokenExchange:
                [
                    .subjectTokenFile, .subjectTokenType, .actorTokenFile, .actorTokenType,
                    .requestedTokenType,
                ]
            case .jwtBearer: [.assertionFile, .assertionIssuer]
            case .deviceCode, .clientCredentials: []
            }
        }

        /// Whether further scopes can be had by the same means, again and again.
        var canStepUp: Bool {
            switch self {
            case .clientCredentials, .jwtBearer, .tokenExchange: true
            case .refreshToken, .deviceCode: false
            }
        }
    }

    /// What is of use for one kind alone.
    static let variables = Kind.allCases.flatMap(\.variables)
}

extension VariableReader {
    /// The kind that is asked for, else the one that the variables which are set are good for.
    mutating func grantKind() -> EnvironmentGrant.Kind {
        let given = EnvironmentGrant.Kind.allCases.first { $0.variables.contains(where: isSet) }
        let kind = value(.grant, EnvironmentGrant.Kind.init(rawValue:)) ?? given ?? .clientCredentials
        for other in EnvironmentGrant.Kind.allCases where other != kind {
            refuse(other.variables, "tokens are had by `\(kind.rawValue)`: see \(Variable.grant)")
        }
        if kind == .deviceCode, !isSet(.tokenStore) {
            note(
                .missing, .tokenStore, "somebody signs in: this variable says where what that brings is kept")
        }
        return kind
    }

    /// Whether the grant trades assertions that are signed here.
    func signsGrants(_ kind: EnvironmentGrant.Kind) -> Bool { kind == .jwtBearer && !isSet(.assertionFile) }

    /// What makes the acquirer; `nil` with a note where something is missing.
    mutating func grant(_ kind: EnvironmentGrant.Kind) -> EnvironmentGrant.Make? {
        switch kind {
        case .clientCredentials: return { ClientCredentials(endpoint: $0) }
        case .deviceCode: return { RefreshTokenGrant(endpoint: $0) }
        case .refreshToken:
            let token = secret(.refreshToken, file: .refreshTokenFile)
            if !isSet(.refreshToken), !isSet(.refreshTokenFile) {
                note(.missing, .refreshTokenFile, "\(Variable.grant) wants a refresh token")
            }
            return { RefreshTokenGrant(endpoint: $0, initial: token) }
        case .jwtBearer: return jwtBearer()
        case .tokenExchange: return tokenExchange()
        }
    }

    private mutating func jwtBearer() -> EnvironmentGrant.Make? {
        guard signsGrants(.jwtBearer) else {
            refuse([.assertionIssuer], "the assertion in \(Variable.assertionFile) says it itself")
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
            note(.missing, .subjectTokenFile, "\(Variable.grant) wants the token that is traded")
        }
        let subject = exchanged(.subjectTokenFile, .subjectTokenType)
        if !isSet(.actorTokenFile) { refuse([.actorTokenType], "there is no \(Variable.actorTokenFile)") }
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
