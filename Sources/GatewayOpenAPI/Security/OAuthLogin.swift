public import GatewayAuth
public import GatewayCore

/// An interactive sign-in for a generated client: in a browser on the same machine, or on another device.
///
/// ```swift
/// let login = OAuthLogin(clientID: "shelf-tool")
/// let api = BookshopClient(
///     credentials: .init(bookshopAuth: .login(login).stored(in: FileTokenStore(directory: folder), for: "me")))
/// try await login.byDevice { prompt in print("Open \(prompt.verificationURI): \(prompt.userCode)") }
/// ```
/// The endpoints come from the document when a client is created with the login. One sign-in requests all scopes that
/// the document lists. Without a store the login ends with the process.
///
/// Before a sign-in, calls fail with the code `reauthenticationRequired`; after a sign-out, with `signedOut`.
public final class OAuthLogin: Sendable {
    /// The login in use: set when the first client is created with it.
    struct Home: Sendable {
        let site: String
        let client: AuthorizationClient
        let coordinator: TokenRefreshCoordinator
        /// The key of the one token for all scopes.
        let key: TokenKey
        /// The key that has the scopes to request at the sign-in.
        let request: TokenKey
        let authorizationURL: String
    }

    private let authentication: ClientAuthentication
    private let keeper = TokenKeeper()
    private let home = Locked<Result<Home, NetworkError>?>(nil)

    /// Creates a login for a confidential client.
    public init(client: ClientAuthentication) { authentication = client }

    /// Creates a login for a public client, such as a command-line tool.
    public convenience init(clientID: String) { self.init(client: .publicClient(clientID: clientID)) }

    // MARK: Signing in and out

    /// Signs in on another device that has a browser (RFC 8628).
    ///
    /// - Parameters:
    ///   - deadline: when to give up; `nil` waits until the codes expire.
    ///   - isolation: the actor that `prompt` runs on: the caller's.
    ///   - prompt: shows the codes to the user.
    /// - Throws: the errors of ``GatewayAuth/DeviceAuthorization/grant(for:deadline:isolation:prompt:)``.
    public func byDevice(
        deadline: Deadline? = nil, isolation: isolated (any Actor)? = #isolation,
        prompt: (DeviceAuthorization.Prompt) async throws -> Void
    ) async throws(NetworkError) {
        let home = try current()
        let (endpoint, _) = try await home.client.endpoint(deadline: deadline)
        let grant = try await DeviceAuthorization(endpoint: endpoint).grant(
            for: home.request, deadline: deadline, prompt: prompt)
        home.coordinator.signIn(home.key, with: grant)
    }

    /// Signs in with a browser on this machine (RFC 8252), with PKCE.
    ///
    /// - Parameters:
    ///   - issuer: the issuer identifier of the server, to be compared with the one in its responses (RFC 9207). Not
    ///     required if the endpoints are discovered from the issuer.
    ///   - options: the redirect URI that is registered for the client, and additional parameters.
    ///   - deadline: when to give up.
    ///   - isolation: the actor that `open` runs on: the caller's.
    ///   - open: opens a URL in a browser or shows it. It must not log the URL.
    /// - Throws: the errors of ``GatewayAuth/AuthorizationCode/grant(for:deadline:isolation:open:)``.
    public func byBrowser(
        issuer: String? = nil, options: AuthorizationCode.Options = AuthorizationCode.Options(),
        deadline: Deadline, isolation: isolated (any Actor)? = #isolation,
        open: (String) async throws -> Void
    ) async throws(NetworkError) {
        let home = try current()
        let (endpoint, metadata) = try await home.client.endpoint(deadline: deadline)
        let code: AuthorizationCode
        if let metadata {
            code = try AuthorizationCode(endpoint: endpoint, metadata: metadata, options: options)
        } else {
            guard !home.authorizationURL.isEmpty else {
                throw NetworkError(
                    .credentialMisconfigured, "The document has no authorization URL.",
                    origin: endpoint.origin)
            }
            code = try AuthorizationCode(
                endpoint: endpoint, authorizationURL: home.authorizationURL, issuer: issuer,
                options: options)
        }
        let grant = try await code.grant(for: home.request, deadline: deadline, open: open)
        home.coordinator.signIn(home.key, with: grant)
    }

