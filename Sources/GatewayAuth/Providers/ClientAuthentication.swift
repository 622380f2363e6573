public import GatewayCore

/// How a client authenticates at the token endpoint (RFC 6749 §2.3, RFC 7523 §2.2, RFC 8705 §2).
///
/// The style is configured or chosen by the server's metadata, never tried out: a request that fails for its style may
/// spend a refresh token.
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

    /// The client's identifier at the token endpoint. A request without one, or with an empty secret, is not sent: the
    /// code is `credentialMisconfigured`.
    public let clientID: String
    private let style: Style
    /// Whether the server's metadata may decide the style.
    private var isAutomatic = false

    private init(clientID: String, style: Style) {
        self.clientID = clientID
        self.style = style
    }

    // MARK: Chosen by the server's metadata

    /// A client secret, in the style that the server's metadata lists (`token_endpoint_auth_methods_supported`):
    /// `client_secret_basic` if it is listed or nothing is listed, otherwise `client_secret_post`.
    ///
    /// Without metadata, for an endpoint that is given by its URL, it is `client_secret_basic`, which servers must support
    /// (RFC 6749 §2.3.1). If the server supports neither, ``TokenEndpoint/init(_:client:binding:usesMutualTLS:transport:clock:)``
    /// throws `credentialMisconfigured`.
    public static func automatic(clientID: String, secret: Secret) -> ClientAuthentication {
        automatic(clientID: clientID, secret: .fixed(secret))
    }

    /// A client secret that is read again for each request; see ``automatic(clientID:secret:)-swift.type.method``.
    public static func automatic(clientID: String, secret: SecretSource) -> ClientAuthentication {
        var client = basic(clientID: clientID, secret: secret)
        client.isAutomatic = true
        return client
    }

    /// A private key, by `private_key_jwt`. If the server's metadata lists other methods only,
    /// ``TokenEndpoint/init(_:client:binding:usesMutualTLS:transport:clock:)`` throws `credentialMisconfigured`.
    ///
    /// - Parameters: see ``privateKeyJWT(clientID:key:keyID:audience:lifetime:)``.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` for a key that cannot sign or is a
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

    /// `client_secret_basic`: identifier and secret in the `Authorization` field, each form-encoded first
    /// (RFC 6749 §2.3.1).
    public static func basic(clientID: String, secret: Secret) -> ClientAuthentication {
        basic(clientID: clientID, secret: .fixed(secret))
    }

    /// `client_secret_basic` with a secret that is read again for each request.
    public static func basic(clientID: String, secret: SecretSource) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, style: .basic(secret))
    }

    /// `client_secret_post`: identifier and secret in the body (RFC 6749 §2.3.1).
    public static func post(clientID: String, secret: Secret) -> ClientAuthentication {
        post(clientID: clientID, secret: .fixed(secret))
    }

    /// `client_secret_post` with a secret that is read again for each request.
    public static func post(clientID: String, secret: SecretSource) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, style: .post(secret))
    }

    // MARK: Assertions

    /// `private_key_jwt`: a new assertion, signed by the client, for each request (RFC 7523 §2.2).
    ///
    /// - Parameters:
    ///   - clientID: the client's identifier.
    ///   - key: a private key of the RS or ES family.
    ///   - keyID: the identifier of the key (`kid`).
    ///   - audience: the audience that the server expects; `nil` for the token endpoint's URL.
    ///   - lifetime: the lifetime of an assertion, in whole seconds.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured` for a key of another family, or one
    ///   that cannot sign.
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

    /// `client_secret_jwt`: an assertion that is signed with the client secret (RFC 7523 §2.2).
    ///
    /// - Parameters:
    ///   - clientID: the client's identifier.
    ///   - key: a key of the HS family: the bytes of the client secret.
    ///   - audience: the audience that the server expects; `nil` for the token endpoint's URL.
    ///   - lifetime: the lifetime of an assertion, in whole seconds.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured` for a key of another family.
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

    /// An assertion that is signed elsewhere, read again for each request: a workload identity, such as a projected
    /// service account token (RFC 7523 §2.2).
    public static func assertion(clientID: String, from source: SecretSource) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, style: .assertion(source))
    }

    // MARK: Nothing in the request

    /// A public client: the identifier in the body, and no secret (RFC 6749 §3.2.1).
    public static func publicClient(clientID: String) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, style: .none)
    }

    /// A client that authenticates by the certificate of its connection (RFC 8705 §2), with the identifier in the body. The
    /// certificate is configured in the token transport.
    public static func mutualTLS(clientID: String) -> ClientAuthentication {
        publicClient(clientID: clientID)
    }

    // MARK: Choice

    /// The styles that the server may choose from, best first; empty if the style was set explicitly.
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
            let pair = FormEncoding.encode(clientID) + ":" + FormEncoding.encode(secret.exposed)
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

    /// An empty secret is refused: some servers would count it as a failed login.
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
