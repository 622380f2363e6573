public import GatewayAuth
public import GatewayCore
public import GatewayResilience

/// Sign-in and sign-out of a person, for `GATEWAY_GRANT` `authorization_code` or `device_code`.
///
/// ```swift
/// let environment = try GatewayEnvironment(requiresOrigins: false)
/// guard let flow = try await environment.authorizationCode(), let key = environment.tokenKey,
///     let coordinator = environment.configuration().authentication?.coordinator
/// else { return }
/// let grant = try await flow.grant(for: key, deadline: .after(.seconds(300))) { url in print("Open \(url)") }
/// coordinator.signIn(key, with: grant)
/// try await coordinator.waitUntilStored(key)
/// ```
extension GatewayEnvironment {
    /// How a person signs in.
    package enum SignInKind: Sendable {
        case browser, device
    }

    /// What a sign-out did.
    @nonexhaustive
    public enum SignOutResult: Sendable {
        /// The store had no grant.
        case notSignedIn
        /// The grant was deleted here and revoked at the server.
        case revoked
        /// The grant was deleted here. The server has no revocation endpoint: its tokens are valid until they expire.
        case notRevocable
        /// The grant was deleted here, and its revocation at the server failed. It is not tried again.
        case revocationFailed(NetworkError)
        /// The grant was deleted here. Stored responses of the account, or bytes of them, are left in the store of `GATEWAY_CACHE`.
        /// With the error of the revocation, if that failed, too.
        case responsesLeft(CacheStoreError, revocation: NetworkError?)
    }

    /// The way that `GATEWAY_GRANT` names; `nil` for grants without a person.
    package var signInKind: SignInKind? {
        credential?.signIn.map { $0.kind == .authorizationCode ? .browser : .device }
    }

    /// The sign-in by a browser on this machine; `nil` if `GATEWAY_GRANT` is a grant without a person.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` if the issuer's metadata is not available, or the authorization endpoint is
    ///   not known.
    public func authorizationCode() async throws(NetworkError) -> AuthorizationCode? {
        guard let signIn = credential?.signIn else { return nil }
        do { return try await signIn.authorizationCode() } catch { throw naming(error) }
    }

    /// The sign-in by another device; `nil` if `GATEWAY_GRANT` is a grant without a person.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` if the issuer's metadata is not available.
    public func deviceAuthorization() async throws(NetworkError) -> DeviceAuthorization? {
        guard let signIn = credential?.signIn else { return nil }
        do { return try await signIn.deviceAuthorization() } catch { throw naming(error) }
    }

    /// Signs out the person whose tokens are in `GATEWAY_TOKEN_STORE`: deletes the grant there, removes the responses that
    /// `GATEWAY_CACHE` has stored for the account, and then revokes the grant at the server (RFC 7009). A server that cannot be
    /// reached does not keep anybody signed in here. Calls of the environment's engines and clients fail with the code `signedOut`
    /// from then on, until somebody signs in. Responses that an earlier sign-out has left are removed, too.
    ///
    /// - Parameter deadline: when the server's response must be there, and the responses removed.
    /// - Returns: what was done; `nil` if `GATEWAY_GRANT` is a grant without a person.
    /// - Throws: ``GatewayCore/NetworkError`` if the store cannot be read or written; the grant is not revoked then.
    public func signOut(deadline: Deadline) async throws(NetworkError) -> SignOutResult? {
        guard let credential, let signIn = credential.signIn, let store = credential.store, let tokens else {
            return nil
        }
        let responses: HTTPCache? = if let cache, case .store = cache { cache.make() } else { nil }
        let ended = try await tokens.coordinator.endLogin(credential.key)
        let left = await responses?.removeAll(ofEnded: ended?.accounts ?? EndedAccounts([]))
        let result = await revoke(ended?.grant, by: signIn, deadline: deadline)
        // After the revocation, whose time it must not take: other processes may use the store for long.
        if let left, let responses, await !responses.waitUntilRemoved(deadline: deadline) {
            guard case .revocationFailed(let error) = result else {
                return .responsesLeft(left, revocation: nil)
            }
            return .responsesLeft(left, revocation: error)
        }
        if let logins = ended?.logins, !logins.isEmpty, responses != nil {
            // Otherwise the next sign-out removes them once more.
            try? await store.forgetEndedLogins(logins, of: credential.key, deadline: deadline)
        }
        return result
    }

    /// Removes the responses that ended logins have left in a cache of `GATEWAY_CACHE`, and lets the store of tokens forget them: a
    /// program that ends soon waits for that. A store of tokens that cannot be read is left to the next program.
    ///
    /// - Parameters:
    ///   - responses: the cache.
    ///   - deadline: when the responses must be removed.
    /// - Returns: why something is left; `nil` if nothing is.
    package func finishEndedLogins(in responses: HTTPCache, deadline: Deadline) async -> CacheStoreError? {
        guard let credential, let store = credential.store, case .store = cache,
            let ended = try? await store.endedLogins(of: credential.key)
        else { return nil }
        if let left = await responses.removeAll(ofEnded: ended.accounts),
            await !responses.waitUntilRemoved(deadline: deadline)
        {
            return left
        }
        try? await store.forgetEndedLogins(ended.logins, of: credential.key, deadline: deadline)
        return nil
    }

    private func revoke(
        _ grant: TokenGrant?, by signIn: EnvironmentSignIn, deadline: Deadline
    ) async -> SignOutResult {
        guard let grant else { return .notSignedIn }
        do throws(NetworkError) {
            let endpoint = try await signIn.client.endpoint(deadline: deadline).endpoint
            guard endpoint.canRevoke else { return .notRevocable }
            try await endpoint.revoke(grant, deadline: deadline)
            return .revoked
        } catch { return .revocationFailed(naming(error)) }
    }
}
