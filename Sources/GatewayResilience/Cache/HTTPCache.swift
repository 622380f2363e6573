public import GatewayCore
import Synchronization

/// A private HTTP cache (RFC 9111, RFC 5861, RFC 8246): a store and a policy.
///
/// ```swift
/// var configuration = GatewayConfiguration()
/// configuration.cache = HTTPCache(store: MemoryCacheStore(byteLimit: 64 << 20))
/// ```
/// Several engines may share a cache if servers see them as the same client: with the same client
/// certificate, `User-Agent` and accepted codings. An engine with another client certificate needs a cache
/// with another ``certificate`` name.
public final class HTTPCache: Sendable {
    /// The store of the responses.
    public let store: any CacheStore
    /// What is stored, and how long it may be used.
    public let policy: CachePolicy
    /// The name of the engine's client certificate, part of the partition of stored responses; `nil` for
    /// none.
    public let certificate: String?

    let decision: CacheDecision
    /// The store, if it never waits.
    let memory: MemoryCacheStore?
    /// Limits the time that calls wait for the store.
    let patience: StorePatience
    /// The source of the jitter of retry delays.
    let random: any RandomSource
    /// The sinks of the engines that use the cache.
    let outlets = EventOutlets()
    let state = Locked(State())
    /// The address of the last credential that was followed: a check without a lock for most calls.
    private let followed = Atomic(0)
    /// Whether there are removals that the store has not confirmed: a check without a lock.
    private let hasUnconfirmed = Atomic(false)

    struct State {
        /// The stored responses that are validated in the background.
        var validated: Set<CachedHead.ID> = []
        /// Removals that the store has not confirmed.
        var unconfirmed = UnconfirmedChanges()
        /// The sink for coordinators that no engine is configured with.
        var outlet: EventOutlet?
        /// Sources of ended logins, from coordinators that still exist.
        var keepers: [Keeper] = []
        /// The last credential that was followed. Only keeps its address from being reused.
        var followed: Followed?
        /// The last login that has ended, which several reports may name.
        var ended: (login: CredentialIdentity, instant: ContinuousClock.Instant)?
    }

    struct Keeper {
        weak var value: (any EndedLoginKeeping)?
    }

    /// A credential that may be released. Why it is not weak: a weak reference would slow down each use of
    /// the object.
    struct Followed {
        unowned let credentials: any CredentialSource
    }

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - store: the store of the responses.
    ///   - policy: the limits of storing and of using stored responses.
    ///   - certificate: the name of the engine's client certificate; `nil` for none. It is written to
    ///     durable stores.
    ///   - clock: the clock of ``CachePolicy/storeLimit`` and of retry delays of removals.
    ///   - random: the source of the jitter of these delays.
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

    /// Removes the responses of a credential's account when its login ends, for the lifetime of the cache;
    /// and those of logins that, according to its token store, have ended in other processes.
    ///
    /// Engines follow the credentials of their configuration, and the credentials of each call from the
    /// first call on. An application that passes credentials with calls (`RequestContext.credentials`)
    /// follows them at startup, so that a sign-out before the first call removes what earlier processes have
    /// stored:
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
            // Stored before the last one is released, because its address may then be reused for another
            // object.
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

    /// Records the end of a login; returns `false` if it is already known.
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
