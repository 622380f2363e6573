import GatewayAuth
import GatewayCore
import TestTiers
import Testing
import TokenProbing

@testable import GatewayRedis

/// Real processes that share a store in Redis. In the gate locks live for a minute, and the tests end them; in real time
/// they live for 1.2 s.
@Suite(
    .timeLimit(.minutes(3)), .serialized, .tags(.concurrent),
    .enabled(if: TestRedis.port != nil, "scripts/test.sh starts Redis"))
struct RedisProcessTests {
    private static let lifetime = Duration.seconds(60)

    private let prefix = TestRedis.freshPrefix()

    private var scenarios: TokenProcessScenarios {
        let place = prefix + TokenKey.default.digest + ":lock"
        let server = RedisServer(TestRedis.configuration(prefix: prefix))
        let run: @Sendable ([String]) async throws -> RedisReply = { words in
            try await server.run { connection throws(NetworkError) in
                try connection.run(words.map { Array($0.utf8) })
            }
        }
        let lock = TokenProcessScenarios.LockControl(lifetime: Self.lifetime) {
            guard case .integer(let left) = try await run(["PTTL", place]), left >= 0 else { return nil }
            return .milliseconds(left)
        } end: {
            _ = try await run(["DEL", place])
        }
        return TokenProcessScenarios(
            store: "redis:\(TestRedis.port ?? 0)/\(prefix)/60000", waits: .none(lock))
    }

    private var scenariosInRealTime: TokenProcessScenarios {
        TokenProcessScenarios(store: "redis:\(TestRedis.port ?? 0)/\(prefix)/1200", waits: .real)
    }

    @Test func manyProcessesMakeOneRequest() async throws {
        #expect(try await scenarios.oneRequest(processes: 6) == [])
    }

    @Test(.waits("two processes are started for each step"), arguments: TokenProcessScenarios.steps)
    func aProcessThatIsKilledLeavesAWholeRecord(step: String, hasStored: Bool) async throws {
        #expect(try await scenarios.killed(at: step, hasStored: hasStored, rotating: false) == [])
    }

    @Test(arguments: TokenProcessScenarios.spentSteps)
    func aSpentRefreshTokenIsATypedErrorAfterAKill(step: String) async throws {
        #expect(try await scenarios.killed(at: step, hasStored: false, rotating: true) == [])
    }

    @Test func aStoppedHolderKeepsItsLockAndUsesItsAnswer() async throws {
        #expect(try await scenarios.stoppedHolder() == [])
    }

    @Test func descriptorsAtTheirLimitCauseNoRequest() async throws {
        #expect(try await scenarios.descriptorsAtTheirLimit(storeIsOpenedEachTime: false) == [])
    }

    @Test func aSlowHolderIsNeverEvictedAndADeadOneIs() async throws {
        #expect(try await scenarios.slowHolder() == [])
    }

    /// A process that was stopped has lost its lock without its knowledge; what it writes then is refused.
    @Test func aLateWriterIsRefused() async throws {
        #expect(try await scenarios.lateWriter() == [])
    }

    // MARK: Real time

    @Test(.realTime("locks end by themselves"), arguments: ["locked", "prepared", "granted", "stored"])
    func theLockOfAKilledProcessEndsByItself(step: String) async throws {
        let hasStored = step == "stored"
        #expect(
            try await scenariosInRealTime.killed(at: step, hasStored: hasStored, rotating: false) == [])
    }

    @Test(.realTime("a process is stopped for longer than its request may take"))
    func aHolderThatIsStoppedForLongKeepsItsLock() async throws {
        #expect(try await scenariosInRealTime.stoppedHolder() == [])
    }

    @Test(.realTime("a holder outlives several lifetimes of its lock"))
    func aSlowHolderOutlivesSeveralLifetimes() async throws {
        #expect(try await scenariosInRealTime.slowHolder() == [])
    }

    @Test(.realTime("a lock ends by itself")) func aLateWriterLearnsThatItsLockHasEnded() async throws {
        #expect(try await scenariosInRealTime.lateWriter() == [])
    }
}
