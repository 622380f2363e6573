import Testing
import TokenProbing

/// Real processes that share a store in Redis. Locks live for 1.2 s, so that a slow holder outlives
/// several, and a busy machine takes none from it.
@Suite(
    .timeLimit(.minutes(3)), .serialized, .enabled(if: TestRedis.port != nil, "scripts/test.sh starts Redis"))
struct RedisProcessTests {
    private let store = "redis:\(TestRedis.port ?? 0)/\(TestRedis.freshPrefix())/1200"

    private var scenarios: TokenProcessScenarios { TokenProcessScenarios(store: store) }

    @Test func manyProcessesMakeOneRequest() async throws {
        #expect(try await scenarios.oneRequest(processes: 6) == [])
    }

    @Test(arguments: TokenProcessScenarios.steps)
    func aProcessThatIsKilledLeavesAWholeRecord(step: String, hasStored: Bool) async throws {
        #expect(try await scenarios.killed(at: step, hasStored: hasStored, rotating: false) == [])
    }

    @Test(arguments: TokenProcessScenarios.steps)
    func aSpentRefreshTokenIsATypedErrorAfterAKill(step: String, hasStored: Bool) async throws {
        #expect(try await scenarios.killed(at: step, hasStored: hasStored, rotating: true) == [])
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

    /// A process that stood still has lost its lock without its knowledge; what it writes then is refused.
    @Test func aLateWriterIsRefused() async throws {
        #expect(try await scenarios.lateWriter() == [])
    }
}
