import GatewayAuth
import GatewayCore

/// Names the variables to change when a credential that variables describe does not work: in place of the properties
/// that the libraries' errors name.
struct VariableHint: Sendable {
    private typealias Variable = VariableName

    let kind: EnvironmentGrant.Kind
    /// Whether `GATEWAY_ISSUER` names the server.
    let isDiscovered: Bool
    /// Whether the refresh token comes from a file.
    let isFile: Bool

    /// The same error with the variables' names.
    func apply(to error: NetworkError) -> NetworkError { error.hinting(text) }

    /// What to do about a reason; `nil` where the error says enough.
    private func text(_ reason: CredentialProblem.Reason) -> String? {
        switch reason {
        case .grantRefused: grant
        case .clientRefused: Self.client
        case .grantTypeRefused:
            "Allow the client the grant type `\(kind.rawValue)` at the authorization server, or set \(Variable.grant)."
        case .scopesRefused: "Check \(Variable.scope)."
        case .targetRefused: "Check \(Variable.audience) and \(Variable.resource)."
        case .proofAlgorithmUnsupported: "Set \(Variable.dpopKeyFile) to a key on another curve."
        case .proofRefused: "Check \(Variable.dpopKeyFile) and this machine's clock."
        case .requestRefused, .unregisteredError:
            "Check \(Variable.scope), \(Variable.audience), \(Variable.resource) and \(Variable.grant)."
        case .refusedWithoutReason: signsIn ? "\(grant) Or check the client: \(Self.client)" : Self.client
        case .notAnOAuthResponse(.deviceAuthorization?) where !isDiscovered: "Check \(Variable.deviceURL)."
        case .notAnOAuthResponse(.revocation?) where !isDiscovered: "Check \(Variable.revocationURL)."
        case .notAnOAuthResponse: "Check \(isDiscovered ? Variable.issuer : .tokenURL)."
        case .endpointMissing(.deviceAuthorization, _):
            isDiscovered
                ? "Set \(Variable.tokenURL) and \(Variable.deviceURL) in place of \(Variable.issuer), or another "
                    + "\(Variable.grant)."
                : "Set \(Variable.deviceURL)."
        case .endpointMissing, .endpointElsewhere: "Set \(endpoints) in place of \(Variable.issuer)."
        case .metadataNotFound(.openID):
            "\(Variable.discovery)=oauth looks in /.well-known/oauth-authorization-server in place of "
                + "/.well-known/openid-configuration; or check \(Variable.issuer)."
        case .metadataNotFound(.oauth):
            "\(Variable.discovery)=openid looks in /.well-known/openid-configuration in place of "
                + "/.well-known/oauth-authorization-server; or check \(Variable.issuer)."
        case .issuerDiffers: "Set \(Variable.issuer) to the name that the server has in its metadata."
        case .issuerSlashDiffers:
            "Write \(Variable.issuer) as the metadata has it, or set "
                + "\(Variable.issuerMatch)=ignore_trailing_slash."
        case .rejectedTokenReturned: nil
        case .unavailable:
            "\(Variable.tokenPatience) sets how long a call waits for it. If it lasts, check "
                + "\(isDiscovered ? Variable.issuer : .tokenURL)."
        }
    }

    private var signsIn: Bool { kind == .refreshToken || kind.isSignIn }

    /// The variables that name the endpoints of the grant.
    private var endpoints: String {
        switch kind {
        case .authorizationCode: "\(Variable.tokenURL) and \(Variable.authorizationURL)"
        case .deviceCode: "\(Variable.tokenURL) and \(Variable.deviceURL)"
        default: "\(Variable.tokenURL)"
        }
    }

    private var grant: String {
        switch kind {
        case .refreshToken:
            "Sign in again, and replace the refresh token in "
                + "\(isFile ? Variable.refreshTokenFile : .refreshToken)."
        case .authorizationCode, .deviceCode: "Sign in again by `gateway login`."
        case .jwtBearer:
            "Check the assertion: \(Variable.assertionFile), or \(Variable.signingKeyFile), "
                + "\(Variable.assertionIssuer) and \(Variable.assertionAudience)."
        case .tokenExchange:
            "Check the tokens in \(Variable.subjectTokenFile) and \(Variable.actorTokenFile)."
        case .clientCredentials: Self.client
        }
    }

    private static var client: String {
        "Check \(Variable.clientID), \(Variable.clientSecretFile) and \(Variable.clientAuthentication)."
    }
}

/// An acquirer whose errors name variables.
struct HintingAcquirer: TokenAcquirer {
    private let acquirer: any TokenAcquirer
    private let hint: VariableHint

    init(_ acquirer: any TokenAcquirer, _ hint: VariableHint) {
        self.acquirer = acquirer
        self.hint = hint
    }

    func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        do { return try await acquirer.acquire(request) } catch let error as NetworkError {
            throw hint.apply(to: error)
        }
    }

    func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await acquirer.revoke(grant, deadline: deadline)
    }

    var canStepUp: Bool { acquirer.canStepUp }
    func isSingleUse(after previous: TokenGrant?) -> Bool { acquirer.isSingleUse(after: previous) }
    var binding: DPoPBinding? { acquirer.binding }
}
