import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct RetryPolicyTests {
    private static let url = "http://127.0.0.1/x"

    // MARK: Local rejections

    private static let localRejections: [NetworkError.Code] = [
        .overloaded, .closed, .notCached, .refreshSuspended,
        NetworkError.Code("of_a_layer", category: .transient, isTransient: true, isLocalRejection: true),
    ]

    @Test(arguments: localRejections, [ExponentialRetryPolicy.standard, .aggressive, .server, .readsOnly])
    func aLocalRejectionIsNotRetried(code: NetworkError.Code, policy: ExponentialRetryPolicy) async throws {
        let transport = ScriptedTransport(.failure(NetworkError(code, "No.", phase: .queue)), .status(200))
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = policy
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let error = await #expect(throws: NetworkError.self) {
            try await engine.send(try HTTPRequest(.get, Self.url))
        }
        #expect(error?.code == code && transport.requests.count == 1)
    }

    @Test func aPolicyMayRetryThemNamed() async throws {
        let transport = ScriptedTransport(
            .failure(NetworkError(.overloaded, "Full.", phase: .queue)), .status(200))
        let policy = ExponentialRetryPolicy(backoff: .immediate, retryableErrors: [.overloaded])
        let engine = AsyncRequestEngine(transport: transport)
        let response = try await engine.send(
            try HTTPRequest(.get, Self.url), options: CallOptions(retry: policy))
        #expect(response.status == 200)
    }

    // MARK: What a policy sees

    /// Records the outcomes that it is asked about.
    private final class Recording: RetryPolicy {
        let outcomes = Locked<[AttemptOutcome]>([])

        func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision {
            outcomes.withLock { $0.append(outcome) }
            return outcome.attempt < 3 ? .retry(after: .seconds(2)) : .stop
        }
    }

    @Test func aPolicySeesTheCallAndTheTimeLeft() async throws {
        let (clock, policy) = (ManualClock(), Recording())
        let transport = ScriptedTransport { _, index in
            index % 3 == 0
                ? .status(503, fields: [.retryAfter: "1"]) : .failure(NetworkError(.connectionLost, "Lost."))
        }
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.deadline = nil
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let request = try HTTPRequest(.get, Self.url)
        for deadline in [nil, Duration.seconds(9)] {
            policy.outcomes.withLock { $0 = [] }
            let call = Task {
                try await engine.send(
                    request, options: CallOptions(deadline: deadline, retry: policy), operation: "listBooks")
            }
            for _ in 0..<2 {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(2))
            }
            await #expect(throws: NetworkError.self) { try await call.value }
            let times = policy.outcomes.withLock { $0.map(\.remaining) }
            #expect(times == (deadline == nil ? [nil, nil, nil] : [.seconds(9), .seconds(7), .seconds(5)]))
        }
        let outcomes = policy.outcomes.withLock { $0 }
        #expect(outcomes.map(\.attempt) == [1, 2, 3])
        #expect(outcomes.map(\.status) == [503, nil, nil])
        #expect(outcomes.map(\.error?.code) == [nil, .connectionLost, .connectionLost])
        #expect(outcomes.first?.retryAfter == .seconds(1))
        #expect(outcomes.allSatisfy { $0.origin == request.origin && $0.operation == "listBooks" })
    }

    // MARK: Observing retries

    @Test func retriesAreObserved() async throws {
        let seen = Locked<[String]>([])
        let observe: @Sendable (AttemptOutcome, Duration) -> Void = { outcome, delay in
            let cause = outcome.status.map(String.init) ?? outcome.error?.code.name ?? ""
            seen.withLock { $0.append("\(outcome.attempt) \(cause) \(delay)") }
        }
        let clock = ManualClock()
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.onRetry = observe
        configuration.clock = clock
        configuration.retry.policy = .exponential(attempts: 3, delay: .seconds(1), jitter: .none)
        let transport = ScriptedTransport(
            .status(503), .failure(NetworkError(.connectionRefused, "Refused.")), .status(200), .status(404))
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let request = try HTTPRequest(.get, Self.url)
        let call = Task { try await engine.send(request) }
        for seconds in [1, 2] {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(seconds))
        }
        #expect(try await call.value.status == 200)
        #expect(try await engine.send(request).status == 404)
        #expect(seen.withLock { $0 } == ["1 503 1.0 seconds", "2 connection_refused 2.0 seconds"])

        let executor = RetryExecutor(.immediate(attempts: 2), onRetry: observe)
        let error = await #expect(throws: NetworkError.self) {
            try await executor.execute { throw NetworkError(.dnsFailure, "Unknown.") }
        }
        #expect(error?.code == .dnsFailure && seen.withLock { $0.last } == "1 dns_failure 0.0 seconds")
    }

    /// Why no retry follows is an event of the call.
    @Test func theReasonForNoRetryIsAnEvent() async throws {
        func reason(
            _ method: HTTPMethod, _ reply: ScriptedTransport.Reply,
            _ options: CallOptions = CallOptions(retry: .immediate(attempts: 2))
        ) async throws -> [RetryRefusal] {
            let recorder = EventRecorder()
            var configuration = AsyncRequestEngine.Configuration()
            configuration.events = recorder
            let engine = AsyncRequestEngine(
                transport: ScriptedTransport(reply), configuration: configuration)
            _ = try? await engine.send(try HTTPRequest(method, Self.url), options: options)
            return recorder.events.compactMap { event in
                if case .notRetried(let reason, _, _) = event.kind { reason } else { nil }
            }
        }
        #expect(try await reason(.get, .status(200)) == [])
        #expect(try await reason(.get, .status(404)) == [.policy])
        #expect(try await reason(.get, .status(503)) == [.policy])
        #expect(try await reason(.get, .status(401)) == [.credential])
        #expect(try await reason(.post, .status(503)) == [.notReplaySafe])
        let late = CallOptions(deadline: .seconds(5), retry: .fixed(attempts: 2, delay: .seconds(9)))
        #expect(try await reason(.get, .status(503), late) == [.deadline(delay: .seconds(9))])
    }

    // MARK: Presets

    /// Attempts, delays in milliseconds without jitter, and the range of their jitter.
    @Test(arguments: [
        (ExponentialRetryPolicy.standard, [50, 100], 0.0, 1.0),
        (.patient, [1000, 2000, 4000, 8000], 0.9, 1.1),
        (.aggressive, [500, 1000, 2000, 4000, 8000, 16_000, 16_000, 16_000, 16_000], 0.9, 1.1),
        (.moderate, [1000, 2000], 1, 1.3), (.server, [250, 500, 1000], 0, 1),
        (.never, [], 1, 1), (.immediate(attempts: 3), [0, 0], 1, 1),
        (.fixed(attempts: 3, delay: .seconds(2)), [2000, 2000], 1, 1),
        (.linear(attempts: 4, delay: .seconds(2), maxDelay: .seconds(5)), [2000, 4000, 5000], 1, 1),
        (.exponential(attempts: 4, delay: .seconds(2), maxDelay: .seconds(5)), [2000, 4000, 5000], 0, 1),
    ])
    func presetsHaveTheirFigures(
        policy: ExponentialRetryPolicy, delays: [Int], low: Double, high: Double
    ) throws {
        try policy.validate()
        #expect(policy.maximumAttempts == delays.count + 1)
        let random = SeededRandomSource(seed: TestSeed.value(4))
        for (index, delay) in delays.enumerated() {
            for _ in 0..<200 {
                let decision = policy.decision(
                    after: AttemptOutcome(attempt: index + 1, method: .get, status: 503), random: random)
                guard case .retry(let wait) = decision else {
                    Issue.record("attempt \(index + 2) is not made")
                    return
                }
                let share = delay == 0 ? 1 : wait / .milliseconds(delay)
                #expect(share >= low - 1e-9 && share <= high + 1e-9)
            }
        }
    }

    // MARK: Validation

    private static let impossible: [(ExponentialRetryPolicy, String)] = [
        (.attempts(0), "maximumAttempts"), (.attempts(-1), "maximumAttempts"),
        (ExponentialRetryPolicy(maxRetries: -1, baseDelay: .zero), "maximumAttempts"),
        (.fixed(attempts: 2, delay: .seconds(-1)), "backoff"),
        (.linear(attempts: 2, delay: .seconds(-1)), "backoff"),
        (.exponential(attempts: 2, delay: .seconds(1), maxDelay: .seconds(-1)), "backoff"),
        (ExponentialRetryPolicy(throttledBackoff: .fixed(.seconds(-1))), "throttledBackoff"),
        (ExponentialRetryPolicy(jitter: .proportional(1.1)), "jitter"),
        (ExponentialRetryPolicy(jitter: .proportional(.nan)), "jitter"),
        (ExponentialRetryPolicy(jitter: .additive(-0.1)), "jitter"),
        (ExponentialRetryPolicy(jitter: .additive(.infinity)), "jitter"),
        (ExponentialRetryPolicy(retryableStatuses: [401]), "retryableStatuses"),
        (ExponentialRetryPolicy(retryableStatuses: [200]), "retryableStatuses"),
    ]

    @Test(arguments: impossible)
    func impossiblePoliciesNameTheProperty(policy: ExponentialRetryPolicy, property: String) async throws {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = policy
        let error = #expect(throws: NetworkError.self) { try configuration.validate() }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.hasPrefix("Invalid setting 'retry.policy.\(property)': ") == true)

        var operations = AsyncRequestEngine.Configuration()
        operations.operations = ["listBooks": CallOptions(retry: policy)]
        let other = #expect(throws: NetworkError.self) { try operations.validate() }
        #expect(
            other?.message.hasPrefix("Invalid setting 'operations[\"listBooks\"].retry.\(property)': ")
                == true)

        // An engine that was made nevertheless sends nothing.
        let transport = ScriptedTransport(.status(200))
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let failure = await #expect(throws: NetworkError.self) {
            try await engine.send(try HTTPRequest(.get, Self.url))
        }
        #expect(failure?.message == error?.message && transport.requests.isEmpty)
    }

    @Test func impossibleBudgetsAndDeadlinesAreNamed() {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.budget?.share = 2
        #expect(configuration.problemText == "Invalid setting 'retry.budget.share': must be from 0 to 1.")
        configuration.retry.budget = nil
        configuration.deadline = .zero
        #expect(
            configuration.problemText
                == "Invalid setting 'deadline': must be more than zero, or nil for none.")
        configuration.deadline = nil
        #expect(configuration.problemText == nil)
        configuration.operations = ["a": CallOptions(deadline: .zero)]
        #expect(
            configuration.problemText
                == "Invalid setting 'operations[\"a\"].deadline': must be more than zero.")
    }
}

extension AsyncRequestEngine.Configuration {
    fileprivate var problemText: String? {
        do throws(NetworkError) {
            try validate()
            return nil
        } catch { return error.message }
    }
}
