public import GatewayCore

/// How a client authenticates at the token endpoint (RFC 6749 §2.3, RFC 7523 §2.2, RFC 8705 §2).
///
/// The style is configured or selected from the server's metadata. Styles are never tried one after another, because a
/// failed request may use up a refresh token.
public struct ClientAuthentication: Sendable {
    private enum Style {
        case basic(SecretSource)
        case post(SecretSource)
        case none
        case signed(SignedAssertion)
        case assertion(SecretSource)
    }

    /// `client_assertion_type` of RFC 7523 §2.2.
    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// The client identifier. If it is empty, or the secret is empty, no request is sent: the code is
    /// `credentialMisconfigured`.
    public let clientID: String
    private let style: Style
    /// Whether the style may be selected from the server's metadata.
    private var isAutomatic = false

    private init(clientID: String, style: Style) {
        self.clientID = clientID
        self.style = style
    }

    // MARK: Selected from the server's metadata

    /// A client secret, with a style from the server's metadata (`token_endpoint_auth_methods_supported`):
    /// `client_secret_basic` if it is listed or no methods are listed, otherwise `client_secret_post`.
    ///
    /// Without metadata, for an endpoint that is given by its URL, it is `client_secret_basic`, which servers must
    /// support (RFC 6749 §2.3.1). If the server supports neither,
    /// ``TokenEndpoint/init(_:client:binding:usesMutualTLS:transport:clock:)`` throws `credentialMisconfigured`.
    public static func automatic(clientID: String, secret: Secret) -> ClientAuthentication {
        automatic(clientID: clientID, secret: .fixed(secret))
    }

    /// A client secret that is read for each request; see ``automatic(clientID:secret:)-swift.type.method``.
    public static func automatic(clientID: String, secret: SecretSource) -> ClientAuthentication {
        var client = basic(clientID: clientID, secret: secret)
        client.isAutomatic = true
        return client
    }

    /// A private key, with `private_key_jwt`. If the server's metadata lists only other methods,
    /// ``TokenEndpoint/init(_:client:binding:usesMutualTLS:transport:clock:)`` throws `credentialMisconfigured`.
    ///
    /// - Parameters: see ``privateKeyJWT(clientID:key:keyID:audience:lifetime:)``.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` if the key cannot sign or is a
    ///   shared secret.
    public static func automatic(
        clientID: String, key: JSONWebTokenKey, keyID: String? = nil, audience: String? = nil,
        lifetime: Duration = .seconds(60)
    ) throws(NetworkError) -> ClientAuthentication {
        var client = try privateKeyJWT(
            clientID: clientID, key: key, keyID: keyID, audience: audience, lifetime: lifetime)
        client.isAutomatic = true
        return client
    }

    // MARK: Secrets

    /// `client_secret_basic`: identifier and secret in the `Authorization` field, each form-encoded (RFC 6749 §2.3.1).
    public static func basic(clientID: String, secret: Secret) -> ClientAuthentication {
        basic(clientID: clientID, secret: .fixed(secret))
    }

