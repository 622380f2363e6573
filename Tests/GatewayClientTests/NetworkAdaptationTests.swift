import GatewayClient
import GatewayTesting
import Testing

/// Deadlines, limits and retries that follow the quality of the network.
@Suite(.timeLimit(.minutes(1))) struct NetworkAdaptationTests {
    private let network = ScriptedNetwork()
    private let clock = ManualClock()
    fileprivate let origin: Origin

    init() throws { origin = try Origin("https://api.example.com") }

    /// Passes what the engine knows of each attempt, and fails it without a wait for the next one.
    private final class Probe: Transport {
        let deadlines = Locked<[Duration?]>([])
        let limits = Locked<AttemptLimits?>(nil)
        let clock: ManualClock
        init(clock: ManualClock) { self.clock = clock }
        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            let left = context.deadline.map { clock.now.duration(to: $0.instant) }
            deadlines.withLock { $0.append(left) }
            limits.withLock { $0 = context.limits }
            throw NetworkError(.connectionRefused, "Refused.", origin: request.origin, phase: .connect)
        }
    }

    private struct Eager: RetryPolicy, Equatable {
        var retries = 10
        func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision {
            outcome.attempt <= retries ? .retry(after: .zero) : .stop
        }
    }

    fileprivate func engine(
        _ transport: any Transport, events: EventRecorder? = nil, _ adaptation: NetworkAdaptation?,
        change: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.retry.policy = Eager()
        configuration.retry.budget = nil
        configuration.network = network
        configuration.networkAdaptation = adaptation
        configuration.events = events
        configuration.clock = clock
        change(&configuration)
        try configuration.validate()
        return GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    /// The deadline of a call, and the number of its attempts.
    private func call(
        _ engine: GatewayEngine, _ probe: Probe, options: CallOptions = CallOptions()
    ) async throws -> (deadline: Duration?, attempts: Int) {
        probe.deadlines.withLock { $0 = [] }
        let context = RequestContext(options: options, clock: clock)
        _ = try? await engine.send(HTTPRequest(.get, "\(origin)/x"), context: context)
        let deadlines = probe.deadlines.withLock { $0 }
        return (deadlines.first ?? nil, deadlines.count)
    }

    /// `network.adaptation-off`
    @Test func withoutItTheQualityChangesNothing() async throws {
        let (probe, events) = (Probe(clock: clock), EventRecorder())
        let engine = try engine(probe, events: events, nil)
        for quality in NetworkCondition.Quality.allCases {
            network.set(NetworkCondition(quality: quality))
            let seen = try await call(engine, probe)
            #expect(seen.deadline == .seconds(60) && seen.attempts == 11, "\(quality)")
            #expect(probe.limits.withLock { $0 } == nil, "\(quality)")
        }
        #expect(events.stateEvents.isEmpty)
        #expect(GatewayConfiguration().networkAdaptation == nil)
    }

    /// `network.adaptation`
    @Test(arguments: [
        (NetworkCondition.Quality.excellent, 10, 2), (.good, 15, 3), (.moderate, 30, 3), (.poor, 60, 5),
        (.offline, 5, 0),
    ])
    func eachQualityHasItsLimits(quality: NetworkCondition.Quality, seconds: Int, retries: Int) async throws {
        let probe = Probe(clock: clock)
        let engine = try engine(probe, NetworkAdaptation())
        // Of the way to the origin, which another one may not have.
        network.set(NetworkCondition(quality: quality), for: origin)
        let seen = try await call(engine, probe)
        #expect(seen.deadline == .seconds(seconds) && seen.attempts == retries + 1)
        let bounded = try self.engine(
            probe,
            {
                var adaptation = NetworkAdaptation()
                adaptation.shortestDeadline = .seconds(12)
                adaptation.longestDeadline = .seconds(20)
                adaptation.mostRetries = 1
                return adaptation
            }())
        let limited = try await call(bounded, probe)
        #expect(limited.deadline == .seconds(min(max(seconds, 12), 20)))
        #expect(limited.attempts == min(retries, 1) + 1)
    }

    /// `network.adaptation`
    @Test func whatACallSetsIsNotChanged() async throws {
        let probe = Probe(clock: clock)
        network.set(NetworkCondition(quality: .offline))
        let engine = try engine(probe, NetworkAdaptation())
        let own = CallOptions(deadline: .seconds(90), retry: Eager(retries: 7))
        let seen = try await call(engine, probe, options: own)
        #expect(seen.deadline == .seconds(90) && seen.attempts == 8)
        // Nor are the engine's own limits exceeded, nor a missing deadline invented.
        network.set(NetworkCondition(quality: .poor))
        let strict = try self.engine(probe, NetworkAdaptation()) {
            $0.retry.policy = Eager(retries: 1)
            $0.deadline = nil
        }
        let limited = try await call(strict, probe)
        #expect(limited.deadline == nil && limited.attempts == 2)
    }

    /// `network.adaptation`: of the limits of an attempt, those that a slow network needs.
    @Test(arguments: [
        (NetworkCondition.Quality.excellent, 1.0 / 3), (.good, 0.5), (.moderate, 1), (.poor, 2),
        (.offline, 1.0 / 6),
    ])
    func theLimitsOfAnAttemptFollowTheDeadline(quality: NetworkCondition.Quality, factor: Double)
        async throws
    {
        let probe = Probe(clock: clock)
        network.set(NetworkCondition(quality: quality))
        let engine = try engine(probe, NetworkAdaptation()) { $0.transport.timeouts = .fast }
        _ = try await call(engine, probe)
        let larger = max(1, factor)
        let expected = AttemptLimits(
            connect: .seconds(5) * factor, firstByte: .seconds(15) * factor, read: .seconds(15) * larger,
            write: .seconds(15) * larger, whole: .seconds(30) * larger)
        #expect(probe.limits.withLock { $0 } == expected)
        // A call changes what it names, and nothing else.
        _ = try await call(
            engine, probe,
            options: CallOptions(limits: AttemptLimits(queue: .seconds(1), connect: .seconds(7))))
        #expect(
            probe.limits.withLock { $0 }
                == AttemptLimits(queue: .seconds(1), connect: .seconds(7)).over(expected))
    }

    /// `network.adaptation`
    @Test func theQualityInForceIsAnEvent() async throws {
        let (probe, events) = (Probe(clock: clock), EventRecorder())
        let engine = try engine(probe, events: events, NetworkAdaptation())
        _ = try await call(engine, probe)
        _ = try await call(engine, probe)
        network.set(NetworkCondition(quality: .poor))
        _ = try await call(engine, probe)
        _ = try await call(engine, probe)
        #expect(
            events.stateEvents.map(\.kind) == [
                .networkAdaptationChanged(.excellent), .networkAdaptationChanged(.poor),
            ])
        #expect(events.stateEvents.allSatisfy { $0.origin == origin })
    }

    @Test func impossibleSettingsAreRefused() {
        func message(_ change: (inout NetworkAdaptation) -> Void) -> String? {
            var adaptation = NetworkAdaptation()
            change(&adaptation)
            do { _ = try engine(ScriptedTransport(), adaptation) } catch {
                return (error as? NetworkError)?.message
            }
            return nil
        }
        #expect(message { _ in } == nil)
        #expect(
            message { $0.shortestDeadline = .zero }
                == "Invalid setting 'networkAdaptation.shortestDeadline': must be more than 0.")
        #expect(
            message { $0.longestDeadline = .seconds(1) }
                == "Invalid setting 'networkAdaptation.longestDeadline': must be shortestDeadline or more.")
        #expect(
            message { $0.mostRetries = -1 }
                == "Invalid setting 'networkAdaptation.mostRetries': must be 0 or more.")
    }
}

/// A condition that is counted when it is read.
private final class CountedNetwork: NetworkConditionSource {
    let reads = Locked(0)

    var condition: NetworkCondition {
        reads.withLock { $0 += 1 }
        return NetworkCondition(quality: .poor)
    }

    func conditions() -> AsyncStream<NetworkCondition> { AsyncStream { $0.finish() } }
}

extension NetworkAdaptationTests {
    @Test func theConditionIsReadOnceACall() async throws {
        let network = CountedNetwork()
        let probe = ScriptedTransport(.status(200))
        let engine = try engine(probe, NetworkAdaptation()) { $0.network = network }
        let before = network.reads.withLock { $0 }
        for _ in 0..<3 { _ = try await engine.send(HTTPRequest(.get, "\(origin)/x")) }
        #expect(network.reads.withLock { $0 } == before + 3)
    }
}
