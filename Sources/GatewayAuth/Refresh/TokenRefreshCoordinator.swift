public import GatewayCore

/// Keeps the tokens of any number of keys, and renews each once for all who need it.
///
/// ```swift
/// let coordinator = TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint, client: client))
/// let lease = try await coordinator.token()
/// // … the gateway answers 401:
/// let next = try await coordinator.rejected(lease)   // one refresh, however many ask
/// ```
/// - One refresh per key is under way at a time. It belongs to nobody: whoever waits may be cancelled or run out of
///   time alone, and the refresh goes on even when nobody waits any more.
/// - Tokens have generations. Who was rejected with an older one gets the newest without a refresh.
/// - A refresh that takes longer than ``TokenRefreshPolicy/timeout`` fails those who wait. A request that may have spent
///   a refresh token goes on all the same, until ``TokenRefreshPolicy/exchangeTimeout``: its answer is stored and used
///   whenever it comes, and until then nobody sends that refresh token.
/// - A token is renewed in the background before it ends; see ``TokenRefreshPolicy``.
/// - A failed refresh fails all who wait with the same error. One that may pass is followed by a short pause, one
///   that may not (`invalid_grant`) lasts until ``signIn(_:with:account:)``.
/// - ``signOut(_:)`` ends an epoch: nothing of it is used later, not even a token that arrives afterwards.
///
/// **With a store** tokens outlive the process, and processes that share the store renew them once for all. A refresh
/// looks into the store, locks the key, looks again, and uses what another process has put there meanwhile; else it
/// asks the acquirer, stores the new refresh token, and only then gives out the new access token. When storing fails,
/// the token is given out all the same, since the old refresh token is spent; storing is tried again, with pauses,
/// until it succeeds, and meanwhile the key stays locked. When the lock cannot be had or the store not be read, nobody
/// is asked, and the refresh fails in passing with the code `tokenStoreFailed`. When a record that existed was lost, its
/// refresh token may have been replaced since: nobody is asked, and the code is `reauthenticationRequired` until
/// ``signIn(_:with:account:)``.
///
/// A sign-out or sign-in by one process ends the epoch in the others when they next look into the store: at their
/// next refresh, and after a failure that lasts at most once in ``TokenRefreshPolicy/longestBackoff``.
public final class TokenRefreshCoordinator: Sendable {
    private struct Entry {
        let slot: TokenSlot
        var lastUse: UInt64
        var isPinned: Bool
    }

    private struct Directory {
        var entries: [TokenKey: Entry] = [:]
        var uses: UInt64 = 0

        /// The slot of a key, and notes its use.
        mutating func use(_ key: TokenKey, pinned: Bool) -> TokenSlot? {
            uses += 1
            guard entries[key] != nil else { return nil }
            entries[key]?.lastUse = uses
            if pinned { entries[key]?.isPinned = true }
            return entries[key]?.slot
        }
    }

    private let environment: TokenEnvironment
    private let account: @Sendable (TokenKey) -> String?
    private let directory = Locked(Directory())

