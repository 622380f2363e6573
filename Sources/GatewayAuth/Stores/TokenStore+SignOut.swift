package import GatewayCore

/// The login that a sign-out has ended in a store.
package struct EndedLogin: Sendable {
    /// The grant that was replaced, which is to be revoked; `nil` if there was none.
    package let grant: TokenGrant?
    /// The account of the login, if it outlives the process: what is stored for it is to be removed.
    package let account: String?
}

extension TokenStore {
    /// Replaces the record of a key by a sign-out, which ends the login in every process that shares the store.
    ///
    /// It takes no lock: a refresh in another process is overtaken, and discards its grant.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - random: tells this sign-out from others.
    /// - Returns: the login that has ended; `nil` if nobody was signed in.
    /// - Throws: ``GatewayCore/NetworkError`` if the store cannot be read or written.
    package func signOut(
        _ key: TokenKey, random: some RandomSource = SystemRandomSource()
    ) async throws(NetworkError) -> EndedLogin? {
        let login = random.next()
        var refused: StoredToken?
        while let found = try await load(key), found.content != .signedOut {
            guard found != refused else { throw .storeRefuses }
            let record = StoredToken(
                key: key,
                generation: StoredToken.generation(
                    after: found.generation, gap: found.content == .lost ? StoredToken.lossGap : 0),
                login: login, content: .signedOut)
            if try await store(record, for: key, replacing: found.generation) {
                let grant = found.grant.map {
                    TokenGrant(
                        accessToken: $0.accessToken, refreshToken: $0.refreshToken, scopes: $0.scopes,
                        type: $0.type)
                }
                return EndedLogin(grant: grant, account: isDurable ? found.account(of: key) : nil)
            }
            refused = found
        }
        return nil
    }
}
