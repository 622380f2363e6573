public import GatewayCore

/// Caches one token per key and refreshes each token once for all callers.
///
/// ```swift
/// let coordinator = TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint, client: client))
/// let lease = try await coordinator.token()
/// // … the gateway answers 401:
/// let next = try await coordinator.rejected(lease)   // one refresh, however many ask
/// ```
/// - At most one refresh per key is in progress. It does not belong to a caller: cancelling a waiting caller, or
///   reaching its deadline, ends only that caller's wait.
/// - Tokens have generations. A caller whose older token was rejected gets the newest one without a refresh.
/// - A refresh that takes longer than ``TokenRefreshPolicy/timeout`` fails for the waiting callers. A request that may
///   have used a refresh token continues until ``TokenRefreshPolicy/exchangeTimeout``: its response is stored and used
///   when it arrives, and until then that refresh token is not sent again.
/// - A token is refreshed in the background before it expires; see ``TokenRefreshPolicy``.
/// - A failed refresh fails all waiting callers with the same error. After a temporary failure the coordinator backs
///   off; a permanent one (`invalid_grant`) lasts until ``signIn(_:with:account:)``.
/// - ``signOut(_:)`` ends an epoch: its tokens are not used later, including a token that arrives afterwards.
///
/// **With a store** tokens outlive the process, and processes that share the store share each refresh. A refresh reads
/// the store, locks the key, reads again, and uses a newer token that another process has stored. Otherwise it calls
/// the acquirer, stores the new refresh token, and then returns the new access token. If storing fails, the token is
/// still returned, because the old refresh token is already used; storing is retried with backoff until it succeeds,
/// and the key stays locked until then. If the key cannot be locked or the store cannot be read, the acquirer is not
/// called, and the refresh fails temporarily with the code `tokenStoreFailed`. If a record was lost, its refresh token
/// may have been replaced: the acquirer is not called, and the code is `reauthenticationRequired` until
/// ``signIn(_:with:account:)``.
///
/// A sign-out or sign-in by one process ends the epoch in the others when they next read the store: at their next
/// refresh, and after a permanent failure at most once per ``TokenRefreshPolicy/longestBackoff``.
public final class TokenRefreshCoordinator: Sendable {
    private struct Entry {
        let slot: TokenSlot
        var lastUse: UInt64
        var isPinned: Bool
    }

    private struct Directory {
        var entries: [TokenKey: Entry] = [:]
        var uses: UInt64 = 0

        /// Returns the slot of a key and records its use.
        mutating func use(_ key: TokenKey, pinned: Bool) -> TokenSlot? {
            uses += 1
            guard entries[key] != nil else { return nil }
            entries[key]?.lastUse = uses
            if pinned { entries[key]?.isPinned = true }
            return entries[key]?.slot
        }
    }

    private let environment: TokenEnvironment
    /// When tokens are refreshed.
    package var policy: TokenRefreshPolicy { environment.policy }
    private let account: @Sendable (TokenKey) -> String?
    private let directory = Locked(Directory())
    /// The credentials whose keys a warm-up settles.
    let late = Locked<[Late]>([])

    /// Creates a coordinator.
    ///
    /// - Parameters:
    ///   - acquirer: obtains the tokens.
    ///   - store: stores the refresh tokens; `nil` for memory only.
    ///   - policy: when tokens are refreshed. If it is not valid, each request for a token fails with the error of
    ///     ``TokenRefreshPolicy/validate()``, and nothing is sent.
    ///   - clock: the source of time.
    ///   - random: the source of jitter.
    ///   - onEvent: receives events; must not block. Events hold no secret.
    ///   - account: returns the account name of a key, the same in each process, used until the next sign-in or
    ///     sign-out (``signIn(_:with:account:)``). Accounts of different issuers or tenants need different names. `nil`
    ///     and an empty name mean none. A durable store identifies accounts itself; then the name is not used. See
    ///     ``GatewayCore/CredentialIdentity/account``.
    public init(
        acquirer: any TokenAcquirer, store: (any TokenStore)? = nil,
        policy: TokenRefreshPolicy = TokenRefreshPolicy(),
        clock: any GatewayClock = SystemClock(), random: any RandomSource = SystemRandomSource(),
        onEvent: (@Sendable (TokenEvent) -> Void)? = nil,
        account: @escaping @Sendable (TokenKey) -> String? = { _ in nil }
    ) {
        self.account = account
        environment = TokenEnvironment(
            acquirer: acquirer, binding: acquirer.binding, store: store, policy: policy, clock: clock,
            random: random,
            onEvent: onEvent,
            // Other clocks are those of tests, which make many coordinators.
            census: clock is SystemClock ? .process : LoginCensus())
    }

