import Foundation
import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayRedis

/// The coordinator of this process, and the commands that it takes.
final class Probe: Sendable {
    struct Unusable: Error {}

    private let store: any TokenStore
    private let stop: StopAt
    private let coordinator: TokenRefreshCoordinator
    private let lease = Locked<TokenLease?>(nil)
    private let lock = Locked<(any TokenStoreLock)?>(nil)
    private let key = TokenKey.default
    /// In a storm: what calls the API.
    private let caller: Caller?

    init(environment: [String: String]) throws {
        guard let place = environment["PROBE_STORE"], let endpoint = environment["PROBE_ENDPOINT"],
            let client = environment["PROBE_CLIENT"], let secret = environment["PROBE_SECRET"]
        else { throw Unusable() }
        let stop = StopAt()
        self.stop = stop
        let isTraced = environment["PROBE_API"] != nil
        let shared = try Self.store(place, stop, witness: environment["PROBE_WITNESS"])
        store = isTraced ? TracingStore(store: shared) : SteppingStore(shared, stop)
        let transport = CurlTransport()
        let acquirer = RefreshTokenGrant(
            endpoint: try TokenEndpoint(
                endpoint, client: .basic(clientID: client, secret: Secret(secret)),
                transport: isTraced ? TracingTransport(transport: transport) : transport),
            initial: environment["PROBE_REFRESH"].map { Secret($0) })
        let coordinator = TokenRefreshCoordinator(
            acquirer: SteppingAcquirer(acquirer, stop), store: store,
            policy: Self.policy(environment["PROBE_LIMITS"])
        ) { event in
            let line = "event \(String("\(event.kind)".prefix { $0 != "(" }))"
            if isTraced { Trace.step(line) } else { say(line) }
        }
        self.coordinator = coordinator
        caller = try environment["PROBE_API"].map { try Caller(url: $0, coordinator: coordinator) }
    }

    /// `TIMEOUT/EXCHANGE/PATIENCE` in milliseconds.
    private static func policy(_ limits: String?) -> TokenRefreshPolicy {
        var policy = TokenRefreshPolicy()
        // A failure is told at once: what follows it is the test's to say.
        policy.outagePatience = .zero
        let numbers = limits?.split(separator: "/").compactMap { Int($0) } ?? []
        if numbers.count == 3 {
            policy.timeout = .milliseconds(numbers[0])
            policy.exchangeTimeout = .milliseconds(numbers[1])
            policy.outagePatience = .milliseconds(numbers[2])
        }
        // Failures are part of the tests, and waited for in them.
        policy.initialBackoff = .milliseconds(20)
        policy.longestBackoff = .milliseconds(200)
        return policy
    }

    private static func store(
        _ place: String, _ stop: StopAt, witness: String?
    ) throws -> any TokenStore {
        let parts = place.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw Unusable() }
        if parts[0] == "file" {
            return FileTokenStore(directory: parts[1], clock: SystemClock()) {
                stop.block("file-" + $0.rawValue)
            }
        }
        // redis:PORT/PREFIX/LIFETIME[/LIMIT]
        let words = parts[1].split(separator: "/").map(String.init)
        guard words.count >= 3, let port = UInt16(words[0]), let lifetime = Int(words[2]) else {
            throw Unusable()
        }
        var configuration = RedisConfiguration()
        configuration.port = port
        configuration.prefix = words[1]
        configuration.lockLifetime = .milliseconds(lifetime)
        if let limit = words.dropFirst(3).first.flatMap(Int.init) {
            configuration.commandTimeout = .milliseconds(limit)
        }
        configuration.witnessDirectory = witness
        return RedisTokenStore(configuration)
    }

    func run(_ command: String) {
        Task.detached { [self] in
            do {
                say(try await answer(command))
            } catch let error as NetworkError {
                say("error \(error.code)")
            } catch {
                say("error \(type(of: error))")
            }
        }
    }

