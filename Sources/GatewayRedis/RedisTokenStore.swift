public import GatewayAuth
public import GatewayCore

/// A store in Redis, for replicas on any number of machines.
///
/// ```swift
/// var redis = RedisConfiguration()
/// redis.password = Secret(password)
/// let coordinator = TokenRefreshCoordinator(acquirer: acquirer, store: RedisTokenStore(redis))
/// ```
/// Two entries per key, named after the SHA-256 of the key: the record with its generation, and while somebody refreshes
/// the lock. A lock is `SET NX PX` with a random owner; its holder renews it for as long as its process runs, only its
/// owner ends it, and of a holder that died it ends after ``RedisConfiguration/lockLifetime``, or where that had sent a
/// refresh token and not stored the answer, at the end of ``GatewayAuth/TokenRefreshPolicy/exchangeTimeout``. A lock that its holder
/// believes to have, after a long standstill say, is no way to overwrite: each write names the generation that it
/// replaces, and the server compares.
///
/// All calls to the server are made on a thread of the store's own, one by one. Locks are renewed there too, so that
/// they are kept however busy the threads of Swift's pool are.
public final class RedisTokenStore: TokenStore {
    /// The first pause between two attempts at a lock; doubled up to ``longestPause``.
    private static let pause: Duration = .milliseconds(5)
    private static let longestPause: Duration = .milliseconds(100)

    private let configuration: RedisConfiguration
    private let clock: any GatewayClock
    private let random: any RandomSource
    let server: RedisServer

    /// Names a store. Nobody is connected to yet.
    ///
    /// - Parameters:
    ///   - configuration: where the server is.
    ///   - clock: what deadlines, pauses and the lifetimes of locks are counted on.
    ///   - random: where the names of lock owners come from; they must not be guessed.
    public init(
        _ configuration: RedisConfiguration = RedisConfiguration(), clock: any GatewayClock = SystemClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.configuration = configuration
        self.clock = clock
        self.random = random
        server = RedisServer(configuration)
    }

    private func place(_ key: TokenKey) -> String { configuration.prefix + key.digest }

    private func admit() throws(NetworkError) {
        guard configuration.isLocal || configuration.allowsPlaintextNetwork else {
            throw NetworkError(
                .insecureOrigin,
                "Redis elsewhere would get tokens without TLS: use a tunnel, or allow it where the way is protected."
            )
        }
    }

    /// The record of a key; `nil` where there is none.
    public func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? {
        try admit()
        let place = Array(place(key).utf8)
        let reply = try await server.run { connection throws(NetworkError) in
            try connection.run([Array("HGET".utf8), place, Array("record".utf8)])
        }
        switch reply {
        case .null: return nil
        case .bytes(let bytes): return try StoredToken(bytes, for: key)
        default: throw .storeFailed("Redis gave an answer that was not expected.")
        }
    }

    /// Stores a record in place of another, if that is still there.
    public func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool {
        try admit()
        let bytes = record.encoded()
        guard bytes.count <= StoredToken.maximumBytes else {
            throw .storeFailed("The token is too large to be stored.")
        }
        let arguments = [Array(String(generation).utf8), Array(String(record.generation).utf8), bytes]
        return try await server.evaluate(RedisScripts.store, place(key), arguments) == .integer(1)
    }

    /// Waits until nobody else, on any machine, holds the key, and holds it.
    public func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        try admit()
        let owner = String(random.next(), radix: 16) + "-" + String(random.next(), radix: 16)
        let lock = RedisLock(
            place: place(key) + ":lock", owner: owner, lifetime: configuration.lockLifetime, server: server,
            clock: clock)
        var pause = Self.pause
        while true {
            if try await lock.attempt() { return lock }
            let now = clock.now
            guard !deadline.hasPassed(at: now) else { throw .storeIsBusy }
            do {
                try await clock.sleep(until: min(now + pause, deadline.instant))
            } catch {
                throw .lockCancelled
            }
            pause = min(pause * 2, Self.longestPause)
        }
    }
}