    /// Creates a coordinator in an environment.
    init(_ environment: TokenEnvironment) {
        account = { _ in nil }
        self.environment = environment
    }

    /// Creates a coordinator for a provider of a single token. See ``ProviderAcquirer``.
    ///
    /// It has no store. Why: a provider keeps its own state and returns its current token first; if a store held a
    /// different token, it would be unknown which is newer. To share tokens between processes, implement a
    /// ``TokenAcquirer`` or share them in the provider.
    ///
    /// - Parameters:
    ///   - provider: returns the token.
    ///   - policy: when the token is refreshed. If it is not valid, each request for a token fails, and the provider is
    ///     not called.
    ///   - clock: the source of time.
    ///   - random: the source of jitter.
    ///   - onEvent: receives events; must not block. Events hold no secret.
    ///   - account: the account name of the token, the same in each process; `nil` for none. See
    ///     ``GatewayCore/CredentialIdentity/account``.
    public convenience init(
        provider: any TokenProvider, policy: TokenRefreshPolicy = TokenRefreshPolicy(),
        clock: any GatewayClock = SystemClock(), random: any RandomSource = SystemRandomSource(),
        onEvent: (@Sendable (TokenEvent) -> Void)? = nil, account: String? = nil
    ) {
        self.init(
            acquirer: ProviderAcquirer(provider, clock: clock), policy: policy, clock: clock,
            random: random, onEvent: onEvent, account: { _ in account })
    }

    /// Passes events to the sink of an engine that uses the tokens, until the engine is released.
    package func report(to outlet: EventOutlet) {
        environment.observers.add(outlet)
        for slot in directory.withLock({ $0.entries.values.map(\.slot) }) { slot.finishEndedLogins() }
    }

    // MARK: Tokens

    /// Returns the newest token of a key; obtains one if there is none.
    ///
    /// - Parameters:
    ///   - key: the key of the token.
    ///   - generation: the minimum generation; 0 for any.
    ///   - deadline: when this caller stops waiting. The refresh continues.
    /// - Throws: ``GatewayCore/NetworkError`` of category `authentication`, or with the code `timeout`, `cancelled`, or
    ///   `misconfigured` if the policy is not valid.
    public func token(
        for key: TokenKey = .default, atLeast generation: UInt64 = 0, deadline: Deadline? = nil
    ) async throws(NetworkError) -> TokenLease {
        try await lease(key, atLeast: generation, epoch: nil, deadline: deadline)
    }

    /// Returns a newer token than a rejected one: immediately and without I/O if it has been refreshed since, otherwise
    /// after a refresh that all callers with the rejected token share.
    ///
    /// - Throws: as ``token(for:atLeast:deadline:)``; the code `signedOut` if a sign-in or sign-out has happened since
    ///   the lease was returned.
    public func rejected(
        _ lease: TokenLease, deadline: Deadline? = nil
    ) async throws(NetworkError) -> TokenLease {
        slot(for: lease.key).reject(lease.generation, epoch: lease.epoch)
        return try await self.lease(
            lease.key, atLeast: lease.generation + 1, epoch: lease.epoch, deadline: deadline)
    }

    private func lease(
        _ key: TokenKey, atLeast generation: UInt64, epoch: UInt64?, deadline: Deadline?
    ) async throws(NetworkError) -> TokenLease {
        while true {
            let lease = try await slot(for: key).token(
                atLeast: generation, epoch: epoch, deadline: deadline)
            if let lease { return lease }
        }
    }

    // MARK: Epochs

    /// The identity of a key's current login.
    public func identity(for key: TokenKey = .default) -> CredentialIdentity {
        let slot = slot(for: key)
        return slot.identity(epoch: slot.epoch)
    }

    /// Deletes the access and refresh token of a key. Waiting callers, and all callers until
    /// ``signIn(_:with:account:)``, get the code `signedOut`. The result of a refresh in progress is not used; a grant
    /// that it returns later is revoked at its issuer if the acquirer supports that.
    ///
    /// - Parameters:
    ///   - key: the key of the token.
    ///   - isRevoking: whether the deleted grant is also revoked at its issuer (RFC 7009), if the acquirer supports
    ///     that. The revocation runs once, in the background, best effort.
    public func signOut(_ key: TokenKey = .default, revoking isRevoking: Bool = false) {
        slot(for: key).signOut(epoch: nextEpoch(), revoking: isRevoking)
    }

