public import GatewayAuth
public import GatewayCore

/// A person who signs in to what a generated client calls: by a browser on the same machine or by another device.
///
/// ```swift
/// let login = OAuthLogin(clientID: "shelf-tool")
/// let api = BookshopClient(
///     credentials: .init(bookshopAuth: .login(login).stored(in: FileTokenStore(directory: folder), for: "me")))
/// try await login.byDevice { prompt in print("Open \(prompt.verificationURI): \(prompt.userCode)") }
/// ```
/// The endpoints come from the document once a client has been made with it. Somebody signs in once for all scopes that
/// the document lists. Without a store the login ends with the process.
///
/// Before somebody has signed in, and after he has signed out, calls fail with the code `reauthenticationRequired` or
/// `signedOut`.
public final class OAuthLogin: Sendable {
    /// What a client has made of it.
    struct Home: Sendable {
        let site: String
        let client: TokenClient
        let coordinator: TokenRefreshCoordinator
        /// Of the one token for all scopes.
        let key: TokenKey
        /// What is asked for when somebody signs in.
        let request: TokenKey
        let authorizationURL: String
    }

    private let authentication: ClientAuthentication
    private let keeper = TokenKeeper()
    private let home = Locked<Result<Home, NetworkError>?>(nil)

    /// Signs people in to a client that proves itself.
    public init(client: ClientAuthentication) { authentication = client }

    /// Signs people in to a public client, such as a tool that everybody can have.
    public convenience init(clientID: String) { self.init(client: .publicClient(clientID: clientID)) }

    // MARK: Signing in and out

    /// Signs somebody in by another device that has a browser (RFC 8628).
    ///
    /// - Parameters:
    ///   - deadline: when to give up; `nil` for the end of the codes.
    ///   - prompt: shows the codes.
    /// - Throws: as ``GatewayAuth/DeviceAuthorization/grant(for:deadline:prompt:)``.
    public func byDevice(
        deadline: Deadline? = nil,
        prompt: @Sendable (DeviceAuthorization.Prompt) async throws -> Void
    ) async throws(NetworkError) {
        let home = try current()
        let (endpoint, _) = try await home.client.endpoint(deadline: deadline)
        let grant = try await DeviceAuthorization(endpoint: endpoint).grant(
            for: home.request, deadline: deadline, prompt: prompt)
        home.coordinator.signIn(home.key, with: grant)
    }

    /// Signs somebody in by a browser on this machine (RFC 8252), with PKCE.
    ///
    /// - Parameters:
    ///   - issuer: the server's name, which its answer must not contradict (RFC 9207); not needed where the endpoints
    ///     are found by the issuer.
    ///   - deadline: when to give up.
    ///   - open: opens a URL in a browser, or shows it. It must not log it.
    /// - Throws: as ``GatewayAuth/AuthorizationCode/grant(for:deadline:open:)``.
    public func byBrowser(
        issuer: String? = nil, deadline: Deadline, open: @Sendable (String) async throws -> Void
    ) async throws(NetworkError) {
        let home = try current()
        let (endpoint, metadata) = try await home.client.endpoint(deadline: deadline)
        let code: AuthorizationCode
        if let metadata {
            code = try AuthorizationCode(endpoint: endpoint, metadata: metadata)
        } else {
            guard !home.authorizationURL.isEmpty else {
                throw NetworkError(
                    .credentialMisconfigured, "The document names no authorization endpoint.",
                    origin: endpoint.origin)
            }
            code = try AuthorizationCode(
                endpoint: endpoint, authorizationURL: home.authorizationURL, issuer: issuer)
        }
        let grant = try await code.grant(for: home.request, deadline: deadline, open: open)
        home.coordinator.signIn(home.key, with: grant)
    }

    /// Signs in with a grant that was had otherwise.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` before a client has it.
    public func signIn(with grant: TokenGrant) throws(NetworkError) {
        let home = try current()
        home.coordinator.signIn(home.key, with: grant)
    }

    /// Signs out: what it had is forgotten, in the store too.
    ///
    /// - Parameter isRevoking: whether the grant is taken back at its issuer as well (RFC 7009), where that is known.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` before a client has it.
    public func signOut(revoking isRevoking: Bool = true) throws(NetworkError) {
        let home = try current()
        home.coordinator.signOut(home.key, revoking: isRevoking)
    }

    /// Waits until the store holds what was signed in or out, and the answer to a refresh that is under way: for
    /// programs that are about to end. See ``GatewayAuth/TokenRefreshCoordinator/waitUntilStored(_:deadline:)``.
    ///
    /// - Parameter deadline: when to stop waiting; `nil` for as long as it takes.
    /// - Throws: ``GatewayCore/NetworkError`` where it could not be written; with the code `timeout` or `cancelled` where
    ///   the wait ended before.
    public func waitUntilStored(deadline: Deadline? = nil) async throws(NetworkError) {
        let home = try current()
        try await home.coordinator.waitUntilStored(home.key, deadline: deadline)
    }

    // MARK: Clients

    private func current() throws(NetworkError) -> Home {
        guard let home = home.withLock({ $0 }) else {
            throw NetworkError(
                .credentialMisconfigured,
                "Make a client with the login first: its document says where people sign in.")
        }
        return try home.get()
    }

    /// Finds its endpoints for a client. The first client decides; another that has the same shares the login.
    func settle(
        _ options: TokenOptions, _ tokens: DocumentedTokens, server: Origin?,
        _ connections: TokenClient.Connections
    ) throws(NetworkError) -> Home {
        let new = Result { () throws(NetworkError) in
            try make(options, tokens, server: server, connections)
        }
        let settled = home.withLock { home in
            // One that failed gives way.
            if case .success(let known)? = home { return Result<Home, NetworkError>.success(known) }
            home = new
            return new
        }
        let (known, wanted) = (try settled.get(), try new.get())
        guard known.site == wanted.site, known.key == wanted.key else {
            throw NetworkError(
                .credentialMisconfigured,
                "The login is another client's, whose people sign in elsewhere: make one for each.")
        }
        return known
    }

    private func make(
        _ options: TokenOptions, _ tokens: DocumentedTokens, server: Origin?,
        _ connections: TokenClient.Connections
    ) throws(NetworkError) -> Home {
        let site = try tokens.place(options, tokens.ofPeople, server: server)
        let client = try TokenClient(site, authentication, binding: options.binding, connections)
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
