import TestTiers
import Testing
import TokenProbing

/// Real processes that share a store in files.
@Suite(.timeLimit(.minutes(2)), .serialized, .tags(.concurrent)) struct FileStoreProcessTests {
    private static let steps = TokenProcessScenarios.steps + TokenProcessScenarios.fileSteps
    private static let spentSteps = TokenProcessScenarios.spentSteps + TokenProcessScenarios.spentFileSteps

    private let directory = TemporaryDirectory()

    private func scenarios(_ waits: TokenProcessScenarios.Waits = .none(nil)) -> TokenProcessScenarios {
        TokenProcessScenarios(store: "file:" + directory.path, waits: waits)
    }

    @Test func manyProcessesMakeOneRequest() async throws {
        #expect(try await scenarios().oneRequest(processes: 6) == [])
    }

    @Test(.waits("two processes are started for each step"), arguments: steps)
    func aProcessThatIsKilledLeavesAWholeRecord(step: String, hasStored: Bool) async throws {
        #expect(try await scenarios().killed(at: step, hasStored: hasStored, rotating: false) == [])
    }

    @Test(.waits("two processes are started for each step"), arguments: spentSteps)
    func aSpentRefreshTokenIsATypedErrorAfterAKill(step: String) async throws {
        #expect(try await scenarios().killed(at: step, hasStored: false, rotating: true) == [])
    }

    @Test func aStoppedHolderKeepsItsLockAndUsesItsAnswer() async throws {
        #expect(try await scenarios().stoppedHolder() == [])
    }

    @Test(.realTime("a process is stopped for longer than its request may take"))
    func aHolderThatIsStoppedForLongKeepsItsLock() async throws {
        #expect(try await scenarios(.real).stoppedHolder() == [])
    }

    @Test func descriptorsAtTheirLimitCauseNoRequest() async throws {
        #expect(try await scenarios().descriptorsAtTheirLimit(storeIsOpenedEachTime: true) == [])
    }

    @Test func aSlowHolderIsNeverEvictedAndADeadOneIs() async throws {
        #expect(try await scenarios().slowHolder() == [])
    }
}
