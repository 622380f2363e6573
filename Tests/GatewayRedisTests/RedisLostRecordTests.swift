import Foundation
import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing
import TokenProbing

@testable import GatewayRedis

/// Records that the server lost or damaged.
extension RedisTokenStoreTests {
    /// Whatever stands there, a process that starts later learns that a record was lost, and a sign-in mends it.
    @Test(
        arguments: [
            ("4", "{", 4), ("4", "", 4), ("18446744073709551615", "", 1), ("18446744073709551614", "", 1),
            ("1e3", "", 1), ("", "", 1), ("-1", "", 1), ("4 5", "", 1), ("\u{FFFD}", "", 1),
        ] as [(String, String, UInt64)])
    func whatIsNoRecordIsALostOne(field: String, text: String, generation: UInt64) async throws {
        let store = store()
        let place = prefix + key.digest
        _ = try await run("HSET", place, "generation", field, "record", text)
        let found = try await store.load(key)
        #expect(found?.content == .lost)
        #expect(found?.generation == generation)
        #expect(!(try await store.store(record(9), for: key, replacing: 0)))
        #expect(try await store.store(record(9), for: key, replacing: generation))
        #expect(try await store.load(key) == record(9))
        _ = try await run("HDEL", place, "generation")
        #expect(try await store.load(key)?.content == .lost)
        _ = try await run("DEL", place)
        #expect(try await store.load(key) == nil)
    }

    /// The number in the record and the number that is compared are one.
    @Test func aRecordUnderAnotherGenerationIsALostOne() async throws {
        let store = store()
        #expect(try await store.store(record(9), for: key, replacing: 0))
        _ = try await run("HSET", prefix + key.digest, "generation", "4")
        #expect(try await store.load(key)?.content == .lost)
        #expect(try await store.load(key)?.generation == 4)
    }

    /// Counts the requests, and replaces no refresh token of its own accord.
    private final class CountingAcquirer: TokenAcquirer {
        let used = Locked<[String]>([])
        func acquire(_ request: TokenRequest) async throws -> TokenGrant {
            let token = request.previous?.refreshToken?.exposed ?? "r0"
            let count = used.withLock { used in
                used.append(token)
                return used.count
            }
            return TokenGrant(
                accessToken: Secret("a\(count)"), expiresIn: .seconds(3600), refreshToken: Secret("r\(count)")
            )
        }
    }