    /// Makes a coordinator.
    ///
    /// - Parameters:
    ///   - acquirer: gets the tokens.
    ///   - store: keeps what tokens are renewed with; `nil` for nowhere but here.
    ///   - policy: when tokens are renewed.
    ///   - clock: where time comes from.
    ///   - random: where jitter comes from.
    ///   - onEvent: receives events; must not block. Events hold no secret.
    ///   - account: names the account of a key, in each process the same one, until somebody signs in or out
    ///     (``signIn(_:with:account:)``): accounts of two issuers or tenants need two names. `nil` and an empty name mean none. A durable store identifies accounts itself; then
    ///     the name is not used. See ``GatewayCore/CredentialIdentity/account``.
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
            onEvent: onEvent)
    }

    /// Makes a coordinator for a provider of a single token. See ``ProviderAcquirer``.
    ///
    /// It takes no store: a provider keeps its own state and is asked for its current token first, so that what
    /// another process has stored would stand against what the provider says, and nobody could tell which is newer.
    /// Who wants tokens to be shared by processes writes a ``TokenAcquirer``, or shares them in the provider.
    ///
    /// - Parameters:
    ///   - provider: gives the token.
    ///   - policy: when it is renewed.
    ///   - clock: the source of time.
    ///   - random: the source of jitter.
    ///   - onEvent: receives events; must not block. Events hold no secret.
    ///   - account: the name of the token's account, in each process the same one; `nil` for none. See
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

    /// Passes events to the sink of an engine that uses the tokens, for as long as the engine lives.
    package func report(to outlet: EventOutlet) {
        environment.observers.add(outlet)
        for slot in directory.withLock({ $0.entries.values.map(\.slot) }) { slot.finishEndedLogins() }
    }

    // MARK: Tokens

    /// The newest token of a key; gets one where none is at hand.
    ///
    /// - Parameters:
    ///   - key: which token.
    ///   - generation: the oldest generation that will do; 0 for any.
    ///   - deadline: when this caller stops waiting. The refresh goes on without it.
    /// - Throws: ``GatewayCore/NetworkError`` of category `authentication`, or with the code `timeout` or
    ///   `cancelled`.
    public func token(
        for key: TokenKey = .default, atLeast generation: UInt64 = 0, deadline: Deadline? = nil
    ) async throws(NetworkError) -> TokenLease {
        try await lease(key, atLeast: generation, epoch: nil, deadline: deadline)
    }

    /// A newer token than one that was not accepted: at once, without any I/O, where it has been renewed since; else
    /// by a refresh that all share who were rejected with it.
    ///
    /// - Throws: as ``token(for:atLeast:deadline:)``; the code `signedOut` where somebody has signed in or out since
    ///   the lease was given.
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

    /// Forgets the token of a key and what it could be renewed with. Who waits, and who calls before
    /// ``signIn(_:with:account:)``, gets the code `signedOut`; a refresh under way comes to nothing, and what it brings later is
    /// taken back at its issuer, where the acquirer can.
    ///
    /// - Parameters:
    ///   - key: which token.
    ///   - isRevoking: whether the grant that is forgotten is taken back at its issuer as well (RFC 7009), where the
    ///     acquirer can. It is done once, as well as it can be, after this has returned.
    public func signOut(_ key: TokenKey = .default, revoking isRevoking: Bool = false) {
        slot(for: key).signOut(epoch: nextEpoch(), revoking: isRevoking)
    }

    /// Begins anew: after a sign-out, after a failure that lasts, or for another person. A login that it replaces ends as by
    /// ``signOut(_:revoking:)``, but for one whose account has the same name.
    ///
    /// - Parameters:
    ///   - key: which token.
    ///   - grant: what signing in has brought; `nil` where the acquirer knows all it needs.
    ///   - account: the name of the account that signs in, in each process the same one; `nil` for none. A durable store
    ///     identifies the login itself.
    public func signIn(
        _ key: TokenKey = .default, with grant: TokenGrant? = nil, account: String? = nil
    ) {
        slot(for: key).signIn(
            grant, epoch: nextEpoch(), account: CredentialIdentity.account(named: account))
    }

    /// Waits until the store holds what was signed in or out, or granted, so far, and until a single-use request that is
    /// under way (``TokenAcquirer/isSingleUse(after:)``) has ended and its grant is stored. Returns at once without a
    /// store.
    ///
    /// A program that is about to end calls it, so that neither a sign-out nor the answer to a refresh is lost with it.
    /// When a process ends during a single-use request the outcome is unknown: the next one sends the refresh token that
    /// the store still holds, and has to sign in again where the server has spent it.
    ///
    /// - Parameters:
    ///   - key: which token.
    ///   - deadline: when to stop waiting; `nil` for as long as it takes, which is a little more than
    ///     ``TokenRefreshPolicy/exchangeTimeout`` for a request. The request and the attempts to store go on.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `timeout` when the deadline passes, `cancelled` when the task
    ///   is cancelled; else why the store could not be written, after the attempt that is under way. It is tried again,
    ///   for as long as the coordinator lives.
    public func waitUntilStored(
        _ key: TokenKey = .default, deadline: Deadline? = nil
    ) async throws(NetworkError) {
        try await slot(for: key).waitUntilStored(deadline: deadline)
    }

    private func nextEpoch() -> UInt64 { TokenEnvironment.nextEpoch() }

    // MARK: Keys

    /// How many keys are kept.
    public var keyCount: Int { directory.withLock { $0.entries.count } }

    /// The slot of a key, made where there is none.
    ///
    /// - Parameter pinned: whether the slot is to stay for ever: engines keep theirs at hand.
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

    /// Drops the key that costs least to lose, and among those the one that was used longest ago. Nothing is
    /// dropped while all are busy.
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
