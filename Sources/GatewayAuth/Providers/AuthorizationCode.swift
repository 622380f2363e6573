public import GatewayCore

/// Signs somebody in by a browser on the same machine, for tools: the authorization code grant with PKCE (RFC 6749 §4.1,
/// RFC 7636, RFC 8252).
///
/// ```swift
/// let flow = try AuthorizationCode(endpoint: endpoint, authorizationURL: "https://login.example.com/authorize",
///                                  issuer: "https://login.example.com")
/// let grant = try await flow.grant(for: key) { url in print("Open \(url)") }
/// coordinator.signIn(key, with: grant)      // whose acquirer is a RefreshTokenGrant
/// ```
/// The browser comes back to a free port of 127.0.0.1. Register `http://127.0.0.1/callback`; servers take any port there
/// (RFC 8252 §7.3). It takes a person's time, and so is no ``TokenAcquirer``.
public struct AuthorizationCode: Sendable {
    /// Where the browser comes back to.
    private static let path = "/callback"

    private let endpoint: TokenEndpoint
    private let authorization: ParsedURL
    private let issuer: String?
    private let requiresIssuer: Bool

    /// Prepares to sign in.
    ///
    /// - Parameters:
    ///   - endpoint: where the code is traded for a grant.
    ///   - authorizationURL: where the browser goes: `https`, or `http` to a loopback literal.
    ///   - issuer: the server's name, which an answer must not contradict (RFC 9207 §2.4); `nil` where it is not known,
    ///     and then an answer that names one is refused.
    ///   - requiresIssuer: whether an answer must name the issuer: for servers that say that they always do.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `invalidURL` or `insecureOrigin`.
    public init(
        endpoint: TokenEndpoint, authorizationURL: String, issuer: String?, requiresIssuer: Bool = false
    ) throws(NetworkError) {
        authorization = try ParsedURL(authorizationURL)
        try authorization.origin.refuseInsecureEndpoint("A browser is sent to sign in")
        self.endpoint = endpoint
        self.issuer = issuer
        self.requiresIssuer = requiresIssuer
    }

    /// Prepares to sign in at a server that was discovered.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` where people cannot sign in there,
    ///   or not with PKCE and S256; else as the other initialiser.
    public init(
        endpoint: TokenEndpoint, metadata: AuthorizationServerMetadata
    ) throws(NetworkError) {
        guard let url = try metadata.url(of: .authorization) else {
            throw NetworkError(.credentialMisconfigured, "The issuer names no authorization endpoint.")
        }
        if let methods = metadata.challengeMethods, !methods.contains("S256") {
            throw NetworkError(.credentialMisconfigured, "The issuer does not take PKCE with S256.")
        }
        try self.init(
            endpoint: endpoint, authorizationURL: url, issuer: metadata.issuer,
            requiresIssuer: metadata.namesIssuerInResponses)
    }

    /// Sends somebody to the server, waits for the browser to come back, and trades the code for a grant.
    ///
    /// - Parameters:
    ///   - key: what the grant is for.
    ///   - deadline: when to give up. The port is closed then.
    ///   - open: opens a URL in a browser, or shows it. It must not log it: it holds the state.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `authorizationDenied`, `timeout`, `cancelled`,
    ///   `interactionRequired` for an answer that is none to this question, or another of category `authentication`.
    public func grant(
        for key: TokenKey, deadline: Deadline, open: @Sendable (String) async throws -> Void
    ) async throws(NetworkError) -> TokenGrant {
        let receiver = try LoopbackReceiver(path: Self.path)
        defer { receiver.stop() }
        let redirectURI = "http://127.0.0.1:\(receiver.port)\(Self.path)"
        let (state, verifier) = (
            RandomText.make(words: 4, from: endpoint.random), RandomText.make(words: 4, from: endpoint.random)
        )
        let url = url(key, redirectURI: redirectURI, state: state, verifier: verifier)
        async let answer = receive(receiver, deadline)
        do { try await open(url) } catch {
            receiver.stop()
            _ = try? await answer
            throw NetworkError(acquiring: error)
        }
        let response: AuthorizationResponse
        do { response = AuthorizationResponse(query: try await answer) } catch {
            throw NetworkError(wrapping: error)
        }
        let code = try response.code(
            state: state, issuer: issuer, requiresIssuer: requiresIssuer, origin: authorization.origin)
        return try await endpoint.grant(
            [
                ("grant_type", "authorization_code"), ("code", code.exposed), ("redirect_uri", redirectURI),
                ("code_verifier", verifier),
            ], spends: true, deadline: deadline)
    }

    /// Where the browser goes (RFC 6749 §4.1.1, RFC 7636 §4.3).
    private func url(_ key: TokenKey, redirectURI: String, state: String, verifier: String) -> String {
        let challenge = Base64.encodeURL(SHA256.digest(verifier.utf8))
        var parameters = [
            ("response_type", "code"), ("client_id", endpoint.client.clientID), ("redirect_uri", redirectURI),
            ("state", state), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        parameters += key.parameters
        if let binding = endpoint.binding { parameters.append(("dpop_jkt", binding.thumbprint)) }
        let separator = authorization.target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return authorization.origin.description + authorization.target + separator
            + FormEncoding.body(parameters)
    }

    private func receive(
        _ receiver: LoopbackReceiver, _ deadline: Deadline
    ) async throws(NetworkError) -> String {
        let clock = endpoint.clock
        let alarm = Task {
            try await clock.sleep(until: deadline.instant)
            receiver.stop()
        }
        let query = await receiver.receive()
        alarm.cancel()
        if let query { return query }
        if Task.isCancelled {
            throw NetworkError(.cancelled, "The task was cancelled while somebody signed in.")
        }
        throw NetworkError(.timeout, "Nobody has signed in in time.", phase: .call)
    }
}