    private func token(
        _ acquirer: CountingAcquirer, _ store: RedisTokenStore
    ) async -> Result<TokenLease, NetworkError> {
        var policy = TokenRefreshPolicy()
        policy.outagePatience = .zero
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, store: store, policy: policy)
        do { return .success(try await coordinator.token(for: key)) } catch { return .failure(error) }
    }

    /// The server has lost its data, and nobody runs who knew it: the directory on this machine tells.
    @Test func aWitnessRemembersWhatTheServerLost() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "gateway-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        let witnessed = { @Sendable (change: inout RedisConfiguration) in
            change.witnessDirectory = directory.path
        }
        let acquirer = CountingAcquirer()
        let first = try await token(acquirer, store(witnessed)).get()
        #expect(first.accessToken == Secret("a1"))
        // A second process adopts it.
        #expect(try await token(acquirer, store(witnessed)).get().accessToken == Secret("a1"))
        _ = try await run("DEL", prefix + key.digest)
        for _ in 0..<2 {
            let later = await token(acquirer, store(witnessed))
            #expect(throws: NetworkError.self) { try later.get() }
            if case .failure(let error) = later { #expect(error.code == .reauthenticationRequired) }
        }
        #expect(acquirer.used.withLock { $0 } == ["r0"])
        // Signing in mends it.
        let mender = TokenRefreshCoordinator(acquirer: acquirer, store: store(witnessed))
        mender.signIn(key, with: TokenGrant(accessToken: Secret("new"), refreshToken: Secret("rn")))
        try await mender.waitUntilStored(key)
        #expect(try await token(acquirer, store(witnessed)).get().accessToken == Secret("new"))
        #expect(try await token(acquirer, store()).get().accessToken == Secret("new"))
        #expect(acquirer.used.withLock { $0 } == ["r0"])
        // And nothing in the directory is a secret.
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let text = try String(contentsOf: directory.appending(path: name), encoding: .utf8)
            for secret in ["a1", "r0", "r1", "new"] { #expect(!text.contains(secret)) }
        }
    }

    /// A client's own token can be asked for again at any time.
    @Test func withoutARefreshTokenNothingIsLost() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "gateway-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = store { $0.witnessDirectory = directory.path }
        #expect(try await store.store(record(3), for: key, replacing: 0))
        _ = try await run("DEL", prefix + key.digest)
        let found = try await store.load(key)
        #expect(found == StoredToken(key: key, generation: 3, login: 7, content: .signedIn))
        #expect(try await store.store(record(4), for: key, replacing: 3))
        #expect(try await store.load(key) == record(4))
    }

    @Test func aWitnessThatCannotBeWrittenIsNoticedBeforeTheRequest() async throws {
        let acquirer = CountingAcquirer()
        let result = await token(acquirer, store { $0.witnessDirectory = "/proc/no-such-directory" })
        if case .failure(let error) = result { #expect(error.code == .tokenStoreFailed) }
        #expect(throws: NetworkError.self) { try result.get() }
        #expect(acquirer.used.withLock { $0.isEmpty })
    }

    @Test func aStoreWithAWitnessConforms() async {
        let directory = FileManager.default.temporaryDirectory.appending(path: "gateway-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        try? FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let failures = await TokenStoreConformance {
            var configuration = TestRedis.configuration(prefix: TestRedis.freshPrefix())
            configuration.witnessDirectory = directory.appending(path: UUID().uuidString).path
            return [RedisTokenStore(configuration), RedisTokenStore(configuration)]
        }.failures()
        #expect(failures == [])
    }

    /// The lock went with the data: the server is asked right before the request.
    @Test func aLockThatTheServerForgotIsNoLock() async throws {
        let lock = try await store().lock(key, deadline: .after(.seconds(60)))
        try await lock.prepare(until: nil)
        _ = try await run("DEL", prefix + key.digest + ":lock")
        let refusal = await code { () throws(NetworkError) in try await lock.prepare(until: nil) }
        #expect(refusal == .tokenStoreFailed)
        await lock.release()
    }

    /// A server without memory refuses the lock, so that no refresh token is sent. It is a server of the test's own.
    @Test(.enabled(if: RedisProcess.executable != nil, "scripts/test.sh installs redis-server"))
    func aServerWithoutMemoryRefusesTheLock() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "gateway-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let full = try RedisProcess(
            directory: directory.path, options: "--maxmemory 1 --maxmemory-policy noeviction")
        defer { full.stop() }
        let store = store { $0.port = full.port }
        try #require(
            await isEventually {
                await code { () throws(NetworkError) in
                    try await store.server.run { connection throws(NetworkError) in
                        try connection.run([Array("PING".utf8)])
                    }
                } == nil
            })
        let acquirer = CountingAcquirer()
        let refused = await token(acquirer, store)
        let lock = await code { () throws(NetworkError) in
            try await store.lock(key, deadline: .after(.seconds(60)))
        }
        if case .failure(let error) = refused { #expect(error.code == .tokenStoreFailed) }
        #expect(throws: NetworkError.self) { try refused.get() }
        #expect(lock == .tokenStoreFailed)
        #expect(acquirer.used.withLock { $0.isEmpty })
        _ = try await store.server.run { connection throws(NetworkError) in
            try connection.run(["CONFIG", "SET", "maxmemory", "0"].map { Array($0.utf8) })
        }
        #expect(try await token(acquirer, store).get().accessToken == Secret("a1"))
    }
}
