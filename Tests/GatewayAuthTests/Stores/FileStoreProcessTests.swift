import Testing
import TokenProbing

/// Real processes that share a store in files.
@Suite(.timeLimit(.minutes(2)), .serialized) struct FileStoreProcessTests {
    private let directory = TemporaryDirectory()

    private var scenarios: TokenProcessScenarios { TokenProcessScenarios(store: "file:" + directory.path) }

    @Test func manyProcessesMakeOneRequest() async throws {
        #expect(try await scenarios.oneRequest(processes: 6) == [])
    }

    @Test(arguments: TokenProcessScenarios.steps + TokenProcessScenarios.fileSteps)
    func aProcessThatIsKilledLeavesAWholeRecord(step: String, hasStored: Bool) async throws {
        #expect(try await scenarios.killed(at: step, hasStored: hasStored, rotating: false) == [])
    }

    @Test(arguments: TokenProcessScenarios.steps + TokenProcessScenarios.fileSteps)
    func aSpentRefreshTokenIsATypedErrorAfterAKill(step: String, hasStored: Bool) async throws {
        #expect(try await scenarios.killed(at: step, hasStored: hasStored, rotating: true) == [])
    }

    @Test func aStoppedHolderKeepsItsLockAndUsesItsAnswer() async throws {
        #expect(try await scenarios.stoppedHolder() == [])
    }

    @Test func descriptorsAtTheirLimitCauseNoRequest() async throws {
        #expect(try await scenarios.descriptorsAtTheirLimit(storeIsOpenedEachTime: true) == [])
    }

    @Test func aSlowHolderIsNeverEvictedAndADeadOneIs() async throws {
        #expect(try await scenarios.slowHolder() == [])
    }
}