    /// Signs out in the store first, as ``TokenStore/signOut(_:random:)`` does, then here as ``signOut(_:revoking:)``: for a
    /// caller that needs the ended grant, and the error of the store. If the store fails, nobody is signed out.
    ///
    /// - Returns: the ended login; `nil` if there was none in the store and here, or without a store.
    /// - Throws: ``GatewayCore/NetworkError`` if the store cannot be read or written.
    package func endLogin(_ key: TokenKey) async throws(NetworkError) -> EndedLogin? {
        guard let store = environment.store else { return nil }
        let slot = slot(for: key)
        let epoch = slot.epoch
        let ended = try await store.signOut(key)
        let grant = slot.signOut(of: epoch, by: ended?.record)
        if ended == nil, let grant {
            return EndedLogin(grant: grant, logins: [], accounts: EndedAccounts([]))
        }
        return ended
    }

    /// Begins a new epoch: after a sign-out, after a permanent failure, or for another user. A login that it replaces
    /// ends as by ``signOut(_:revoking:)``, unless its account has the same name.
    ///
    /// - Parameters:
    ///   - key: the key of the token.
    ///   - grant: the grant of the sign-in; `nil` if the acquirer needs none.
    ///   - account: the account name, the same in each process; `nil` for none. A durable store identifies the login
    ///     itself.
    public func signIn(
        _ key: TokenKey = .default, with grant: TokenGrant? = nil, account: String? = nil
    ) {
        slot(for: key).signIn(
            grant, epoch: nextEpoch(), account: CredentialIdentity.account(named: account))
    }

    /// Waits until the store contains all sign-ins, sign-outs and grants so far, and until a single-use request in
    /// progress (``TokenAcquirer/isSingleUse(after:)``) has ended and its grant is stored. Returns immediately if there
    /// is no store.
    ///
    /// Call it before the process exits, so that no sign-out and no refresh response is lost. If a process exits during
    /// a single-use request, the outcome is unknown: the next process sends the refresh token in the store, and a new
    /// sign-in is required if the server has already invalidated it.
    ///
    /// - Parameters:
    ///   - key: the key of the token.
    ///   - deadline: when to stop waiting; `nil` for no limit. A request takes at most a little longer than
    ///     ``TokenRefreshPolicy/exchangeTimeout``. The request and the attempts to store continue after the deadline.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `timeout` when the deadline passes, `cancelled` when the
    ///   task is cancelled; otherwise the error of the store, after the current attempt. Attempts continue until the
    ///   coordinator is released.
    public func waitUntilStored(
        _ key: TokenKey = .default, deadline: Deadline? = nil
    ) async throws(NetworkError) {
        try await slot(for: key).waitUntilStored(deadline: deadline)
    }

    private func nextEpoch() -> UInt64 { TokenEnvironment.nextEpoch() }

    // MARK: Keys

    /// The number of keys.
    public var keyCount: Int { directory.withLock { $0.entries.count } }

    /// Which slots are meant.
    enum Selection {
        case all
        /// Those that engines and clients hold.
        case pinned
    }

    /// The slots, in no particular order. They are not used by this.
    func slots(_ selection: Selection) -> [TokenSlot] {
        directory.withLock { directory in
            directory.entries.values.filter { selection == .all || $0.isPinned }.map(\.slot)
        }
    }

    /// The slot of a key, created if there is none.
    ///
    /// - Parameter pinned: whether the slot is never evicted, because an engine holds it.
    func slot(for key: TokenKey, pinned: Bool = false) -> TokenSlot {
        if let slot = directory.withLock({ $0.use(key, pinned: pinned) }) { return slot }
        let account = CredentialIdentity.account(named: account(key))
        let slot = directory.withLock { directory in
            if let slot = directory.use(key, pinned: pinned) { return slot }
            if directory.entries.count >= max(1, environment.policy.maximumKeys) { evict(from: &directory) }
            let slot = TokenSlot(
                key: key, epoch: nextEpoch(), environment: environment, account: account)
            directory.entries[key] = Entry(slot: slot, lastUse: directory.uses, isPinned: pinned)
            return slot
        }
        slot.finishEndedLogins()
        return slot
    }

    /// Evicts the key that is cheapest to lose; among equal ones, the least recently used. Evicts nothing while all are
    /// busy.
    private func evict(from directory: inout Directory) {
        var best: (key: TokenKey, weight: Int, lastUse: UInt64)?
        for (key, entry) in directory.entries where !entry.isPinned {
            guard let weight = entry.slot.weight else { continue }
            if let best, (best.weight, best.lastUse) < (weight, entry.lastUse) { continue }
            best = (key, weight, entry.lastUse)
        }
        guard let best, directory.entries[best.key]?.slot.retire() == true else { return }
        directory.entries[best.key] = nil
    }
}
