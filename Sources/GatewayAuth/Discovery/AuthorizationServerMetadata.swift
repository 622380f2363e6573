public import GatewayCore
import GatewayJSON

/// The metadata of an authorization server (RFC 8414 §2, OpenID Connect Discovery 1.0 §3), with the origins that the
/// client trusts.
///
/// Secrets are sent only to endpoints at the issuer's origin or at an allowed origin. Otherwise manipulated metadata
/// could redirect them.
public struct AuthorizationServerMetadata: Sendable {
    /// The endpoints of the metadata.
    public enum Endpoint: String, Hashable, Sendable, CaseIterable {
        /// The authorization endpoint, where the user signs in.
        case authorization = "authorization_endpoint"
        /// The token endpoint.
        case token = "token_endpoint"
        /// The revocation endpoint (RFC 7009).
        case revocation = "revocation_endpoint"
        /// The introspection endpoint (RFC 7662).
        case introspection = "introspection_endpoint"
        /// The device authorization endpoint (RFC 8628).
        case deviceAuthorization = "device_authorization_endpoint"
        /// The JSON Web Key Set of the server.
        case keys = "jwks_uri"

        /// The name in messages.
        var label: String {
            switch self {
            case .authorization: "authorization endpoint"
            case .token: "token endpoint"
            case .revocation: "revocation endpoint"
            case .introspection: "introspection endpoint"
            case .deviceAuthorization: "device authorization endpoint"
            case .keys: "key set"
            }
        }
    }

    /// The issuer identifier as written in the metadata.
    public let issuer: String
    /// The origins that the endpoints may have: the issuer's origin and the allowed origins.
    public let origins: Set<Origin>
    /// `dpop_signing_alg_values_supported` (RFC 9449 §5.1); `nil` if it is missing.
    public let proofAlgorithms: [String]?
    /// `code_challenge_methods_supported` (RFC 8414 §2); `nil` if it is missing.
    public let challengeMethods: [String]?
    /// `token_endpoint_auth_methods_supported` (RFC 8414 §2); `nil` if it is missing.
    public let clientAuthenticationMethods: [String]?
    /// Whether authorization responses contain the issuer (RFC 9207 §3).
    public let namesIssuerInResponses: Bool

    /// The hosts whose endpoints may be called over plain HTTP.
    let plainHTTP: PlainHTTPHosts
    private let endpoints: [String: String]
    /// `mtls_endpoint_aliases` (RFC 8705 §5).
    private let aliases: [String: String]

    /// Decodes a metadata document.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenResponseMalformed` if it is not a metadata document,
    ///   or `credentialMisconfigured` if it belongs to another issuer.
    init(
        _ bytes: [UInt8], issuers: [String], origin: Origin, allowing: Set<Origin>,
        plainHTTP: PlainHTTPHosts = .none
    ) throws(NetworkError) {
        func malformed(_ message: String) -> NetworkError {
            NetworkError(.tokenResponseMalformed, message, origin: origin)
        }
        let limits = JSONLimits(depth: 16, bytes: bytes.count)
        guard let members = (try? JSONValue(jsonBytes: bytes, limits: limits))?.object
        else { throw malformed("The issuer's metadata is not a JSON object with unique members.") }
        // Identical, byte for byte (RFC 8414 §3.3).
        guard let told = members["issuer"]?.string else {
            throw malformed("The issuer's metadata has no member `issuer`.")
        }
        guard issuers.contains(where: { told.utf8.elementsEqual($0.utf8) }) else {
            let isSlash = issuers.contains { $0 + "/" == told || $0 == told + "/" }
            throw NetworkError(
                .credentialMisconfigured, isSlash ? .issuerSlashDiffers : .issuerDiffers,
                isSlash
                    ? "The issuer in the metadata differs from the configured one by a slash at the end."
                    : "The issuer in the metadata is not the configured one.", origin: origin)
        }
        issuer = told
        origins = allowing.union([origin])
        self.plainHTTP = plainHTTP
        endpoints = members.texts
        aliases = members["mtls_endpoint_aliases"]?.object?.texts ?? [:]
        proofAlgorithms = members.list("dpop_signing_alg_values_supported")
        challengeMethods = members.list("code_challenge_methods_supported")
        clientAuthenticationMethods = members.list("token_endpoint_auth_methods_supported")
        namesIssuerInResponses = members["authorization_response_iss_parameter_supported"] == true
    }

