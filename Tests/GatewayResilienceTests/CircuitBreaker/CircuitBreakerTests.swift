import GatewayCore
import GatewayTesting
import Synchronization
import TestTiers
import Testing

@testable import GatewayResilience

@Suite(.timeLimit(.minutes(1))) struct CircuitBreakerTests {
    private struct Broken: Error {}

    private let clock = ManualClock()

    private func breaker(_ policy: CircuitBreakerPolicy = .aggressive) throws -> CircuitBreaker {
        try CircuitBreaker(
            named: "warehouse", policy: policy, clock: clock, random: SeededRandomSource(seed: 1))
    }

    private func fail(_ breaker: CircuitBreaker, _ count: Int, _ error: any Error = Broken()) async {
        for _ in 0..<count {
            _ = await #expect(throws: (any Error).self) { try await breaker.execute { throw error } }
        }
    }

    @Test func failuresOpenItAndASuccessfulProbeClosesIt() async throws {
        let breaker = try breaker()
        await fail(breaker, 2)
        #expect(try await breaker.execute { 7 } == 7)
        await fail(breaker, 3)
        #expect(breaker.state == .open)
        let left = try #require(breaker.retryAfter)
        #expect(left >= .seconds(13.5) && left <= .seconds(16.5))
        clock.advance(by: left - .milliseconds(1))
        #expect(breaker.state == .open)
        clock.advance(by: .milliseconds(1))
        #expect(breaker.state == .halfOpen && breaker.retryAfter == nil)
        #expect(try await breaker.execute { 8 } == 8)
        #expect(breaker.state == .closed)
    }

    @Test func aRejectionNamesTheBreakerAndTheTimeLeft() async throws {
        let breaker = try breaker()
        await fail(breaker, 3)
        let runs = Locked(0)
        let error = await #expect(throws: NetworkError.self) {
            try await breaker.execute { runs.withLock { $0 += 1 } }
        }
        #expect(runs.withLock { $0 } == 0)
        #expect(error?.code == .circuitOpen && error?.isLocalRejection == true && error?.attempts == 0)
        #expect(error?.retryAfter == breaker.retryAfter && error?.guidance == .retry)
        #expect(
            error?.message.hasPrefix("The circuit breaker 'warehouse' is open: calls are rejected for ")
                == true)
        breaker.isolate()
        let isolated = await #expect(throws: NetworkError.self) { try await breaker.execute {} }
        #expect(isolated?.retryAfter == nil && isolated?.message.contains("isolated") == true)
        #expect("\(breaker)" == "CircuitBreaker(warehouse, isolated)")
    }

    @Test func isolationLastsUntilTheReset() async throws {
        let breaker = try breaker()
        breaker.isolate()
        clock.advance(by: .seconds(1_000_000))
        breaker.halfOpen()
        #expect(breaker.state == .isolated && breaker.retryAfter == nil)
        breaker.reset()
        #expect(try await breaker.execute { 1 } == 1)
        await fail(breaker, 2)
        breaker.reset()
        await fail(breaker, 2)
        #expect(breaker.state == .closed, "a reset forgets the failures")
    }

    @Test func itProbesAtOnceWhenItIsOpenedHalfway() async throws {
        let breaker = try breaker()
        await fail(breaker, 3)
        breaker.halfOpen()
        #expect(try await breaker.execute { 1 } == 1)
        #expect(breaker.state == .closed)
        breaker.halfOpen()
        #expect(breaker.state == .closed)
    }

    @Test func responsesAndTypedErrorsAreJudgedByTheirStatus() async throws {
        let breaker = try breaker()
        let origin = try Origin("http://h")
        for status in [503, 502, 504] {
            _ = try await breaker.execute { HTTPResponse(status: status, exchange: Exchange(origin: origin)) }
        }
        #expect(breaker.state == .open)
        breaker.reset()
        await fail(breaker, 10, NetworkError(.unacceptableStatus, "Declined.", status: 429))
        #expect(breaker.state == .closed)
        await fail(breaker, 3, NetworkError(.unacceptableStatus, "Declined.", status: 503))
        #expect(breaker.state == .open)
    }

    /// Whatever an operation throws after its task was cancelled says nothing about the server.
    @Test func aCancelledOperationIsNothing() async throws {
        let breaker = try breaker()
        await fail(breaker, 3)
        breaker.halfOpen()
        for isPlain in [true, false] {
            let gate = Gate()
            let probe = Task {
                try await breaker.execute {
                    await gate.pass()
                    if isPlain { throw Broken() }
                    throw CancellationError()
                }
            }
            await gate.waitForArrivals(1)
            probe.cancel()
            gate.open()
            _ = await #expect(throws: (any Error).self) { try await probe.value }
            #expect(breaker.state == .halfOpen)
        }
        #expect(try await breaker.execute { 1 } == 1)
        #expect(breaker.state == .closed)
    }

    @Test func failuresToConnectAreIgnoredWithoutANetwork() async throws {
        struct Offline: NetworkConditionSource {
            let isOnline: @Sendable () -> Bool
            var condition: NetworkCondition { NetworkCondition(quality: isOnline() ? .good : .offline) }
            func conditions() -> AsyncStream<NetworkCondition> { AsyncStream { $0.finish() } }
        }
        final class Switch: Sendable { let isOn = Atomic(false) }
        let network = Switch()
        let breaker = try CircuitBreaker(
            named: "h", policy: .aggressive, clock: clock,
            network: Offline { network.isOn.load(ordering: .relaxed) })
        for code in [NetworkError.noConnection, .dnsFailure] {
            await fail(breaker, 5, NetworkError(code, "Offline."))
        }
        await fail(breaker, 5, NetworkError(.timeout, "Late.", phase: .connect))
        #expect(breaker.state == .closed)
        network.isOn.store(true, ordering: .relaxed)
        await fail(breaker, 3, NetworkError(.noConnection, "No route."))
        #expect(breaker.state == .open)
    }

    @Test func changesAreReportedInOrder() async throws {
        let breaker = try breaker()
        let stream = breaker.transitions
        let seen = Locked<[CircuitBreaker.State]>([])
        breaker.onStateChange { transition in seen.withLock { $0.append(transition.to) } }
        // A handler may use the breaker.
        breaker.onStateChange { [weak breaker] transition in
            if transition.to == .isolated { breaker?.reset() }
        }
        await fail(breaker, 3)
        breaker.halfOpen()
        await fail(breaker, 1)
        breaker.isolate()
        let expected: [CircuitBreaker.State] = [.open, .halfOpen, .open, .isolated, .closed]
        #expect(seen.withLock { $0 } == expected)
        var streamed: [CircuitBreaker.Transition] = []
        for await transition in stream.prefix(5) { streamed.append(transition) }
        #expect(streamed.map(\.to) == expected)
        #expect(streamed.map(\.from) == [.closed, .open, .halfOpen, .open, .isolated])
        #expect(streamed.map { $0.openFor != nil } == [true, false, true, false, false])
    }

    @Test func theStreamEndsWithTheBreaker() async throws {
        var breaker: CircuitBreaker? = try breaker()
        let stream = try #require(breaker?.transitions)
        breaker?.isolate()
        breaker = nil
        var states: [CircuitBreaker.State] = []
        for await transition in stream { states.append(transition.to) }
        #expect(states == [.isolated])
    }

    /// On many threads each admission is settled once, and no place of a probe is lost.
    @Test(.tags(.concurrent)) func everyAdmissionIsSettledOnce() async throws {
        let breaker = try breaker(
            CircuitBreakerPolicy(
                consecutiveFailures: 3, openFor: .seconds(1), probes: 2, successesToClose: 5))
        let seed = TestSeed.value(0)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 as Range<UInt64> {
                group.addTask {
                    let random = SeededRandomSource(seed: seed &+ task)
                    for _ in 0..<2_000 {
                        _ = try? await breaker.execute {
                            await Task.yield()
                            switch random.int(in: 0..<3) {
                            case 0: throw Broken()
                            case 1: throw CancellationError()
                            default: break
                            }
                        }
                        if random.int(in: 0..<4) == 0 { clock.advance(by: .milliseconds(400)) }
                    }
                }
            }
        }
        breaker.reset()
        await fail(breaker, 3)
        breaker.halfOpen()
        let gate = Gate()
        let probes = (0..<2).map { _ in Task { try await breaker.execute { await gate.pass() } } }
        await gate.waitForArrivals(2)
        let third = await #expect(throws: NetworkError.self) { try await breaker.execute {} }
        #expect(third?.code == .circuitOpen)
        gate.open()
        for probe in probes { try await probe.value }
        for _ in 0..<3 { try await breaker.execute {} }
        #expect(breaker.state == .closed)
    }
}
