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
/// A record that is damaged, or that was lost as far as this process or ``RedisConfiguration/witnessDirectory`` can tell,
/// reads as ``GatewayAuth/StoredToken/Content/lost``.
///
/// All calls to the server are made on a thread of the store's own, one by one. Locks are renewed there too, so that
/// they are kept however busy the threads of Swift's pool are.
public final class RedisTokenStore: TokenStore {
    /// The longest first pause between two attempts at a lock; doubled up to ``longestPause``. Pauses are random.
    private static let pause: Duration = .milliseconds(5)
    private static let longestPause: Duration = .milliseconds(100)
    /// Longer, a holder that died would keep the key for good.
    private static let longestLifetime: Duration = .seconds(86_400)

    private let configuration: RedisConfiguration
    private let clock: any GatewayClock
    private let random: any RandomSource
    private let witness: TokenWitness?
    let server: RedisServer

    /// Names a store. Nobody is connected to yet.
    ///
    /// - Parameters:
    ///   - configuration: where the server is.
    ///   - clock: what deadlines, pauses and the lifetimes of locks are counted on.
    ///   - random: where the names of lock owners come from; they must not be guessed.
    public convenience init(
        _ configuration: RedisConfiguration = RedisConfiguration(), clock: any GatewayClock = SystemClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.init(configuration, clock: clock, random: random, server: RedisServer(configuration))
    }

    init(
        _ configuration: RedisConfiguration, clock: any GatewayClock,
        random: any RandomSource = SystemRandomSource(), server: RedisServer
    ) {
        self.configuration = configuration
        self.clock = clock
        self.random = random
        witness = configuration.witnessDirectory.map { TokenWitness(directory: $0) }
        self.server = server
    }

    private func place(_ key: TokenKey) -> String { configuration.prefix + key.digest }

    private func admit() throws(NetworkError) {
        guard configuration.isLocal || configuration.allowsPlaintextNetwork else {
            throw NetworkError(
                .insecureOrigin,
                "Tokens are not sent to Redis on another machine without TLS: use a tunnel, or set allowsPlaintextNetwork where the network is protected."
            )
        }
    }

    /// What the server holds.
    private struct Found {
        /// The text that is compared when a record is stored.
        var generation = Array("0".utf8)
        var record = FoundRecord.absent
    }

    private func find(_ key: TokenKey) async throws(NetworkError) -> Found {
        switch try await server.evaluate(RedisScripts.load, place(key), []) {
        case .null: return Found()
        case .bytes(let bytes): return try Self.read(bytes, for: key)
        default: throw .storeFailed("Redis sent an unexpected reply.")
        }
    }

    /// Reads an answer of ``RedisScripts/load``. A record whose generation is not the one beside it is damaged.
    private static func read(_ bytes: [UInt8], for key: TokenKey) throws(NetworkError) -> Found {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let length = Int(String(decoding: bytes[..<colon], as: UTF8.self)),
            0...(bytes.count - colon - 1) ~= length
        else { throw .storeFailed("Redis sent an unexpected reply.") }
        let text = Array(bytes[(colon + 1)...].prefix(length))
        let number = UInt64(String(decoding: text, as: UTF8.self)) ?? 0
        let generation = number <= StoredToken.lastGeneration ? number : 0
        do {
            let record = try StoredToken.read(Array(bytes[(colon + 1)...].dropFirst(length)), for: key)
            return Found(
                generation: text,
                record: record.generation == generation ? .whole(record) : .torn(generation: generation))
        } catch {
            guard error == .torn else {
                throw .storeFailed("The stored token record belongs to another key.")
            }
            return Found(generation: text, record: .torn(generation: generation))
        }
    }

    /// The record of a key, or a note that it was lost; `nil` where there is none, and none is remembered.
    public func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? {
        try admit()
        // The mark comes first: a record that is stored meanwhile is newer than it.
        let mark = try await witness?.mark(of: key)
        return TokenMark.resolve(try await find(key).record, mark, for: key)
    }

    /// Stores a record in place of another, if that is still there.
    public func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool {
        try admit()
        let bytes = try record.storable()
        let mark = try await witness?.mark(of: key)
        let found = try await find(key)
        // It was stored before, and the answer was lost.
        if found.record == .whole(record) { return true }
        guard (TokenMark.resolve(found.record, mark, for: key)?.generation ?? 0) == generation else {
            return false
        }
        let arguments = [found.generation, Array(String(record.generation).utf8), bytes]
        guard try await server.evaluate(RedisScripts.store, place(key), arguments) == .integer(1) else {
            return false
        }
        // The record is there, whatever becomes of its mark; the next request waits for one.
        try? await witness?.note(record, of: key)
        return true
    }

    /// Waits until nobody else, on any machine, holds the key, and holds it.
    public func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        try admit()
        let owner = String(random.next(), radix: 16) + "-" + String(random.next(), radix: 16)
        let lifetime = min(max(configuration.lockLifetime, .milliseconds(1)), Self.longestLifetime)
        let lock = RedisLock(
            place: place(key) + ":lock", owner: owner, lifetime: lifetime, server: server, clock: clock)
        var pause = Self.pause
        while true {
            if try await lock.attempt() {
                return RedisKeyLock(lock, of: key, in: self)
            }
            let now = clock.now
            guard !deadline.hasPassed(at: now) else { throw .storeIsBusy }
            do {
                // Replicas that wait together do not all come back together.
                let spread = pause * (0.5 + FastRandomSource().unit() / 2)
                try await clock.sleep(until: min(now + spread, deadline.instant))
            } catch {
                throw .lockCancelled
            }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Makes sure that the witness, if there is one, can be written.
    func prepareWitness(of key: TokenKey) async throws(NetworkError) {
        guard let witness else { return }
        if case .whole(let record) = try await find(key).record {
            try await witness.note(record, of: key)
        } else {
            try await witness.note(nil, of: key)
        }
    }
}
