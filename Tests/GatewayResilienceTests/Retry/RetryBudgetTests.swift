import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct RetryBudgetTests {
    private let clock = ManualClock()

    private func engine(
        _ transport: ScriptedTransport, _ budget: RetryBudget?, attempts: Int = 10,
        coalesces: Bool = true, retry: (any RetryPolicy)? = nil, events: (any RequestEventSink)? = nil
    ) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = retry ?? .immediate(attempts: attempts)
        configuration.retry.budget = budget
        configuration.coalescing = coalesces ? .init() : nil
        configuration.events = events
        configuration.clock = clock
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    private func get(_ url: String = "http://127.0.0.1/x") throws -> HTTPRequest {
        try HTTPRequest(.get, url)
    }

    private static let three = RetryBudget(share: 0, perSecond: 0, reserve: 3)

    @Test func theLastResponseIsReturned() async throws {
        let transport = ScriptedTransport { _, index in .status(503, "answer \(index + 1)") }
        let response = try await engine(transport, Self.three).send(try get())
        #expect(response.status == 503 && response.body.bytes == Array("answer 4".utf8))
        #expect(response.exchange.attempts == 4 && transport.requests.count == 4)
    }

    /// A refused connection takes a token, though nothing was sent.
    @Test(arguments: [NetworkError.Code.connectionRefused, .dnsFailure, .connectionLost])
    func theLastErrorIsThrown(code: NetworkError.Code) async throws {
        let transport = ScriptedTransport { _, index in
            .failure(NetworkError(code, "Failure \(index + 1).", phase: .connect))
        }
        let error = await #expect(throws: NetworkError.self) {
            try await engine(transport, Self.three).send(try get())
        }
        #expect(error?.code == code && error?.message == "Failure 4." && error?.attempts == 4)
    }

    @Test func withoutABudgetEveryAttemptIsMade() async throws {
        let transport = ScriptedTransport(.status(503))
        let engine = engine(transport, nil)
        for _ in 0..<50 { _ = try await engine.send(try get()) }
        #expect(transport.requests.count == 500)
    }

    /// By the options of a call, or of its operation.
    @Test func aCallMayGoWithoutTheLimit() async throws {
        let transport = ScriptedTransport(.status(503))
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = .immediate(attempts: 5)
        configuration.retry.budget = Self.three
        configuration.operations = ["important": CallOptions(isLimitedByRetryBudget: false)]
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let options = CallOptions(isLimitedByRetryBudget: false)
        #expect(try await engine.send(try get(), options: options).exchange.attempts == 5)
        #expect(try await engine.send(try get(), operation: "important").exchange.attempts == 5)
        // They took nothing: the budget is as it was.
        #expect(try await engine.send(try get()).exchange.attempts == 4)
        #expect(try await engine.send(try get()).exchange.attempts == 1)
        #expect(try await engine.send(try get(), options: options).exchange.attempts == 5)
    }

    @Test func eachOriginHasItsOwn() async throws {
        let transport = ScriptedTransport { request, _ in
            .status(request.origin.host == "dead.example" ? 503 : 200)
        }
        let engine = engine(transport, Self.three)
        for _ in 0..<5 { _ = try await engine.send(try get("https://dead.example/")) }
        #expect(transport.requests.count == 8)
        let flaky = ScriptedTransport { request, index in
            .status(request.origin.host == "dead.example" || index % 2 == 0 ? 503 : 200)
        }
        let other = self.engine(flaky, Self.three)
        for _ in 0..<5 { _ = try await other.send(try get("https://dead.example/")) }
        #expect(try await other.send(try get("https://well.example/")).status == 200)
        #expect(flaky.requests.count == 10)
    }

    /// The default over an outage of 30 s at 500 calls a second.
    @Test func anOutageHasABound() async throws {
        let transport = ScriptedTransport(.failure(NetworkError(.connectionRefused, "Refused.")))
        let engine = engine(transport, .standard, coalesces: false)
        let calls = 15_000
        for _ in 0..<calls {
            _ = try? await engine.send(try get())
            clock.advance(by: .milliseconds(2))
        }
        let sent = transport.requests.count
        #expect(sent <= calls + calls / 5 + 10 * 40 && sent >= calls + calls / 5 + 10 * 40 - 10, "\(sent)")
    }

    @Test func timeAndRequestsRefillIt() async throws {
        let transport = ScriptedTransport(.status(503))
        let engine = engine(transport, RetryBudget(share: 0.5, perSecond: 2, reserve: 3))
        func retries() async throws -> Int {
            let before = transport.requests.count
            _ = try await engine.send(try get())
            return transport.requests.count - before - 1
        }
        #expect(try await retries() == 3)
        #expect(try await retries() == 0)
        #expect(try await retries() == 1)
        clock.advance(by: .seconds(1))
        #expect(try await retries() == 2)
        clock.advance(by: .seconds(60))
        #expect(try await retries() == 3)
    }

    /// A call that is cancelled before its retry was made returns the token.
    @Test func aCancelledWaitReturnsItsToken() async throws {
        let transport = ScriptedTransport(.status(503))
        let engine = engine(
            transport, RetryBudget(share: 0, perSecond: 0, reserve: 1), coalesces: false,
            retry: ExponentialRetryPolicy(backoff: .fixed(.seconds(1)), jitter: .none))
        for _ in 0..<3 {
            let request = try get()
            let call = Task { try await engine.send(request) }
            await clock.waitForSleepers(1)
            call.cancel()
            await #expect(throws: NetworkError.self) { try await call.value }
        }
        #expect(transport.requests.count == 3)
    }

    /// A retry that the deadline leaves no time for takes none.
    @Test func aRetryPastTheDeadlineTakesNone() async throws {
        let transport = ScriptedTransport(.status(503))
        let engine = engine(
            transport, RetryBudget(share: 0, perSecond: 0, reserve: 1), coalesces: false,
            retry: ExponentialRetryPolicy(backoff: .fixed(.seconds(9)), jitter: .none))
        for _ in 0..<3 {
            _ = try await engine.send(try get(), options: CallOptions(deadline: .seconds(5)))
        }
        _ = try await engine.send(
            try get(), options: CallOptions(deadline: .seconds(5), retry: .immediate(attempts: 2)))
        #expect(transport.requests.count == 5)
    }

    /// A policy may retry local rejections: they were not sent, and take none.
    @Test func aLocalRejectionTakesNone() async throws {
        let transport = ScriptedTransport { _, index in
            index < 5 ? .failure(NetworkError(.overloaded, "Full.", phase: .queue)) : .status(200)
        }
        let response = try await engine(
            transport, RetryBudget(share: 0, perSecond: 0, reserve: 1),
            retry: ExponentialRetryPolicy(
                maximumAttempts: 10, backoff: .immediate, jitter: .none, retryableErrors: [.overloaded])
        ).send(try get())
        #expect(response.status == 200 && transport.requests.count == 6)
    }

    @Test func aRedirectTakesNone() async throws {
        let transport = ScriptedTransport { request, index in
            switch request.target {
            case "/x": .status(302, fields: [.location: "/y"])
            default: .status(index < 4 ? 503 : 200)
            }
        }
        let response = try await engine(transport, Self.three).send(try get())
        // A redirect, and three retries of its target.
        #expect(response.status == 200 && transport.requests.count == 5)
    }

    /// A follower that continues a leader's call makes a retry, too.
    @Test(arguments: [1, 2]) func aHandoverTakesAToken(reserve: Int) async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request, index in
            guard request.target == "/x" else { return .status(503) }
            if index == 2 { await gate.pass() }
            return .status(index == 2 ? 503 : 200)
        }
        let recorder = EventRecorder()
        let engine = engine(
            transport, RetryBudget(share: 0, perSecond: 0, reserve: reserve),
            retry: .fixed(attempts: 2, delay: .seconds(5)), events: recorder)
        // One token is taken before.
        _ = try await engine.send(
            try get("http://127.0.0.1/y"), options: CallOptions(retry: .immediate(attempts: 2)))
        func call(_ seconds: Int) throws -> Task<HTTPResponse, any Error> {
            let request = try get()
            return Task { try await engine.send(request, options: CallOptions(deadline: .seconds(seconds))) }
        }
        let hasty = try call(2)
        await gate.waitForArrivals(1)
        let patient = try call(60)
        #expect(
            await isEventually {
                recorder.events.contains { if case .deduplicated = $0.kind { true } else { false } }
            })
        gate.open()
        #expect(try await hasty.value.status == 503)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        #expect(try await patient.value.status == (reserve == 1 ? 503 : 200))
        #expect(transport.requests.count == (reserve == 1 ? 3 : 4))
    }

    @Test func anEpisodeIsReportedOnce() async throws {
        let recorder = EventRecorder()
        let failing = Locked(true)
        let transport = ScriptedTransport { _, _ in .status(failing.withLock { $0 } ? 503 : 200) }
        let engine = engine(
            transport, RetryBudget(share: 0, perSecond: 1, reserve: 2), attempts: 3, coalesces: false,
            events: recorder)
        for _ in 0..<5 {
            _ = try await engine.send(try get())
            clock.advance(by: .milliseconds(500))
        }
        failing.withLock { $0 = false }
        clock.advance(by: .seconds(1))
        _ = try await engine.send(try get())
        #expect(recorder.stateEvents.map(\.kind) == [.retryBudgetExhausted])
        clock.advance(by: .seconds(1))
        _ = try await engine.send(try get())
        _ = try await engine.send(try get())
        #expect(recorder.stateEvents.map(\.kind) == [.retryBudgetExhausted, .retryBudgetRecovered])
        #expect(recorder.stateEvents.allSatisfy { $0.origin?.host == "127.0.0.1" })
        let refused = recorder.events.filter {
            if case .notRetried(.budget, status: 503, error: nil) = $0.kind { true } else { false }
        }
        // Each call after the first has at most the token that half a second or a second brought.
        #expect(refused.count == 4)
    }

    @Test(arguments: [
        (RetryBudget(share: -0.1, perSecond: 1, reserve: 1), "share"),
        (RetryBudget(share: 1.1, perSecond: 1, reserve: 1), "share"),
        (RetryBudget(share: .nan, perSecond: 1, reserve: 1), "share"),
        (RetryBudget(share: 0.1, perSecond: -1, reserve: 1), "perSecond"),
        (RetryBudget(share: 0.1, perSecond: .infinity, reserve: 1), "perSecond"),
        (RetryBudget(share: 0.1, perSecond: .nan, reserve: 1), "perSecond"),
        (RetryBudget(share: 0.1, perSecond: 1, reserve: 0), "reserve"),
    ])
    func impossibleBudgetsNameTheProperty(budget: RetryBudget, property: String) {
        let error = #expect(throws: NetworkError.self) { try budget.validate() }
        #expect(error?.code == .misconfigured && error?.message.contains("'\(property)'") == true)
    }

    @Test(arguments: [RetryBudget.standard, .strict, .generous]) func presetsAreValid(budget: RetryBudget)
        throws
    {
        try budget.validate()
        #expect(Double(budget.reserve) == budget.perSecond * 10)
    }
}
