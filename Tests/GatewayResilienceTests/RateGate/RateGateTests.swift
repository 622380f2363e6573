import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

/// A rate gate in an engine, on a clock that the test moves.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct RateGateTests: RateGateSuite {
    let clock = ManualClock()
    let events = EventRecorder()

    // MARK: Pace

    /// 40 calls, and a quota of 20 in 10 s: they are released over at least 80 % of each window, none before the time that the
    /// server named, no two at once.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func callsAreReleasedAtAPace(seed: UInt64) async throws {
        let server = RateGateServer(clock) { _, index in
            index == 0
                ? Self.limited(
                    429,
                    [
                        "RateLimit-Policy": "\"default\";q=20;w=10", "RateLimit": "\"default\";r=0;t=5",
                        "Retry-After": "5",
                    ])
                : .status(200)
        }
        let (engine, gate) = try engine(server, seed: TestSeed.value(seed))
        #expect(try await call(engine) == "429")
        let calls = Array(repeating: (target: "/x", options: CallOptions()), count: 40)
        #expect(try await results(of: calls, engine, gate) == Array(repeating: "200", count: 40))
        let times = server.times.dropFirst().map { $0 / .seconds(1) }
        #expect(times.count == 40 && times.allSatisfy { $0 >= 5 })
        for (earlier, later) in zip(times, times.dropFirst()) {
            #expect((0.5...0.551).contains(later - earlier))
        }
        #expect(times[19] - times[0] >= 0.8 * 10)
        #expect(times[0] <= 5.5)
        #expect(gate.limits.first?.callsPerSecond == 2)
    }

    /// What is released later is by priority, then by arrival.
    @Test func theOrderIsByPriorityThenArrival() async throws {
        let server = RateGateServer(clock) { _, index in index == 0 ? Self.limited() : .status(200) }
        let (engine, gate) = try engine(server)
        _ = try await call(engine)
        let calls: [(target: String, options: CallOptions)] = [
            ("/low", CallOptions(priority: .low)), ("/normal-1", CallOptions()), ("/normal-2", CallOptions()),
            ("/critical", CallOptions(priority: .critical)), ("/high", CallOptions(priority: .high)),
        ]
        #expect(try await results(of: calls, engine, gate) == Array(repeating: "200", count: 5))
        #expect(server.targets == ["/x", "/critical", "/high", "/normal-1", "/normal-2", "/low"])
    }

    /// A call whose priority rises while it waits is released at its new place.
    @Test func aRaisedPriorityCounts() async throws {
        let server = RateGateServer(clock) { _, index in index == 0 ? Self.limited() : .status(200) }
        let (engine, gate) = try engine(server)
        _ = try await call(engine)
        var low = RequestContext(options: CallOptions(priority: .low), clock: clock)
        low.retry = RetryPolicyNever()
        let context = low
        let request = try request("/low")
        let raised = Task { try await engine.send(request, context: context).status }
        await eventually { gate.limits.first?.waiting == 1 }
        let other = Task { try await call(engine, "/normal") }
        await eventually { gate.limits.first?.waiting == 2 }
        context.raisePriority(to: .high)
        await advance(until: { server.times.count == 3 }) {
            (gate.limits.first?.waiting ?? 0) + server.times.count == 3
        }
        #expect(try await raised.value == 200)
        #expect(try await other.value == "200")
        #expect(server.targets == ["/x", "/low", "/normal"])
    }

    private struct RetryPolicyNever: RetryPolicy, Hashable {
        func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision { .stop }
    }

    // MARK: Deadlines

    @Test func aCallWhoseTurnComesTooLateFailsNow() async throws {
        let server = RateGateServer(clock) { _, index in index == 0 ? Self.limited() : .status(200) }
        let (engine, gate) = try engine(server)
        _ = try await call(engine)
        let error = try #require(try await failure(engine, CallOptions(deadline: .seconds(9))))
        let left = try #require(error.retryAfter)
        #expect(left >= .seconds(10) && left <= .seconds(11))
        #expect(error.code == .rateLimited && error.limit == .call && error.phase == .queue)
        #expect(error.attempts == 0 && !error.mayHaveBeenSent && error.isLocalRejection)
        #expect(error.guidance == .retry && !error.description.isEmpty)
        // The policy may be shorter than the deadline.
        let (other, _) = try self.engine(
            RateGateServer(clock) { _, _ in Self.limited(429, ["Retry-After": "61"]) })
        _ = try await call(other)
        let refused = try #require(try await failure(other, CallOptions(deadline: .seconds(600))))
        #expect(refused.code == .rateLimited && refused.limit == nil)
        #expect(server.times.count == 1 && gate.limits.first?.waiting == 0)
        #expect(clock.requestedDelays.isEmpty)
    }

    /// When the gate closes for longer, those that it leaves no time fail then, not at their turn.
    @Test func aLongerLimitFailsThoseWithoutTimeNow() async throws {
        let server = RateGateServer(clock) { request, _ in
            request.target == "/late"
                ? Self.limited(429, ["Retry-After": "40"]) : Self.limited(429, ["Retry-After": "5"])
        }
        let (engine, gate) = try engine(server)
        _ = try await call(engine)
        let short = Task { try await call(engine, "/short", options: CallOptions(deadline: .seconds(20))) }
        let long = Task { try await call(engine, "/long", options: CallOptions(deadline: .seconds(60))) }
        await eventually { gate.limits.first?.waiting == 2 }
        #expect(try await call(engine, "/late", options: CallOptions(rateGate: .ignore)) == "429")
        #expect(try await short.value == "rate_limited")
        #expect(gate.limits.first?.waiting == 1 && server.times.allSatisfy { $0 == .zero })
        await advance { server.times.count == 3 }
        #expect(try await long.value == "429")
    }

    @Test func aCancelledCallDisturbsNobody() async throws {
        let server = RateGateServer(clock) { _, index in index == 0 ? Self.limited() : .status(200) }
        let (engine, gate) = try engine(server)
        _ = try await call(engine)
        let tasks = (0..<3).map { number in Task { try await call(engine, "/\(number)") } }
        await eventually { gate.limits.first?.waiting == 3 }
        tasks[1].cancel()
        #expect(try await tasks[1].value == "cancelled")
        #expect(gate.limits.first?.waiting == 2)
        await advance { server.times.count == 3 }
        #expect(try await tasks[0].value == "200")
        #expect(try await tasks[2].value == "200")
        // Nobody waits any more, and no timer is left.
        await eventually { clock.sleeperCount == 0 }
    }

    @Test func theNumberOfWaitingCallsIsBounded() async throws {
        let server = RateGateServer(clock) { _, index in index == 0 ? Self.limited() : .status(200) }
        let (engine, gate) = try engine(server, RateGatePolicy(maximumWaiting: 2))
        _ = try await call(engine)
        let tasks = (0..<2).map { _ in Task { try await call(engine) } }
        await eventually { gate.limits.first?.waiting == 2 }
        #expect(try await call(engine) == "rate_limited")
        await advance { server.times.count == 3 }
        for task in tasks { #expect(try await task.value == "200") }
    }

    /// A call that is sent again after a 401 was released before: it waits, however many others do.
    @Test func callsThatAreSentAgainAreNotCounted() async throws {
        let server = RateGateServer(clock) { _, index in index == 0 ? Self.limited() : .status(200) }
        let (engine, gate) = try engine(server, RateGatePolicy(maximumWaiting: 1))
        _ = try await call(engine)
        let first = Task { try await call(engine) }
        await eventually { gate.limits.first?.waiting == 1 }
        var context = RequestContext(clock: clock)
        context.attempt = AttemptInfo(number: 2, reason: .replay)
        let (sent, again) = (try request(), context)
        let replays = (0..<2).map { _ in Task { try await gate.wait(sent, again) } }
        await eventually { gate.limits.first?.waiting == 3 }
        #expect(try await call(engine) == "rate_limited")
        await advance { !gate.limits.contains { $0.waiting > 0 } }
        for replay in replays { try await replay.value }
        #expect(try await first.value == "200")
    }
}
