import Foundation
import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayRedis

/// The Redis server that `scripts/test.sh` starts.
enum TestRedis {
    /// Its port on 127.0.0.1.
    static let port = ProcessInfo.processInfo.environment["GATEWAY_TEST_REDIS"]
        .flatMap { UInt16($0.split(separator: ":").last ?? "") }

    static func configuration(prefix: String) -> RedisConfiguration {
        var configuration = RedisConfiguration()
        configuration.port = port ?? 0
        configuration.prefix = prefix
        return configuration
    }

    static func freshPrefix() -> String { "test-\(UUID().uuidString):" }
}

@Suite(
    .timeLimit(.minutes(1)), .tags(.concurrent),
    .enabled(if: TestRedis.port != nil, "scripts/test.sh starts Redis"))
struct RedisTokenStoreTests {
    let prefix = TestRedis.freshPrefix()
    let key = TokenKey(issuer: "https://login.example.com", subject: "s3cr3t-name")

    func store(_ change: (inout RedisConfiguration) -> Void = { _ in }) -> RedisTokenStore {
        var configuration = TestRedis.configuration(prefix: prefix)
        change(&configuration)
        return RedisTokenStore(configuration)
    }

    func record(_ generation: UInt64, _ token: String = "t0k3n") -> StoredToken {
        StoredToken(
            key: key, generation: generation, login: 7,
            content: .granted(.init(accessToken: Secret(token), issuedAt: .seconds(5))))
    }

    func run(_ command: String...) async throws -> RedisReply {
        let server = RedisServer(TestRedis.configuration(prefix: prefix))
        let words = command.map { Array($0.utf8) }
        return try await server.run { connection throws(NetworkError) in try connection.run(words) }
    }

    func code<Value>(_ body: () async throws(NetworkError) -> Value) async -> NetworkError.Code? {
        do throws(NetworkError) { _ = try await body() } catch { return error.code }
        return nil
    }

    @Test func redisConforms() async {
        let failures = await TokenStoreConformance {
            let configuration = TestRedis.configuration(prefix: TestRedis.freshPrefix())
            return [RedisTokenStore(configuration), RedisTokenStore(configuration)]
        }.failures()
        #expect(failures == [])
    }

    @Test func entriesTellNoName() async throws {
        let store = store()
        #expect(try await store.store(record(1), for: key, replacing: 0))
        #expect(try await run("EXISTS", prefix + key.digest) == .integer(1))
        let lock = try await store.lock(key, deadline: .after(.seconds(60)))
        #expect(try await run("EXISTS", prefix + key.digest + ":lock") == .integer(1))
        await lock.release()
        #expect(try await run("EXISTS", prefix + key.digest + ":lock") == .integer(0))
    }

    @Test func aWriteThatRanTwiceSucceeded() async throws {
        let store = store()
        #expect(try await store.store(record(1), for: key, replacing: 0))
        #expect(try await store.store(record(1), for: key, replacing: 0))
        #expect(!(try await store.store(record(1, "other"), for: key, replacing: 0)))
    }

    @Test func onlyTheOwnerEndsALock() async throws {
        let store = store { $0.lockLifetime = .seconds(60) }
        let lock = try await store.lock(key, deadline: .after(.seconds(60)))
        // Somebody else has it by now.
        _ = try await run("SET", prefix + key.digest + ":lock", "somebody", "PX", "60000")
        await lock.release()
        #expect(try await run("GET", prefix + key.digest + ":lock") == .bytes(Array("somebody".utf8)))
    }

    // MARK: Renewal

    /// What a server has to do later, until the test has it done.
    private final class HeldTimer: Sendable {
        private let held = Locked<[(pause: Duration, work: @Sendable () -> Void)]>([])

        func add(_ pause: Duration, _ work: @escaping @Sendable () -> Void) {
            held.withLock { $0.append((pause, work)) }
        }

        var pauses: [Duration] { held.withLock { $0.map(\.pause) } }

        /// The server begins with what is due first.
        func fire() { held.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.work() }
    }

    /// A store on a clock that the test moves, whose locks live for a minute.
    private struct RenewalRig {
        let clock = ManualClock()
        let timer = HeldTimer()
        let store: RedisTokenStore
        let server: RedisServer

