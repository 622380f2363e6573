public import GatewayCore
import GatewayDigest

/// Signs in a user with a browser on the same machine: the authorization code grant with PKCE (RFC 6749
/// §4.1, RFC 7636, RFC 8252).
///
/// ```swift
/// let flow = try AuthorizationCode(
///     endpoint: endpoint, authorizationURL: "https://login.example.com/authorize",
///     issuer: "https://login.example.com")
/// let grant = try await flow.grant(for: key, deadline: .after(.seconds(300))) { url in print("Open \(url)") }
/// coordinator.signIn(key, with: grant)      // its acquirer is a RefreshTokenGrant
/// ```
/// The browser is redirected to a loopback address. By default this is a free port of 127.0.0.1: register
/// `http://127.0.0.1/callback`. Servers that do not ignore the port (RFC 8252 §7.3) require a fixed one; see
/// ``LoopbackRedirect``.
///
/// **OpenID Connect.** With the scope `openid` the request has a random nonce, and the token response must
/// contain an ID token (OpenID Connect Core 1.0 §3.1.2.1). Its nonce, audience and expiration time are
/// validated (§3.1.3.7), its issuer if that is known, and with `max_age` the time of the authentication. By
/// default its signature is not verified: the token is received from the token endpoint over TLS or on this
/// machine, which rule 6 accepts instead. To verify the signature too, set ``Options/idTokenKeys``, which
/// plain HTTP requires. The ID token is in ``TokenGrant/idToken``.
///
/// It requires user interaction, so it is not a ``TokenAcquirer``.
public struct AuthorizationCode: Sendable {
    private let endpoint: TokenEndpoint
    private let authorization: ParsedURL
    private let issuer: String?
    private let requiresIssuer: Bool
    private let options: Options

    /// Creates a sign-in.
    ///
    /// - Parameters:
    ///   - endpoint: the token endpoint, which exchanges the code for a grant.
    ///   - authorizationURL: the authorization endpoint: `https`, or `http` with a loopback address
    ///     (127.0.0.0/8, `[::1]`).
    ///   - issuer: the server's issuer identifier. A response of another issuer is rejected (RFC 9207 §2.4).
    ///     With `nil` a response that contains an issuer is rejected; see ``Options/ignoresIssuer``.
    ///   - requiresIssuer: whether a response must contain the issuer, for servers that declare that they
    ///     always send it.
    ///   - options: the redirect URI and additional parameters.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `invalidURL` or `insecureOrigin`, or
    ///   `credentialMisconfigured` for parameters that are not allowed.
    public init(
        endpoint: TokenEndpoint, authorizationURL: String, issuer: String?, requiresIssuer: Bool = false,
        options: Options = Options()
    ) throws(NetworkError) {
        authorization = try ParsedURL(endpoint: authorizationURL)
        try authorization.origin.refuseInsecureEndpoint("An authorization endpoint", allowing: nil)
        let mark = authorization.target.firstIndex(of: "?") ?? authorization.target.endIndex
        try options.check(query: String(authorization.target[mark...].dropFirst()))
        self.endpoint = endpoint
        self.issuer = issuer
        self.requiresIssuer = requiresIssuer
        self.options = options
    }

    /// Creates a sign-in with discovered endpoints.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` if the server has no
    ///   authorization endpoint or does not support PKCE with S256; otherwise as the other initializer.
    public init(
        endpoint: TokenEndpoint, metadata: AuthorizationServerMetadata, options: Options = Options()
    ) throws(NetworkError) {
        guard let url = try metadata.url(of: .authorization) else {
            throw NetworkError(
                .credentialMisconfigured, .endpointMissing(.authorization, isDiscovered: true),
                "The issuer's metadata has no authorization endpoint.", origin: endpoint.origin)
        }
        if let methods = metadata.challengeMethods, !methods.contains("S256") {
            throw NetworkError(.credentialMisconfigured, "The issuer does not support PKCE with S256.")
        }
        try self.init(
            endpoint: endpoint, authorizationURL: url, issuer: metadata.issuer,
            requiresIssuer: metadata.namesIssuerInResponses, options: options)
    }

