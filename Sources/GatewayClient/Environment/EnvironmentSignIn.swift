import GatewayAuth
import GatewayCore

/// The sign-in that the variables describe.
struct EnvironmentSignIn: Sendable {
    let client: AuthorizationClient
    /// `GATEWAY_GRANT`.
    let kind: EnvironmentGrant.Kind
    /// `nil` if the issuer's metadata names it.
    let authorizationURL: String?
    let options: AuthorizationCode.Options

    /// The sign-in by a browser.
    func authorizationCode() async throws(NetworkError) -> AuthorizationCode {
        let (endpoint, metadata) = try await client.endpoint()
        if let metadata {
            return try AuthorizationCode(endpoint: endpoint, metadata: metadata, options: options)
        }
        guard let authorizationURL else {
            throw NetworkError(
                .credentialMisconfigured, "GATEWAY_AUTHORIZATION_URL is required for a sign-in by a browser.")
        }
        // There is one server, so that a response cannot be another one's.
        var options = options
        options.ignoresIssuer = true
        return try AuthorizationCode(
            endpoint: endpoint, authorizationURL: authorizationURL, issuer: nil, options: options)
    }

    /// The sign-in by another device.
    func deviceAuthorization() async throws(NetworkError) -> DeviceAuthorization {
        DeviceAuthorization(endpoint: try await client.endpoint().endpoint)
    }
}

extension VariableReader {
    /// The options of a sign-in by a browser.
    mutating func authorizationOptions() -> AuthorizationCode.Options {
        var options = AuthorizationCode.Options()
        if let redirect = value(.redirectURI, { try? LoopbackRedirect($0) }) { options.redirect = redirect }
        let parameters = value(
            .authorizationParameters, AuthorizationCode.Options.parameters(ofQuery:))
        options.parameters = parameters ?? [:]
        if options.parameters["nonce"] != nil {
            note(
                .invalidValue, .authorizationParameters, "nonce is random for each sign-in and cannot be set")
        }
        do throws(NetworkError) { try options.check() } catch {
            note(.invalidValue, .authorizationParameters, error.message)
        }
        return options
    }
}
