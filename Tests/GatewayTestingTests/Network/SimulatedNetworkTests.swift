import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct SimulatedNetworkTests {
    private static func request(_ method: HTTPMethod = .get) throws -> HTTPRequest {
        try HTTPRequest(method, "https://api.example.com/books")
    }

    /// The result of an exchange that does not wait.
    private static func result(
        of network: SimulatedNetwork, _ context: RequestContext = RequestContext()
    ) async throws -> Result<Int, NetworkError> {
        let request = try request()
        do throws(NetworkError) {
            return .success(try await network.send(request, context: context).status)
        } catch { return .failure(error) }
    }

    /// The error of an exchange, which may wait for the clock.
    private static func failure(
        of network: SimulatedNetwork, _ clock: ManualClock, _ context: RequestContext
    ) async throws -> NetworkError {
        let request = try request()
        let call = Task { try await network.send(request, context: context) }
        await clock.waitForSleepers(1)
        clock.advanceToNextSleeper()
        return try #require(await #expect(throws: NetworkError.self) { try await call.value })
    }

    @Test func aPerfectNetworkChangesNothing() async throws {
        let transport = ScriptedTransport(.status(204))
        let clock = ManualClock()
        let network = SimulatedNetwork(over: transport, clock: clock)
        #expect(try await Self.result(of: network).get() == 204)
        #expect(transport.requests.count == 1 && clock.requestedDelays.isEmpty)
    }

    @Test(arguments: [
        (NetworkProfile.Failure.noConnection, "no_connection", NetworkError.Phase.connect, false, 0),
        (.dnsFailure, "dns_failure", .resolve, false, 0),
        (.connectionRefused, "connection_refused", .connect, false, 0),
        (.requestLost, "connection_lost", .send, true, 0),
        (.responseLost, "connection_lost", .firstByte, true, 1),
    ])
    func failuresAreTheRealOnes(
        failure: NetworkProfile.Failure, code: String, phase: NetworkError.Phase, wasSent: Bool, arrived: Int
    ) async throws {
        let transport = ScriptedTransport(.status(200))
        let network = SimulatedNetwork(
            over: transport, profile: .custom { _, _ in .init(failure: failure) }, clock: ManualClock())
        let error = try #require(try await Self.result(of: network).failure)
        #expect(error.code.name == code && error.phase == phase && error.limit == nil)
        #expect(error.mayHaveBeenSent == wasSent && error.attempts == 1)
        #expect(error.origin?.host == "api.example.com")
        #expect(transport.requests.count == arrived)
    }

    @Test(arguments: [
        (NetworkProfile.Failure.connectionTimeout, NetworkError.Phase.connect, false, 10, 0),
        (.responseTimeout, .firstByte, true, 30, 1),
    ])
    func whatHangsEndsAtItsLimit(
        failure: NetworkProfile.Failure, phase: NetworkError.Phase, wasSent: Bool, seconds: Int, arrived: Int
    ) async throws {
        let transport = ScriptedTransport(.status(200))
        let clock = ManualClock()
        let network = SimulatedNetwork(
            over: transport, profile: .custom { _, _ in .init(failure: failure) }, clock: clock)
        let limits = AttemptLimits(connect: .seconds(3), firstByte: .seconds(3))
        for (set, limit, delay) in [
            ({ _ in }, phase, seconds), ({ $0.limits = limits }, phase, 3),
            ({ $0.limits = AttemptLimits(whole: .seconds(2)) }, .attempt, 2),
            ({ $0.deadline = .seconds(1) }, .call, 1),
            (
                {
                    $0.deadline = .seconds(4)
                    $0.limits = limits
                }, phase, 3
            ),
        ] as [((inout CallOptions) -> Void, NetworkError.Phase, Int)] {
            var options = CallOptions()
            set(&options)
            let context = RequestContext(options: options, clock: clock)
            let error = try await Self.failure(of: network, clock, context)
            #expect(error.code == NetworkError.timeout && error.phase == phase && error.limit == limit)
            #expect(error.mayHaveBeenSent == wasSent && error.attempts == 1)
            #expect(clock.requestedDelays.last == .seconds(delay))
        }
        #expect(transport.requests.count == 5 * arrived)
    }

    @Test func latencyAndJitterFillTheirRange() async throws {
        let clock = ManualClock()
        let network = SimulatedNetwork(
            over: ScriptedTransport(.status(200)),
            profile: .slow(latency: .milliseconds(100), jitter: .milliseconds(40)), clock: clock,
            random: SeededRandomSource(seed: 11))
        let request = try Self.request()
        for _ in 0..<200 {
            let call = Task { try await network.send(request, context: RequestContext()).status }
            await clock.waitForSleepers(1)
            clock.advanceToNextSleeper()
            #expect(try await call.value == 200)
        }
        let delays = clock.requestedDelays
        #expect(delays.count == 200)
        #expect(delays.allSatisfy { (.milliseconds(100)..<(.milliseconds(140))).contains($0) })
        // Each quarter of the range has its share.
        for quarter in 0..<4 {
            let lower = Duration.milliseconds(100 + 10 * quarter)
            let share = delays.count { (lower..<lower + .milliseconds(10)).contains($0) }
            #expect((30...70).contains(share), "\(share) of 200 in quarter \(quarter)")
        }
    }

    @Test func aDelayEndsAtTheDeadline() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(.status(200))
        let network = SimulatedNetwork(
            over: transport, profile: .slow(latency: .seconds(5)), clock: clock)
        var options = CallOptions()
        options.deadline = .seconds(2)
        let context = RequestContext(options: options, clock: clock)
        let error = try await Self.failure(of: network, clock, context)
        #expect(error.code == NetworkError.timeout && error.phase == .firstByte && error.limit == .call)
        #expect(error.mayHaveBeenSent && transport.requests.count == 1)
        // The deadline has passed now: nothing is sent.
        let late = try #require(try await Self.result(of: network, context).failure)
        #expect(late.code == NetworkError.timeout && late.phase == .queue && late.attempts == 0)
        #expect(!late.mayHaveBeenSent && transport.requests.count == 1)
    }

    @Test func cancellationEndsTheDelay() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(.status(200))
        let network = SimulatedNetwork(over: transport, profile: .slow(latency: .seconds(5)), clock: clock)
        let request = try Self.request()
        let call = Task { try await network.send(request, context: RequestContext()) }
        await clock.waitForSleepers(1)
        call.cancel()
        let error = try #require(await #expect(throws: NetworkError.self) { try await call.value })
        #expect(error.code == NetworkError.cancelled && error.mayHaveBeenSent && error.attempts == 1)
        // A task that is cancelled already sends nothing.
        let gate = Gate()
        let second = Task {
            await gate.pass()
            return try await network.send(request, context: RequestContext())
        }
        second.cancel()
        gate.open()
        let unsent = try #require(await #expect(throws: NetworkError.self) { try await second.value })
        #expect(unsent.code == NetworkError.cancelled && !unsent.mayHaveBeenSent && unsent.attempts == 0)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [(0.0, 0...0), (0.2, 160...240), (1.0, 1000...1000), (.nan, 0...0), (7, 1000...1000)])
    func aFlakyNetworkFailsAtItsRate(rate: Double, expected: ClosedRange<Int>) async throws {
        let network = SimulatedNetwork(
            over: ScriptedTransport(.status(200)), profile: .flaky(rate), clock: ManualClock(),
            random: SeededRandomSource(seed: 3))
        var failures: [String: Int] = [:]
        for _ in 0..<1000 {
            guard let error = try await Self.result(of: network).failure else { continue }
            failures["\(error.code) \(error.phase?.rawValue ?? "")", default: 0] += 1
        }
        #expect(expected.contains(failures.values.reduce(0, +)), "\(failures)")
        if rate > 0 {
            #expect(
                Set(failures.keys)
                    == ["no_connection connect", "connection_lost send", "connection_lost firstByte"])
            let third = failures.values.reduce(0, +) / 3
            #expect(failures.values.allSatisfy { (third / 2...third * 3 / 2).contains($0) }, "\(failures)")
        }
    }

    @Test func aSeedRepeatsItsFailures() async throws {
        func outcomes(seed: UInt64) async throws -> [String] {
            let network = SimulatedNetwork(
                over: ScriptedTransport(.status(200)), profile: .flaky(0.5), clock: ManualClock(),
                random: SeededRandomSource(seed: seed))
            var outcomes: [String] = []
            for _ in 0..<100 { outcomes.append("\(try await Self.result(of: network))") }
            return outcomes
        }
        let first = try await outcomes(seed: 1)
        #expect(try await outcomes(seed: 1) == first)
        #expect(try await outcomes(seed: 2) != first)
    }

    @Test func theProfileCanBeChanged() async throws {
        let network = SimulatedNetwork(over: ScriptedTransport(.status(200)), clock: ManualClock())
        var conditions = network.conditions().makeAsyncIterator()
        #expect(await conditions.next() == NetworkCondition(quality: .excellent))
        #expect(try await Self.result(of: network).failure == nil)
        network.profile = .offline
        #expect(try await Self.result(of: network).failure?.code == NetworkError.noConnection)
        #expect(!network.condition.isOnline)
        #expect(await conditions.next() == NetworkCondition(quality: .offline))
        // No change of the condition, hence no element.
        network.profile = .totalLoss
        network.profile = .thirdGeneration
        #expect(await conditions.next() == NetworkCondition(quality: .good))
        network.profile = .veryBad
        #expect(await conditions.next() == NetworkCondition(quality: .poor))
        await network.shutdown()
        #expect(await conditions.next() == nil)
    }

    @Test func theTransportIsForwardedTo() async throws {
        let transport = Countable()
        let network = SimulatedNetwork(over: transport)
        network.dropIdleConnections()
        await network.shutdown()
        #expect(transport.calls.withLock { $0 } == ["drop", "shutdown"])
        #expect(await network.statistics().all.connections == 3)
    }

    @Test func customConditionsSeeTheRequest() async throws {
        let network = SimulatedNetwork(
            over: ScriptedTransport(.status(200)),
            profile: .custom { request, _ in
                request.method == .post ? .init(failure: .responseLost) : .init()
            }, clock: ManualClock())
        #expect(try await Self.result(of: network).failure == nil)
        let post = try Self.request(.post)
        await #expect(throws: NetworkError.self) {
            try await network.send(post, context: RequestContext())
        }
    }

    @Test(arguments: [
        Duration.seconds(Int64.min), .seconds(-1), .zero, .seconds(Int64.max),
    ])
    func delaysMayBeAnything(delay: Duration) async throws {
        let clock = ManualClock()
        let network = SimulatedNetwork(
            over: ScriptedTransport(.status(200)), profile: .slow(latency: delay, jitter: delay), clock: clock
        )
        let request = try Self.request()
        let call = Task { try await network.send(request, context: RequestContext()).status }
        if delay > .zero {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(Int64.max))
        }
        #expect(try await call.value == 200)
    }

    private final class Countable: Transport {
        let calls = Locked<[String]>([])

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
        }
        func dropIdleConnections() { calls.withLock { $0.append("drop") } }
        func shutdown() async { calls.withLock { $0.append("shutdown") } }
        func statistics() async -> TransportStatistics {
            var counts = TransportStatistics.Counts()
            counts.connections = 3
            var statistics = TransportStatistics()
            if let origin = try? Origin("https://api.example.com") { statistics.origins[origin] = counts }
            return statistics
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
