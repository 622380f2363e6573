package import GatewayCore

extension AuthorizationCode {
    /// The options of a browser sign-in, besides its endpoints.
    ///
    /// ```swift
    /// var options = AuthorizationCode.Options()
    /// options.redirect = try LoopbackRedirect("http://localhost:8400/callback")
    /// options.parameters = ["prompt": "login", "login_hint": "ada@example.com"]
    /// ```
    public struct Options: Sendable {
        /// The redirect URI. It must match the one that is registered for the client.
        public var redirect: LoopbackRedirect
        /// Additional parameters of the authorization request, such as `prompt`, `login_hint`, `acr_values`,
        /// `max_age` or `ui_locales` (OpenID Connect Core 1.0 §3.1.2.1).
        ///
        /// Parameters that the sign-in sets itself, such as `state`, `redirect_uri` or `scope`, are
        /// rejected. A `nonce` replaces the random one, and must be different for each sign-in.
        public var parameters: [String: String]
        /// The issuer's keys, to verify the signature of the ID token, which must then use an asymmetric
        /// algorithm; `nil` relies on TLS.
        public var idTokenKeys: JSONWebKeySetSource?
        /// Whether a response of any issuer is accepted (RFC 9207), for a client that uses a single server
        /// whose issuer identifier is unknown. A client of several servers must know their issuers.
        public var ignoresIssuer: Bool

        /// Creates options.
        ///
        /// - Parameters:
        ///   - redirect: the redirect URI; defaults to a free port of 127.0.0.1 with the path `/callback`.
        ///   - parameters: additional parameters of the authorization request.
        ///   - idTokenKeys: the issuer's keys; `nil` relies on TLS.
        ///   - ignoresIssuer: whether a response of any issuer is accepted.
        public init(
            redirect: LoopbackRedirect = LoopbackRedirect(), parameters: [String: String] = [:],
            idTokenKeys: JSONWebKeySetSource? = nil, ignoresIssuer: Bool = false
        ) {
            self.redirect = redirect
            self.parameters = parameters
            self.idTokenKeys = idTokenKeys
            self.ignoresIssuer = ignoresIssuer
        }
    }
}

extension AuthorizationCode.Options {
    /// Parses additional parameters in the form of a query: `prompt=login&ui_locales=de+en`.
    ///
    /// - Returns: the parameters; `nil` if one has no name or no value, or is duplicate.
    package static func parameters(ofQuery query: String) -> [String: String]? {
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&", omittingEmptySubsequences: false) {
            guard pair.contains("="), let (name, value) = URLEncodedForm.decode(pair.utf8).first,
                parameters.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return parameters
    }

    /// Checks the parameters; see ``parameters``.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured`.
    package func check() throws(NetworkError) { try check(query: "") }

    /// Parameters that the sign-in sets itself, that belong to the token key, that would replace others (RFC 9101), or
    /// that are secrets, which must not be in a URL.
    private static let reserved: Set<String> = [
        "response_type", "response_mode", "client_id", "redirect_uri", "state", "code_challenge",
        "code_challenge_method", "dpop_jkt", "scope", "audience", "resource", "request", "request_uri",
        "client_secret", "client_assertion", "client_assertion_type", "code", "code_verifier", "grant_type",
    ]

    /// Checks that the request has no duplicate parameters, and that those of the sign-in are unchanged (RFC
    /// 6749 §3.1).
    ///
    /// - Parameter query: the query of the authorization URL, which is part of the request.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured`.
    func check(query: String) throws(NetworkError) {
        for name in parameters.keys.sorted() {
            guard !name.isEmpty else { throw Self.refusal("An authorization parameter has an empty name.") }
            try Self.refuseReserved(name)
        }
        for (name, _) in URLEncodedForm.decode(query.utf8) {
            try Self.refuseReserved(name)
            guard parameters[name] == nil else {
                throw Self.refusal("An authorization parameter is already in the authorization URL.")
            }
        }
        if let age = parameters["max_age"], UInt32(age) == nil {
            throw Self.refusal("The authorization parameter max_age must be a whole number of seconds.")
        }
        guard parameters["nonce"]?.isEmpty != true else {
            throw Self.refusal("The authorization parameter nonce is empty.")
        }
    }

    private static func refuseReserved(_ name: String) throws(NetworkError) {
        guard reserved.contains(name) else { return }
        throw refusal("The authorization parameter \(name) is set by the sign-in and cannot be configured.")
    }

    private static func refusal(_ message: String) -> NetworkError {
        NetworkError(.credentialMisconfigured, message)
    }
}