    /// `client_secret_basic` with a secret that is read for each request.
    public static func basic(clientID: String, secret: SecretSource) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, style: .basic(secret))
    }

    /// `client_secret_post`: identifier and secret in the body (RFC 6749 §2.3.1).
    public static func post(clientID: String, secret: Secret) -> ClientAuthentication {
        post(clientID: clientID, secret: .fixed(secret))
    }

    /// `client_secret_post` with a secret that is read for each request.
    public static func post(clientID: String, secret: SecretSource) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, style: .post(secret))
    }

    // MARK: Assertions

    /// `private_key_jwt`: an assertion that the client signs for each request (RFC 7523 §2.2).
    ///
    /// - Parameters:
    ///   - clientID: the client identifier.
    ///   - key: a private key for an RS or ES algorithm.
    ///   - keyID: the identifier of the key (`kid`).
    ///   - audience: the audience that the server expects; `nil` for the URL of the token endpoint.
    ///   - lifetime: the lifetime of an assertion, in whole seconds. Default: 60 s.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured` if the key is a shared secret or
    ///   cannot sign.
    public static func privateKeyJWT(
        clientID: String, key: JSONWebTokenKey, keyID: String? = nil, audience: String? = nil,
        lifetime: Duration = .seconds(60)
    ) throws(NetworkError) -> ClientAuthentication {
        guard key.algorithm.family != .hmac else {
            throw NetworkError(
                .credentialMisconfigured, "private_key_jwt needs a private key, not a shared secret.")
        }
        return try signed(clientID, key, keyID, audience, lifetime)
    }

    /// `client_secret_jwt`: an assertion that is signed with the client secret for each request (RFC 7523 §2.2).
    ///
    /// - Parameters:
    ///   - clientID: the client identifier.
    ///   - key: a key for an HS algorithm, with the bytes of the client secret.
    ///   - audience: the audience that the server expects; `nil` for the URL of the token endpoint.
    ///   - lifetime: the lifetime of an assertion, in whole seconds. Default: 60 s.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured` if the key is not for an HS
    ///   algorithm.
    public static func clientSecretJWT(
        clientID: String, key: JSONWebTokenKey, audience: String? = nil, lifetime: Duration = .seconds(60)
    ) throws(NetworkError) -> ClientAuthentication {
        guard key.algorithm.family == .hmac else {
            throw NetworkError(.credentialMisconfigured, "client_secret_jwt needs a shared secret.")
        }
        return try signed(clientID, key, nil, audience, lifetime)
    }

    private static func signed(
        _ clientID: String, _ key: JSONWebTokenKey, _ keyID: String?, _ audience: String?,
        _ lifetime: Duration
    ) throws(NetworkError) -> ClientAuthentication {
        let assertion = try SignedAssertion(
            issuer: clientID, subject: clientID, audience: audience, key: key, keyID: keyID,
            lifetime: lifetime)
        return ClientAuthentication(clientID: clientID, style: .signed(assertion))
    }

    /// An assertion that is signed elsewhere and read for each request: a workload identity, such as a projected
    /// service account token (RFC 7523 §2.2).
    public static func assertion(clientID: String, from source: SecretSource) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, style: .assertion(source))
    }

    // MARK: Without a secret in the request

    /// A public client: the identifier in the body, and no secret (RFC 6749 §3.2.1).
    public static func publicClient(clientID: String) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, style: .none)
    }

    /// A client that authenticates with a client certificate (RFC 8705 §2), with the identifier in the body. The
    /// certificate is configured in the token transport.
    public static func mutualTLS(clientID: String) -> ClientAuthentication {
        publicClient(clientID: clientID)
    }

    // MARK: Selection

    /// The styles that can be selected from the metadata, in order of preference; empty if the style was set
    /// explicitly.
    var automaticStyles: [(method: String, client: ClientAuthentication)] {
        guard isAutomatic else { return [] }
        switch style {
        case .basic(let secret):
            return [
                ("client_secret_basic", self),
                ("client_secret_post", .post(clientID: clientID, secret: secret)),
            ]
        case .signed: return [("private_key_jwt", self)]
        case .post, .none, .assertion: return []
        }
    }

    // MARK: Requests

    /// Adds the client's authentication to one request.
    ///
    /// - Returns: the secret that was used, if any.
    func apply(
        to fields: inout HTTPFields, _ parameters: inout [(String, String)], endpoint: String,
        unixTime: Duration, random: any RandomSource
    ) async throws(NetworkError) -> Secret? {
        guard !clientID.isEmpty else {
            throw NetworkError(.credentialMisconfigured, "The client ID is empty.")
        }
        switch style {
        case .basic(let source):
            let secret = try await Self.read(source)
            let pair = URLEncodedForm.encode(clientID) + ":" + URLEncodedForm.encode(secret.exposed)
            fields[.authorization] = "Basic " + Base64.encode(pair.utf8)
            return secret
        case .post(let source):
            let secret = try await Self.read(source)
            parameters += [("client_id", clientID), ("client_secret", secret.exposed)]
            return secret
        case .none:
            parameters.append(("client_id", clientID))
            return nil
        case .signed(let assertion):
            let signed = try assertion.sign(
                subject: nil, endpoint: endpoint, unixTime: unixTime, random: random)
            add(signed, to: &parameters)
            return signed
        case .assertion(let source):
            let assertion = try await Self.read(source)
            add(assertion, to: &parameters)
            return assertion
        }
    }

    /// Reads a secret. An empty one is rejected, because some servers would count it as a failed login.
    private static func read(_ source: SecretSource) async throws(NetworkError) -> Secret {
        let secret = try await source.read()
        guard !secret.exposed.isEmpty else {
            throw NetworkError(.credentialMisconfigured, "The client secret is empty.")
        }
        return secret
    }

    private func add(_ assertion: Secret, to parameters: inout [(String, String)]) {
        parameters += [
            ("client_id", clientID), ("client_assertion_type", Self.assertionType),
            ("client_assertion", assertion.exposed),
        ]
    }
}
