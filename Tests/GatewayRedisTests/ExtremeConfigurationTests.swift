import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayRedis

/// Whatever times are configured, a store works, or says that it cannot be reached.
@Suite(.timeLimit(.minutes(1))) struct ExtremeConfigurationTests {
    private let key = TokenKey(client: "extreme")

    /// Port 1 of this machine, where nobody listens.
    @Test(arguments: ExtremeValues.durations)
    func noTimeoutTraps(duration: Duration) async {
        var configuration = RedisConfiguration()
        configuration.port = 1
        configuration.connectTimeout = duration
        configuration.commandTimeout = duration
        configuration.lockLifetime = duration
        configuration.database = .min
        let store = RedisTokenStore(configuration)
        let deadline = Deadline.after(duration)
        await #expect(throws: NetworkError.self) { try await store.load(key) }
        await #expect(throws: NetworkError.self) { try await store.lock(key, deadline: deadline) }
    }

    @Test(
        .enabled(if: TestRedis.port != nil, "scripts/test.sh starts Redis"),
        arguments: ExtremeValues.durations)
    func aLockLivesFromAMillisecondToADay(duration: Duration) async throws {
        var configuration = TestRedis.configuration(prefix: TestRedis.freshPrefix())
        configuration.lockLifetime = duration
        if duration > .seconds(1) {
            configuration.connectTimeout = duration
            configuration.commandTimeout = duration
        }
        let store = RedisTokenStore(configuration)
        let lock = try await store.lock(key, deadline: .after(.seconds(10)))
        let server = RedisServer(configuration)
        let place = configuration.prefix + key.digest + ":lock"
        let reply = try await server.run { connection throws(NetworkError) in
            try connection.run([Array("PTTL".utf8), Array(place.utf8)])
        }
        guard case .integer(let left) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(duration > .seconds(1) ? left > 86_000_000 && left <= 86_400_000 : left <= 1)
        await lock.release()
    }
}
