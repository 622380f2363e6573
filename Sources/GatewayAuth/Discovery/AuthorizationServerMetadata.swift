public import GatewayCore
import GatewayJSON

/// The metadata of an authorization server (RFC 8414 §2, OpenID Connect Discovery 1.0 §3), with the origins that its client
/// trusts.
///
/// Secrets are sent to an endpoint only at the issuer's own origin, or at an origin that was allowed. Otherwise manipulated
/// metadata could redirect them.
public struct AuthorizationServerMetadata: Sendable {
    /// The endpoints of the metadata.
    public enum Endpoint: String, Hashable, Sendable, CaseIterable {
        /// The page where a person signs in.
        case authorization = "authorization_endpoint"
        /// The token endpoint.
        case token = "token_endpoint"
        /// The revocation endpoint (RFC 7009).
        case revocation = "revocation_endpoint"
        /// The introspection endpoint (RFC 7662).
        case introspection = "introspection_endpoint"
        /// The device authorization endpoint (RFC 8628).
        case deviceAuthorization = "device_authorization_endpoint"
        /// The key set.
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

    /// The issuer identifier, as the metadata has it.
    public let issuer: String
    /// The origins that its endpoints may have: the issuer's own and those that were allowed.
    public let origins: Set<Origin>
    /// `dpop_signing_alg_values_supported` (RFC 9449 §5.1); `nil` if it is missing.
    public let proofAlgorithms: [String]?
    /// `code_challenge_methods_supported` (RFC 8414 §2); `nil` if it is missing.
    public let challengeMethods: [String]?
    /// `token_endpoint_auth_methods_supported` (RFC 8414 §2); `nil` if it is missing.
    public let clientAuthenticationMethods: [String]?
    /// Whether authorization responses name the issuer (RFC 9207 §3).
    public let namesIssuerInResponses: Bool

    /// The hosts that its endpoints may be called at over plain HTTP.
    let plainHTTP: PlainHTTPHosts
    private let endpoints: [String: String]
    /// `mtls_endpoint_aliases` (RFC 8705 §5).
    private let aliases: [String: String]

    /// Reads a document.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenResponseMalformed` if it is not such a document,
    ///   or `credentialMisconfigured` if it is another issuer's.
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
        // RFC 8414 §3.3: identical, by its bytes.
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
    ///   - endpoint: which.
    ///   - usesMutualTLS: whether the alias for connections with a client certificate is preferred (RFC 8705 §5).
    /// - Throws: ``GatewayCore/NetworkError`` with the code `insecureOrigin` for an endpoint that is not reached over
    ///   https or at a loopback address, or lies at an origin that was not allowed.
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
    /// How many endpoints there are; nothing that the server wrote.
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
    /// The token endpoint of an issuer, with its other endpoints.
    ///
    /// - Parameters:
    ///   - metadata: see ``AuthorizationServerDiscovery``.
    ///   - client: how the client authenticates. The style of a ``ClientAuthentication`` that is `automatic` is chosen by
    ///     ``AuthorizationServerMetadata/clientAuthenticationMethods``.
    ///   - binding: the key that tokens are bound to; `nil` for bearer tokens.
    ///   - usesMutualTLS: whether the aliases for connections with a client certificate are preferred (RFC 8705 §5).
    ///   - transport: makes the exchanges.
    ///   - clock: the source of time.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `insecureOrigin` for endpoints elsewhere that were not
    ///   allowed, or `credentialMisconfigured` if there is no token endpoint, or the server supports neither the binding's
    ///   algorithm nor a style of an `automatic` client.
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