    /// The URL of an endpoint; `nil` if the server has none.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - usesMutualTLS: whether to prefer the alias for connections with a client certificate (RFC 8705 §5).
    /// - Throws: ``GatewayCore/NetworkError`` with the code `insecureOrigin` if the URL uses neither `https` nor a
    ///   loopback address, or if its origin is not allowed.
    public func url(
        of endpoint: Endpoint, usesMutualTLS: Bool = false
    ) throws(NetworkError) -> String? {
        let alias = usesMutualTLS ? aliases[endpoint.rawValue] : nil
        guard let url = alias ?? endpoints[endpoint.rawValue] else { return nil }
        let parsed = try ParsedURL(url)
        try parsed.origin.refuseInsecureEndpoint("An endpoint in an issuer's metadata", allowing: plainHTTP)
        guard origins.contains(parsed.origin) else {
            throw NetworkError(
                .insecureOrigin, .endpointElsewhere,
                "The issuer's metadata names an endpoint at \(parsed.origin), which is not the issuer's origin.",
                origin: parsed.origin)
        }
        return url
    }
}

extension AuthorizationServerMetadata: Redacted {
    /// The number of endpoints, without data of the server.
    public var description: String {
        "metadata with \(Endpoint.allCases.count { endpoints[$0.rawValue] != nil }) endpoints"
    }
}

extension [String: JSONValue] {
    fileprivate var texts: [String: String] { compactMapValues(\.string) }

    fileprivate func list(_ name: String) -> [String]? {
        self[name]?.array?.compactMap(\.string)
    }
}

extension TokenEndpoint {
    /// Creates the token endpoint of an issuer, with its other endpoints.
    ///
    /// - Parameters:
    ///   - metadata: the metadata from ``AuthorizationServerDiscovery``.
    ///   - client: how the client authenticates. For an `automatic` ``ClientAuthentication`` the style is selected from
    ///     ``AuthorizationServerMetadata/clientAuthenticationMethods``.
    ///   - binding: the key that tokens are bound to; `nil` for bearer tokens.
    ///   - usesMutualTLS: whether to prefer the aliases for connections with a client certificate (RFC 8705 §5).
    ///   - transport: the transport for the requests.
    ///   - clock: the source of time.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `insecureOrigin` if an endpoint is at an origin that is not
    ///   allowed, or `credentialMisconfigured` if there is no token endpoint, or the server supports neither the
    ///   binding's algorithm nor a style of an `automatic` client.
    public init(
        _ metadata: AuthorizationServerMetadata, client: ClientAuthentication, binding: DPoPBinding? = nil,
        usesMutualTLS: Bool = false, transport: any Transport, clock: any GatewayClock = SystemClock()
    ) throws(NetworkError) {
        guard let url = try metadata.url(of: .token, usesMutualTLS: usesMutualTLS) else {
            throw NetworkError(
                .credentialMisconfigured, .endpointMissing(.token, isDiscovered: true),
                "The issuer's metadata has no token endpoint.")
        }
        if let binding, let algorithms = metadata.proofAlgorithms,
            !algorithms.contains(binding.algorithm.rawValue)
        {
            throw NetworkError(
                .credentialMisconfigured, .proofAlgorithmUnsupported,
                "The issuer does not support DPoP proofs with \(binding.algorithm.rawValue).")
        }
        var others = Others(
            revocationURL: try metadata.url(of: .revocation, usesMutualTLS: usesMutualTLS),
            introspectionURL: try metadata.url(of: .introspection, usesMutualTLS: usesMutualTLS),
            deviceAuthorizationURL: try metadata.url(
                of: .deviceAuthorization, usesMutualTLS: usesMutualTLS))
        others.isDiscovered = true
        try self.init(
            url, client: client.chosen(by: metadata), others: others, binding: binding, transport: transport,
            clock: clock, plainHTTP: metadata.plainHTTP)
    }
}