    /// Opens the authorization page, waits for the redirect, and exchanges the code for a grant.
    ///
    /// - Parameters:
    ///   - key: the key of the grant.
    ///   - deadline: when to stop waiting and close the port.
    ///   - isolation: the actor that `open` runs on: the caller's.
    ///   - open: opens a URL in a browser, or shows it. It must not log the URL, which contains the state.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `authorizationDenied`, `redirectUnavailable`,
    ///   `timeout`, `cancelled`, `interactionRequired` for a response that does not belong to this request,
    ///   `idTokenInvalid`, or another of category `authentication`. An error of `open` is the underlying
    ///   error.
    public func grant(
        for key: TokenKey, deadline: Deadline, isolation: isolated (any Actor)? = #isolation,
        open: (String) async throws -> Void
    ) async throws(NetworkError) -> TokenGrant {
        if key.scopes.contains("openid"), options.idTokenKeys == nil, !endpoint.origin.isSecureOrLoopback {
            throw NetworkError(
                .credentialMisconfigured,
                "An ID token that comes over plain HTTP needs its signature validated: set idTokenKeys.",
                origin: endpoint.origin)
        }
        let (state, verifier) = (
            Base64.encodeURL(endpoint.random.bytes(words: 4)),
            Base64.encodeURL(endpoint.random.bytes(words: 4))
        )
        let receiver = try LoopbackReceiver(options.redirect) {
            AuthorizationResponse(query: $0).hasState(state)
        }
        defer { receiver.stop() }
        let redirectURI = receiver.redirectURI
        let nonce =
            key.scopes.contains("openid")
            ? options.parameters["nonce"] ?? Base64.encodeURL(endpoint.random.bytes(words: 4)) : nil
        let url = url(key, redirectURI: redirectURI, state: state, verifier: verifier, nonce: nonce)
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
            state: state, issuer: options.ignoresIssuer ? .ignored : issuer.map { .named($0) } ?? .unknown,
            requiresIssuer: requiresIssuer, origin: authorization.origin)
        let parameters = [
            ("grant_type", "authorization_code"), ("code", code.exposed), ("redirect_uri", redirectURI),
            ("code_verifier", verifier),
        ]
        let tokens = try await endpoint.tokenResponse(
            { () throws(NetworkError) in parameters }, spends: true, deadline)
        var grant = try endpoint.grant(of: tokens)
        guard let nonce else { return grant }
        do throws(NetworkError) {
            grant.idToken = try await idTokenCheck(nonce: nonce).check(tokens)
        } catch {
            // The grant is not used, because it does not belong to this sign-in. It is revoked if the server
            // supports that.
            try? await endpoint.revoke(grant, deadline: deadline)
            throw error
        }
        return grant
    }

    private func idTokenCheck(nonce: String) -> IDTokenCheck {
        IDTokenCheck(
            nonce: nonce, issuer: issuer, clientID: endpoint.client.clientID,
            maximumAge: options.parameters["max_age"].flatMap(UInt32.init), keys: options.idTokenKeys,
            clock: endpoint.clock)
    }

    /// The authorization URL (RFC 6749 §4.1.1, RFC 7636 §4.3).
    private func url(
        _ key: TokenKey, redirectURI: String, state: String, verifier: String, nonce: String?
    ) -> String {
        let challenge = Base64.encodeURL(SHA256.digest(verifier.utf8))
        var parameters = [
            ("response_type", "code"), ("client_id", endpoint.client.clientID), ("redirect_uri", redirectURI),
            ("state", state), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        parameters += key.parameters
        var others = options.parameters
        if let nonce { others["nonce"] = nonce }
        parameters += others.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        if let binding = endpoint.binding { parameters.append(("dpop_jkt", binding.thumbprint)) }
        let separator = authorization.target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return authorization.origin.description + authorization.target + separator
            + URLEncodedForm.encode(parameters)
    }

    private func receive(
        _ receiver: LoopbackReceiver, _ deadline: Deadline
    ) async throws(NetworkError) -> String {
        let alarm = endpoint.clock.alarm(at: deadline.instant) { receiver.stop() }
        let answer = await receiver.receive()
        alarm.cancel()
        switch answer {
        case .query(let query)?: return query
        case .tooLarge?:
            throw NetworkError(
                .redirectUnavailable,
                "The browser's redirect has a header of more than \(RedirectRequest.maximumBytes >> 10) KiB, probably "
                    + "because of its cookies for this machine: delete them, and start the sign-in again.")
        case nil: break
        }
        if Task.isCancelled {
            throw NetworkError(.cancelled, "The task was cancelled during the sign-in.")
        }
        throw NetworkError(.timeout, "The sign-in did not end in time.", phase: .call)
    }
}
