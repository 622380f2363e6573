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
    /// reached does not keep anybody signed in here.
    ///
    /// - Parameter deadline: when the server's response must be there, and the responses removed.
    /// - Returns: what was done; `nil` if `GATEWAY_GRANT` is a grant without a person.
    /// - Throws: ``GatewayCore/NetworkError`` if the store cannot be read or written; the grant is not revoked then.
    public func signOut(deadline: Deadline) async throws(NetworkError) -> SignOutResult? {
        guard let credential, let signIn = credential.signIn, let store = credential.store else {
            return nil
        }
        let ended = try await store.signOut(credential.key)
        let problem = await removeResponses(of: ended?.account, deadline: deadline)
        guard let grant = ended?.grant else { return Self.result(.notSignedIn, problem) }
        do throws(NetworkError) {
            let endpoint = try await signIn.client.discovered(deadline: deadline).endpoint
            guard endpoint.canRevoke else { return Self.result(.notRevocable, problem) }
            try await endpoint.revoke(grant, deadline: deadline)
            return Self.result(.revoked, problem)
        } catch {
            let error = naming(error)
            return Self.result(.revocationFailed(error), problem, revocation: error)
        }
    }

    private static func result(
        _ result: SignOutResult, _ problem: CacheStoreError?, revocation: NetworkError? = nil
    ) -> SignOutResult {
        guard let problem else { return result }
        return .responsesLeft(problem, revocation: revocation)
    }

    /// Removes what a store that outlives the process has for an account.
    ///
    /// - Returns: why something is left at the deadline.
    private func removeResponses(of account: String?, deadline: Deadline) async -> CacheStoreError? {
        guard let account, let cache, case .store = cache else { return nil }
        let responses = cache.make()
        do throws(CacheStoreError) { try await responses.removeAll(account: account) } catch {
            return await responses.waitUntilRemoved(deadline: deadline) ? nil : error
        }
        return nil
    }
}