        init(prefix: String) {
            var configuration = TestRedis.configuration(prefix: prefix)
            configuration.lockLifetime = .seconds(60)
            server = RedisServer(configuration) { [timer] in timer.add($0, $1) }
            store = RedisTokenStore(configuration, clock: clock, server: server)
        }

        /// Has the next renewal done.
        func renew() async throws {
            timer.fire()
            // Work of the server's thread is done in order.
            _ = try await server.run { _ throws(NetworkError) in .null }
        }
    }

    private var lockPlace: String { prefix + key.digest + ":lock" }

    /// How long the lock lasts at the server, in milliseconds.
    private func timeLeft() async throws -> Int64 {
        guard case .integer(let left) = try await run("PTTL", lockPlace) else { return 0 }
        return left
    }

    @Test func aHolderLearnsThatALockWasLost() async throws {
        let rig = RenewalRig(prefix: prefix)
        let lock = try await rig.store.lock(key, deadline: .after(.seconds(5), clock: rig.clock))
        _ = try await run("SET", lockPlace, "somebody", "PX", "60000")
        #expect(lock.isHeld)
        // By its next renewal, long before the end of its life.
        try await rig.renew()
        #expect(!lock.isHeld && rig.timer.pauses.isEmpty)
        #expect(try await run("GET", lockPlace) == .bytes(Array("somebody".utf8)))
    }

    /// A process that stood still does not believe in its lock afterwards.
    @Test func aLockEndsHereBeforeItEndsThere() async throws {
        let clock = ManualClock()
        let store = RedisTokenStore(TestRedis.configuration(prefix: prefix), clock: clock)
        let lock = try await store.lock(key, deadline: .after(.seconds(5), clock: clock))
        clock.advance(by: .seconds(11))
        #expect(!lock.isHeld)
        await lock.release()
    }

    @Test func aLockIsRenewedForAsLongAsItIsHeld() async throws {
        let rig = RenewalRig(prefix: prefix)
        let clock = rig.clock
        let lock = try await rig.store.lock(key, deadline: .after(.seconds(5), clock: clock))
        // Several lifetimes long nobody else gets it.
        for _ in 0..<10 {
            #expect(rig.timer.pauses == [.seconds(20)])
            clock.advance(by: .seconds(20))
            // So much of its time has passed at the server.
            #expect(try await run("PEXPIRE", lockPlace, "40000") == .integer(1))
            try await rig.renew()
            #expect(lock.isHeld)
            #expect(try await timeLeft() > 40_000)
            let other = await code { () throws(NetworkError) in
                try await store().lock(key, deadline: .after(.zero))
            }
            #expect(other == .tokenStoreFailed)
        }
        await lock.release()
        try await rig.renew()
        #expect(rig.timer.pauses.isEmpty)
        let next = try await store().lock(key, deadline: .after(.seconds(60)))
        await next.release()
    }

    /// After a renewal that failed the next one comes sooner.
    @Test func aRenewalThatFailedIsRepeatedSoon() async throws {
        let rig = RenewalRig(prefix: prefix)
        let lock = try await rig.store.lock(key, deadline: .after(.seconds(5), clock: rig.clock))
        // Something else is there, and the server refuses.
        _ = try await run("DEL", lockPlace)
        _ = try await run("RPUSH", lockPlace, "a list")
        try await rig.renew()
        #expect(rig.timer.pauses == [.seconds(6)] && lock.isHeld)
        await lock.release()
    }

