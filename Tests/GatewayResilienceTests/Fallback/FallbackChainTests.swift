import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite struct FallbackChainTests {
    private static let timeout = NetworkError(.timeout, "late")
    private static let refused = NetworkError(.invalidURL, "wrong")
    private struct Failure: Error {}

    private func fails(_ error: any Error) -> @Sendable () async throws -> String { { throw error } }

    @Test func theFirstStepIsEnough() async throws {
        let result = try await FallbackChain("live") { "a" }.fallback("stored") {
            Issue.record("a step that is not needed ran")
            return "b"
        }.execute()
        #expect(result.value == "a" && result.step == "live")
        #expect(result.failures.isEmpty && !result.isFallback)
    }

    @Test func theResultSaysWhichStepAnsweredAndWhyTheOthersFailed() async throws {
        let result = try await FallbackChain("live", fails(Self.timeout))
            .fallback("replica", fails(NetworkError(.connectionLost, "gone")))
            .fallback("stored") { "c" }
            .execute()
        #expect(result.value == "c" && result.step == "stored" && result.isFallback)
        #expect(result.failures.map(\.step) == ["live", "replica"])
        #expect(result.failures.map { ($0.error as? NetworkError)?.code } == [.timeout, .connectionLost])
    }

    @Test func aStepWhoseConditionDoesNotMatchIsSkipped() async throws {
        let result = try await FallbackChain("live", fails(Self.refused))
            .fallback("stored") { "b" }
            .fallback("named", when: .codes([.timeout])) { "c" }
            .fallback("last", when: .any) { (error: any Error) in
                "\((error as? NetworkError)?.code.name ?? "-")"
            }
            .execute()
        #expect(result.step == "last" && result.value == "invalid_url")
        #expect(result.failures.map(\.step) == ["live"])
    }

    @Test func aConditionSeesTheErrorOfTheStepThatRanBefore() async throws {
        let result = try await FallbackChain("live", fails(Self.timeout))
            .fallback("replica", fails(Failure()))
            .fallback("stored") { "c" }
            .fallback("custom", when: FallbackCondition { $0 is Failure }) { "d" }
            .execute()
        #expect(result.step == "custom")
    }

    @Test func theLastErrorIsThrown() async {
        await #expect(throws: Failure.self) {
            try await FallbackChain("live", fails(Self.timeout)).fallback("b", fails(Failure())).execute()
        }
        await #expect(throws: NetworkError.self) {
            try await FallbackChain("live", fails(Self.refused)).fallback("b") { "b" }.execute()
        }
    }

    @Test(arguments: [true, false])
    func aCancelledCallIsFinal(asNetworkError isNetworkError: Bool) async {
        let error: any Error =
            isNetworkError ? NetworkError(.cancelled, "The task was cancelled.") : CancellationError()
        let chain = FallbackChain("live", fails(error)).fallback("b", when: .any) {
            Issue.record("a step ran after a cancelled call")
            return "b"
        }
        await #expect(throws: (any Error).self) { try await chain.execute() }
    }

    @Test func aTaskThatIsCancelledRunsNoOtherStep() async {
        let gate = Gate()
        let chain = FallbackChain<String>("live") {
            await gate.pass()
            throw Self.timeout
        }.fallback("b", when: .any) {
            Issue.record("a step ran in a cancelled task")
            return "b"
        }
        let task = Task { try await chain.execute().value }
        await gate.waitForArrivals(1)
        task.cancel()
        gate.open()
        let result = await task.result
        #expect(throws: NetworkError.self) { try result.get() }
    }

    @Test func onlyFinalOutcomesAreSeen() async throws {
        let transport = ScriptedTransport(
            .failure(NetworkError(.connectionRefused, "refused")),
            .failure(NetworkError(.connectionRefused, "refused")), .status(200))
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = ExponentialRetryPolicy(maxRetries: 2, baseDelay: .zero)
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let request = try HTTPRequest(.get, "https://api.example.com/")
        let result = try await FallbackChain("live") { try await engine.send(request).status }
            .fallback("stored") { 0 }
            .execute()
        #expect(result.value == 200 && !result.isFallback)
        #expect(transport.requests.count == 3)
    }

    @Test func descriptionsHaveNoValues() async throws {
        let chain = FallbackChain("live", fails(Self.timeout)).fallback("stored") { "hush" }
        let result = try await chain.execute()
        #expect("\(result)" == "result of stored after live")
        #expect("\(chain)" == "fallback chain: live, stored")
    }
}

@Suite struct FallbackConditionTests {
    private struct Failure: Error {}

    @Test(arguments: [
        NetworkError.Code.timeout, .connectionLost, .connectionRefused, .circuitOpen, .noConnection, .closed,
        .notCached,
    ])
    func unavailableServicesAreReplaced(code: NetworkError.Code) {
        #expect(FallbackCondition.unavailable.matches(NetworkError(code, "x")))
    }

    @Test(arguments: [NetworkError.Code.invalidURL, .misconfigured, .reauthenticationRequired, .cancelled])
    func otherErrorsAreNot(code: NetworkError.Code) {
        #expect(!FallbackCondition.unavailable.matches(NetworkError(code, "x")))
        #expect(!FallbackCondition.unavailable.matches(Failure()))
    }

    @Test func aCancelledCallNeverMatches() {
        #expect(!FallbackCondition.any.matches(CancellationError()))
        #expect(!FallbackCondition.codes([.cancelled]).matches(NetworkError(.cancelled, "x")))
        #expect(FallbackCondition.any.matches(Failure()))
    }
}