    private func answer(_ command: String) async throws -> String {
        Descriptors.fill()
        switch command {
        case "token":
            let token = try await coordinator.token()
            lease.withLock { $0 = token }
            return "token \(Fingerprint.of(token.accessToken))"
        case "reject":
            guard let old = lease.withLock({ $0 }) else { throw Unusable() }
            let token = try await coordinator.rejected(old)
            lease.withLock { $0 = token }
            return "token \(Fingerprint.of(token.accessToken))"
        case "signout":
            coordinator.signOut()
            try await coordinator.waitUntilStored()
            return "stored"
        case "lock":
            let held = try await store.lock(key, deadline: .after(.seconds(60)))
            lock.withLock { $0 = held }
            return "locked"
        case "exhaust":
            // Dispatch opens a file for the first timer of a process and of each clock; if it cannot, that timer never fires,
            // or the process traps.
            let clock = SystemClock()
            try await clock.sleep(until: clock.now + .milliseconds(1))
            try await Task.sleep(until: .now + .milliseconds(1), clock: .suspending)
            try Descriptors.exhaust()
            return "exhausted"
        case "restore":
            try Descriptors.restore()
            return "restored"
        case "retry":
            let token = try await tokenAfterPauses()
            lease.withLock { $0 = token }
            return "token \(Fingerprint.of(token.accessToken))"
        case "held": return lock.withLock { $0 }?.isHeld == true ? "yes" : "no"
        case "unlock":
            await lock.withLock { lock in
                defer { lock = nil }
                return lock
            }?.release()
            return "unlocked"
        case "steal":
            // A late writer, who believes to hold the lock and to know the record.
            let record = StoredToken(key: key, generation: 2, login: 1, content: .signedIn)
            return try await store.store(record, for: key, replacing: 1) ? "written" : "refused"
        case "call":
            await caller?.run()
            return "idle"
        case "end":
            caller?.end()
            return "ending"
        case "limit-files":
            FileSizes.limit(to: 80)
            return "exhausted"
        case "restore-files":
            FileSizes.restore()
            return "restored"
        default: return try await answer(command.split(separator: " ").map(String.init))
        }
    }

    /// - `try-lock MILLISECONDS`: locks the key, or gives up after that time.
    /// - `stop-at STEP`: the next refresh stops there.
    /// - `signin ACCESS REFRESH SECONDS`: somebody has signed in.
    private func answer(_ words: [String]) async throws -> String {
        switch (words.first, words.count) {
        case ("try-lock", 2):
            guard let limit = Int(words[1]) else { throw Unusable() }
            let held = try await store.lock(key, deadline: .after(.milliseconds(limit)))
            await held.release()
            return "locked"
        case ("stop-at", 2):
            (store as? SteppingStore)?.begin()
            stop.arm(words[1])
            return "armed"
        case ("signin", 4): return try await signIn(words)
        default: throw Unusable()
        }
    }

    private func signIn(_ words: [String]) async throws -> String {
        guard let lifetime = Int(words[3]) else { throw Unusable() }
        let grant = TokenGrant(
            accessToken: Secret(words[1]), expiresIn: .seconds(lifetime), refreshToken: Secret(words[2]))
        coordinator.signIn(with: grant)
        try await coordinator.waitUntilStored()
        return "signed-in"
    }
}

extension Probe {
    /// A token that follows the last one, after the pauses that failures ask for.
    private func tokenAfterPauses() async throws -> TokenLease {
        let clock = SystemClock()
        for _ in 0..<20 {
            do throws(NetworkError) {
                guard let old = lease.withLock({ $0 }) else { return try await coordinator.token() }
                return try await coordinator.rejected(old)
            } catch {
                guard let pause = error.retryAfter else { throw error }
                try await clock.sleep(until: clock.now + pause)
            }
        }
        throw Unusable()
    }
}

/// The limit of open files.
enum Descriptors {
    private static let isExhausted = Locked(false)

    /// Lets no further file be opened.
    static func exhaust() throws {
        let free = open("/dev/null", O_RDONLY)
        guard free >= 0 else { throw Probe.Unusable() }
        close(free)
        try set { $0.rlim_cur = rlim_t(free) }
        isExhausted.withLock { $0 = true }
        fill()
    }

    /// Takes the descriptors below the limit that were closed since.
    static func fill() {
        guard isExhausted.withLock({ $0 }) else { return }
        while open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 {}
    }

    /// Lets as many be opened as the system allows.
    static func restore() throws {
        isExhausted.withLock { $0 = false }
        try set { $0.rlim_cur = $0.rlim_max }
    }

    private static func set(_ change: (inout rlimit) -> Void) throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { throw Probe.Unusable() }
        change(&limit)
        guard setrlimit(resource, &limit) == 0 else { throw Probe.Unusable() }
    }
}

/// A text that tells tokens apart and is none.
enum Fingerprint {
    static func of(_ secret: Secret) -> String { TokenKey(subject: secret.exposed).digest }
}