    /// On a clock on which nobody ever wakes: what tasks would see if all threads of the pool were busy.
    @Test func aLockIsRenewedWithoutATask() async throws {
        var configuration = TestRedis.configuration(prefix: prefix)
        configuration.lockLifetime = .milliseconds(900)
        let store = RedisTokenStore(configuration, clock: ManualClock())
        var lock: (any TokenStoreLock)?
        // It gets a lifetime of its own, from which only a renewal takes it back; a lock that has ended by then is no such
        // lock.
        repeat {
            lock = try await store.lock(key, deadline: .after(.seconds(60)))
        } while try await run("PEXPIRE", lockPlace, "600000") != .integer(1)
        var left: Int64 = .max
        #expect(
            await isEventually {
                left = (try? await timeLeft()) ?? .max
                return left <= 900
            }, "\(left)")
        await lock?.release()
    }

    @Test func aLockThatIsForgottenIsLetGo() async throws {
        let store = store { $0.lockLifetime = .seconds(600) }
        _ = try await store.lock(key, deadline: .after(.seconds(60)))
        let next = try await store.lock(key, deadline: .after(.seconds(60)))
        await next.release()
    }

    @Test func aConnectionThatTheServerClosedIsMadeAnew() async throws {
        let store = store()
        #expect(try await store.store(record(1), for: key, replacing: 0))
        for _ in 0..<5 {
            guard
                case .integer(let id) = try await store.server.run({ connection throws(NetworkError) in
                    try connection.run([Array("CLIENT".utf8), Array("ID".utf8)])
                })
            else { return }
            #expect(try await run("CLIENT", "KILL", "ID", String(id)) == .integer(1))
            #expect(try await store.load(key) == record(1))
        }
    }

    @Test func aServerThatIsNotThereIsATransientFailure() async {
        let store = store { $0.port = 1 }
        #expect(await code { () throws(NetworkError) in try await store.load(key) } == .tokenStoreFailed)
        let lock = await code { () throws(NetworkError) in
            try await store.lock(key, deadline: .after(.seconds(1)))
        }
        #expect(lock == .tokenStoreFailed)
    }

    @Test func aServerThatDoesNotAnswerIsATransientFailure() async throws {
        // The system accepts connections in its name, and nobody reads.
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = bind(socket, pointer, length)
                _ = listen(socket, 16)
                _ = getsockname(socket, pointer, &length)
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        let store = store { configuration in
            configuration.port = port
            configuration.commandTimeout = .milliseconds(50)
        }
        #expect(await code { () throws(NetworkError) in try await store.load(key) } == .tokenStoreFailed)
    }

    @Test func aUserIsNamedAndMayOnlyDoWhatIsNeeded() async throws {
        let user = "gateway-\(UUID().uuidString)"
        _ = try await run(
            "ACL", "SETUSER", user, "reset", "on", ">s3cr3t", "~" + prefix + "*", "-@all", "+auth", "+select",
            "+eval", "+hget", "+hset", "+get", "+set", "+del", "+pexpire")
        let named = store { configuration in
            configuration.username = user
            configuration.password = Secret("s3cr3t")
            configuration.database = 0
        }
        #expect(try await named.store(record(1), for: key, replacing: 0))
        #expect(try await named.load(key) == record(1))
        let lock = try await named.lock(key, deadline: .after(.seconds(60)))
        await lock.release()
        let wrong = store { configuration in
            configuration.username = user
            configuration.password = Secret("wr0ng")
        }
        do throws(NetworkError) {
            _ = try await wrong.load(key)
            Issue.record("a wrong password is accepted")
        } catch {
            #expect(error.code == .misconfigured)
            var text = "\(error)" + String(reflecting: error)
            dump(error, to: &text)
            dump(wrong, to: &text)
            #expect(!text.contains("wr0ng"))
        }
        _ = try await run("ACL", "DELUSER", user)
    }

    @Test func whatIsNoEntryOrAnothersIsAnError() async throws {
        let store = store()
        _ = try await run("SET", prefix + key.digest, "text")
        #expect(await code { () throws(NetworkError) in try await store.load(key) } == .tokenStoreFailed)
        _ = try await run("DEL", prefix + key.digest)
        let other = StoredToken(key: .default, generation: 1, login: 0, content: .signedIn)
        _ = try await run(
            "HSET", prefix + key.digest, "generation", "1", "record",
            String(decoding: other.encoded(), as: UTF8.self))
        #expect(await code { () throws(NetworkError) in try await store.load(key) } == .tokenStoreFailed)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero])
    func aLifetimeOfAnyLengthIsNoTrap(lifetime: Duration) async throws {
        let store = store { $0.lockLifetime = lifetime }
        _ = await code { () throws(NetworkError) in
            await (try await store.lock(key, deadline: .after(.seconds(60)))).release()
        }
        #expect(try await store.load(key) == nil)
    }

    @Test(arguments: ["redis.example.com", "10.0.0.1", "127.0.0.1.evil.example", "127.evil"])
    func aServerElsewhereIsRefusedWithoutTLS(host: String) async {
        let store = store { $0.host = host }
        #expect(await code { () throws(NetworkError) in try await store.load(key) } == .insecureOrigin)
        let stored = await code { () throws(NetworkError) in
            try await store.store(record(1), for: key, replacing: 0)
        }
        #expect(stored == .insecureOrigin)
    }
}