    /// Signs in with a grant from another source.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` if no client uses the login yet.
    public func signIn(with grant: TokenGrant) throws(NetworkError) {
        let home = try current()
        home.coordinator.signIn(home.key, with: grant)
    }

    /// Signs out: deletes the grant in memory and in the store.
    ///
    /// - Parameter isRevoking: whether the grant is also revoked at the server (RFC 7009), if the revocation endpoint
    ///   is known.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` if no client uses the login yet.
    public func signOut(revoking isRevoking: Bool = true) throws(NetworkError) {
        let home = try current()
        home.coordinator.signOut(home.key, revoking: isRevoking)
    }

    /// Waits until the last sign-in or sign-out and the response to a refresh in progress are stored. Call it before
    /// the program ends. See ``GatewayAuth/TokenRefreshCoordinator/waitUntilStored(_:deadline:)``.
    ///
    /// - Parameter deadline: when to stop waiting; `nil` waits without limit.
    /// - Throws: ``GatewayCore/NetworkError`` if writing to the store failed; with the code `timeout` or `cancelled` if
    ///   the wait ended earlier.
    public func waitUntilStored(deadline: Deadline? = nil) async throws(NetworkError) {
        let home = try current()
        try await home.coordinator.waitUntilStored(home.key, deadline: deadline)
    }

    // MARK: Clients

    private func current() throws(NetworkError) -> Home {
        guard let home = home.withLock({ $0 }) else {
            throw NetworkError(
                .credentialMisconfigured,
                "Create a client with this login first: its document has the endpoints.")
        }
        return try home.get()
    }

    /// Determines the endpoints for a client. The first client sets them; other clients must have the same ones and
    /// share the login.
    func settle(
        _ options: TokenOptions, _ tokens: DocumentedTokens, server: Origin?,
        _ connections: TokenSite.Connections
    ) throws(NetworkError) -> Home {
        let new = Result { () throws(NetworkError) in
            try make(options, tokens, server: server, connections)
        }
        let settled = home.withLock { home in
            // An earlier failure is replaced.
            if case .success(let known)? = home { return Result<Home, NetworkError>.success(known) }
            home = new
            return new
        }
        let (known, wanted) = (try settled.get(), try new.get())
        guard known.site == wanted.site, known.key == wanted.key else {
            throw NetworkError(
                .credentialMisconfigured,
                "The login is used by a client with other endpoints: create a login for each client.")
        }
        // The first one had no document.
        if known.request.scopes.isEmpty, !wanted.request.scopes.isEmpty {
            home.withLock { $0 = .success(wanted) }
            return wanted
        }
        return known
    }

    private func make(
        _ options: TokenOptions, _ tokens: DocumentedTokens, server: Origin?,
        _ connections: TokenSite.Connections
    ) throws(NetworkError) -> Home {
        let site = try tokens.place(options, tokens.ofPeople, server: server)
        let client = try site.client(authentication, binding: options.binding, connections)
        let scopes = tokens.scopes(
            options.scopes == .ofOperation ? .ofDocument : options.scopes, operation: [])
        let tenant = options.store == nil ? keeper.name : nil
        let key = client.key(options, scopes: [], tenant: tenant)
        return Home(
            site: site.name, client: client,
            coordinator: keeper.coordinator(site.name, options) {
                client.acquirer(canStepUp: false) { RefreshTokenGrant(endpoint: $0) }
            },
            key: key,
            request: client.key(options, scopes: scopes, tenant: tenant),
            authorizationURL: options.endpoints?.authorization
                ?? DocumentedTokens.absolute(tokens.authorizationURL, server))
    }
}
