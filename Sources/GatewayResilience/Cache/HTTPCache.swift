public import GatewayCore
import Synchronization

/// A private HTTP cache (RFC 9111, RFC 5861, RFC 8246): a store and a policy.
///
/// ```swift
/// var configuration = GatewayConfiguration()
/// configuration.cache = HTTPCache(store: MemoryCacheStore(byteLimit: 64 << 20))
/// ```
/// Several engines may share a cache, if servers see them as the same client: with the same client certificate,
/// `User-Agent` and accepted codings. An engine with another client certificate needs another name for it.
public final class HTTPCache: Sendable {
    /// Where responses are kept.
    public let store: any CacheStore
    /// What is stored, and how long it may be used.
    public let policy: CachePolicy
    /// The name of the client certificate that the engine shows, by which stored responses are kept apart.
    public let certificate: String?

    let decision: CacheDecision
    /// The store, if it never waits.
    let memory: MemoryCacheStore?
    /// Limits the time that calls wait for the store.
    let patience: StorePatience
    /// Spreads the pauses after which a removal is tried again.
    let random: any RandomSource
    /// The sinks of the engines that use the cache.
    let outlets = EventOutlets()
    let state = Locked(State())
    /// The address of the last credential that was followed: most calls take no lock.
    private let followed = Atomic(0)
    /// Whether there are removals that the store has not confirmed: the same.
    private let hasUnconfirmed = Atomic(false)

    struct State {
        /// The stored responses that are validated in the background.
        var validated: Set<CachedHead.ID> = []
        /// Removals that the store has not confirmed.
        var unconfirmed = UnconfirmedChanges()
        /// What coordinators that no engine is configured with report to.
        var outlet: EventOutlet?
        /// What knows ended logins, from coordinators that still exist.
        var keepers: [Keeper] = []
        /// The last credential that was followed. It is never used, and no other object gets its address.
        var followed: Followed?
        /// The last login that has ended: it is told by each of its reports.
        var ended: (login: CredentialIdentity, instant: ContinuousClock.Instant)?
    }

    struct Keeper {
        weak var value: (any EndedLoginKeeping)?
    }

    /// A credential that may be gone. Why it is not weak: that would make each use of it by others slower.
    struct Followed {
        unowned let credentials: any CredentialSource
    }

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - store: where responses are kept.
    ///   - policy: what is stored, and how long it may be used.
    ///   - certificate: the name of the client certificate that the engine shows; `nil` for none. It is written to durable
    ///     stores.
    ///   - clock: counts ``CachePolicy/storeLimit`` and the pauses after which a removal is tried again.
    ///   - random: the source of the jitter of these pauses.
    public init(
        store: any CacheStore = MemoryCacheStore(), policy: CachePolicy = CachePolicy(),
        certificate: String? = nil, clock: any GatewayClock = SystemClock(),
        random: any RandomSource = FastRandomSource()
    ) {
        self.store = store
        self.policy = policy
        self.certificate = certificate
        decision = CacheDecision(policy: policy)
        memory = store as? MemoryCacheStore
        patience = StorePatience(clock: clock)
        self.random = random
    }

    // MARK: Logins

    /// Removes the responses of a credential's account when its login ends, from now on for as long as the cache lives; and those of
    /// logins that have ended in its token store, in processes that could not remove them.
    ///
    /// Engines follow the credentials that they are configured with, and those of calls from the first call on. An application whose
    /// credentials come with calls (`RequestContext.credentials`) follows them at its start, so that a sign-out before the first
    /// call removes what earlier processes have stored:
    /// ```swift
    /// cache.follow(coordinator.credentials(origins: []))
    /// ```
    /// Following a credential again does nothing.
    public func follow(_ credentials: any CredentialSource) {
        let address = Int(bitPattern: ObjectIdentifier(credentials))
        guard followed.load(ordering: .acquiring) != address else { return }
        startFollowing(credentials, address)
    }

    @inline(never)
    private func startFollowing(_ credentials: any CredentialSource, _ address: Int) {
        let outlet = state.withLock { state -> EventOutlet? in
            // Stored before the last one is let go, whose address may then be that of another object.
            guard followed.exchange(address, ordering: .acquiringAndReleasing) != address else { return nil }
            state.followed = Followed(credentials: credentials)
            let outlet = state.outlet ?? EventOutlet(CacheSignOutSink(cache: self, sink: nil))
            state.outlet = outlet
            return outlet
        }
        if let outlet { (credentials as? any EventReporting)?.report(to: outlet) }
    }

    /// Reports removals that fail to the sink of an engine that uses the cache.
    package func report(to outlet: EventOutlet) { outlets.add(outlet) }

    /// Notes the end of a login; `false` if this end of it is known.
    func notesEnd(of login: CredentialIdentity, at instant: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            if let ended = state.ended, ended.login == login, ended.login.account == login.account,
                ended.instant == instant
            {
                return false
            }
            state.ended = (login, instant)
            return true
        }
    }

    // MARK: Removals

    /// Whether stored responses of a key must not be used, since the store has not confirmed their removal.
    func isUnconfirmed(_ key: CacheKey) -> Bool {
        hasUnconfirmed.load(ordering: .acquiring) && state.withLock { $0.unconfirmed.concern(key) }
    }

    /// Reads or changes the removals that the store has not confirmed.
    func withUnconfirmed<Result: Sendable>(_ body: (inout UnconfirmedChanges) -> Result) -> Result {
        state.withLock { state in
            defer { hasUnconfirmed.store(!state.unconfirmed.isEmpty, ordering: .releasing) }
            return body(&state.unconfirmed)
        }
    }

    // MARK: Keys

    /// The key of a request.
    ///
    /// - Parameter identity: the credential that the engine stamps.
    func key(of request: HTTPRequest, _ identity: CredentialIdentity?) -> CacheKey {
        CacheKey(
            partition: partition(of: request, identity), origin: request.origin, target: request.target)
    }

    private func partition(of request: HTTPRequest, _ identity: CredentialIdentity?) -> CachePartition {
        let fields = decision.selection.credentials(of: request.fields)
        guard let identity else {
            return fields.isEmpty && certificate == nil
                ? .anonymous : CachePartition(owner: .anonymous, certificate: certificate, fields: fields)
        }
        return CachePartition(
            owner: identity.account.map { .account($0) } ?? .identity(identity), certificate: certificate,
            fields: fields)
    }

    /// Whether the store takes responses of a key.
    func accepts(_ key: CacheKey) -> Bool { !store.isDurable || key.partition.durableName != nil }

    // MARK: Validations in the background

    /// - Returns: whether no other validation of the stored response is in progress.
    func beginValidation(of id: CachedHead.ID) -> Bool { state.withLock { $0.validated.insert(id).inserted } }

    func endValidation(of id: CachedHead.ID) { state.withLock { _ = $0.validated.remove(id) } }

    /// The number of validations in progress in the background.
    var validationCount: Int { state.withLock { $0.validated.count } }
}

extension HTTPCache: Redacted {}
