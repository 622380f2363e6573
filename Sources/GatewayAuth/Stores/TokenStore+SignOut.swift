package import GatewayCore

/// The login that a sign-out has ended in a store.
package struct EndedLogin: Sendable {
    /// The replaced grant, to be revoked; `nil` if there was none.
    package let grant: TokenGrant?
    /// The logins whose responses may remain, including those of earlier sign-outs.
    package let logins: [UInt64]
    /// Their accounts.
    package let accounts: EndedAccounts
    /// The sign-out in the store; `nil` if the store has no record.
    var record: StoredToken?
}

extension TokenStore {
    /// Replaces the record of a key by a sign-out, which ends the login in every process that shares the store.
    ///
    /// It takes no lock: a concurrent refresh of another process discards its grant. A durable store lists the login
    /// until its responses are removed (``forgetEndedLogins(_:of:deadline:)``).
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - random: the source of this sign-out's login identifier.
    /// - Returns: the ended login; `nil` if there was never a sign-in.
    /// - Throws: ``GatewayCore/NetworkError`` if the store cannot be read or written.
    package func signOut(
        _ key: TokenKey, random: some RandomSource = SystemRandomSource()
    ) async throws(NetworkError) -> EndedLogin? {
        let login = random.next()
        var refused: StoredToken?
        while let found = try await load(key) {
            guard found.content != .signedOut else {
                return EndedLogin(
                    grant: nil, logins: found.endedLogins, accounts: found.endedAccounts(of: key),
                    record: found)
            }
            guard found != refused else { throw .storeRefuses }
            let record = StoredToken(
                key: key,
                generation: StoredToken.generation(
                    after: found.generation, gap: found.content == .lost ? StoredToken.lossGap : 0),
                login: login, content: .signedOut,
                endedLogins: found.endedLogins(ending: isDurable))
            if try await store(record, for: key, replacing: found.generation) {
                let grant = found.grant.map {
                    TokenGrant(
                        accessToken: $0.accessToken, refreshToken: $0.refreshToken, scopes: $0.scopes,
                        type: $0.type)
                }
                return EndedLogin(
                    grant: grant, logins: record.endedLogins, accounts: record.endedAccounts(of: key),
                    record: record)
            }
            refused = found
        }
        return nil
    }

    /// The ended logins of a key whose responses may remain; `nil` if there are none.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` if the store cannot be read.
    package func endedLogins(of key: TokenKey) async throws(NetworkError) -> EndedLogin? {
        guard let found = try await load(key), !found.endedLogins.isEmpty else { return nil }
        return EndedLogin(grant: nil, logins: found.endedLogins, accounts: found.endedAccounts(of: key))
    }

    /// Deletes ended logins from the record, after their responses were removed.
    ///
    /// It locks the key. Why: otherwise a refresh in progress would find another generation than it has read.
    ///
    /// - Parameter deadline: when to stop waiting for the key.
    /// - Throws: ``GatewayCore/NetworkError`` if the key cannot be locked, or the store not be read or written.
    package func forgetEndedLogins(
        _ logins: [UInt64], of key: TokenKey, deadline: Deadline
    ) async throws(NetworkError) {
        let lock = try await lock(key, deadline: deadline)
        do throws(NetworkError) { try await forget(logins, of: key) } catch {
            await lock.release()
            throw error
        }
        await lock.release()
    }

    private func forget(_ logins: [UInt64], of key: TokenKey) async throws(NetworkError) {
        var refused: StoredToken?
        while let found = try await load(key), let record = found.forgetting(logins) {
            guard found != refused else { throw .storeRefuses }
            if try await store(record, for: key, replacing: found.generation) { return }
            refused = found
        }
    }
}
