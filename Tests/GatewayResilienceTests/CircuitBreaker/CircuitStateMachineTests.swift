import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite struct CircuitStateMachineTests {
    private typealias Ticket = CircuitStateMachine.Ticket

    private let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// Opens after 2 failures for exactly 10 s, then 20 s, then 30 s; two probes of 5 s, 2 successes.
    private func machine() -> CircuitStateMachine {
        CircuitStateMachine(
            policy: CircuitBreakerPolicy(
                consecutiveFailures: 2, failureRate: nil, openFor: .seconds(10), longestOpen: .seconds(30),
                probes: 2, successesToClose: 2, probeLimit: .seconds(5)), start: start, jitter: 0.5)
    }

    private func ticket(_ machine: inout CircuitStateMachine, _ seconds: Int) throws -> Ticket {
        let admission = machine.admit(at: at(seconds))
        guard case .admitted(let ticket) = admission else {
            Issue.record("\(admission)")
            throw NetworkError(.circuitOpen, "Not admitted.")
        }
        return ticket
    }

    private func open(_ machine: inout CircuitStateMachine, at seconds: Int) throws {
        for _ in 0..<2 {
            machine.settle(try ticket(&machine, seconds), .failure, after: nil, at: at(seconds))
        }
        #expect(machine.state == .open)
    }

    private func rejection(_ machine: inout CircuitStateMachine, _ seconds: Int) -> Int? {
        guard case .rejected(let rejection) = machine.admit(at: at(seconds)), let until = rejection.until
        else {
            return nil
        }
        return Int(start.duration(to: until) / .seconds(1))
    }

    @Test func anOpenCircuitTellsWhenItProbes() throws {
        var machine = machine()
        try open(&machine, at: 0)
        #expect(rejection(&machine, 0) == 10 && rejection(&machine, 9) == 10)
        #expect(machine.peek(at: at(9)) != nil && machine.peek(at: at(10)) == nil)
        #expect(machine.state == .open)
        _ = try ticket(&machine, 10)
        #expect(machine.state == .halfOpen)
    }

    @Test func thereAreNeverMoreProbesThanAllowed() throws {
        var machine = machine()
        try open(&machine, at: 0)
        let first = try ticket(&machine, 10)
        _ = try ticket(&machine, 11)
        #expect(rejection(&machine, 12) == 15)
        machine.settle(first, .success, after: nil, at: at(12))
        _ = try ticket(&machine, 12)
        #expect(rejection(&machine, 12) == 16)
    }

    /// A probe that is still in progress keeps its place when the circuit opens and probes again.
    @Test func probesOfAnEarlierPeriodKeepTheirPlace() throws {
        var machine = machine()
        try open(&machine, at: 0)
        let (hanging, failing) = (try ticket(&machine, 10), try ticket(&machine, 10))
        machine.settle(failing, .failure, after: nil, at: at(11))
        machine.halfOpenNow(at: at(11))
        let second = try ticket(&machine, 11)
        #expect(rejection(&machine, 11) == 15)
        machine.settle(hanging, .failure, after: nil, at: at(12))
        #expect(machine.state == .halfOpen, "its result is old")
        _ = try ticket(&machine, 12)
        machine.settle(second, .success, after: nil, at: at(13))
        #expect(machine.state == .halfOpen)
    }

    @Test func aProbeThatHangsIsSettledByItsOwnLimit() throws {
        var machine = machine()
        try open(&machine, at: 0)
        let probe = try ticket(&machine, 10)
        machine.advance(to: at(14))
        #expect(machine.state == .halfOpen)
        machine.advance(to: at(15))
        #expect(machine.state == .open && rejection(&machine, 15) == 35, "20 s from its limit on")
        machine.settle(probe, .success, after: nil, at: at(16))
        #expect(machine.state == .open)
        // Without a call in between the result is as late.
        machine.reset(at: at(16))
        try open(&machine, at: 20)
        let next = try ticket(&machine, 30)
        machine.settle(next, .success, after: nil, at: at(35))
        #expect(machine.state == .open)
    }

    @Test func resultsOfAnEarlierStateChangeNothing() throws {
        var machine = machine()
        let early = try (0..<6).map { _ in try ticket(&machine, 0) }
        try open(&machine, at: 0)
        machine.settle(early[0], .success, after: nil, at: at(1))
        machine.settle(early[1], .failure, after: nil, at: at(1))
        #expect(machine.state == .open)
        _ = try ticket(&machine, 10)
        for ticket in early[2...3] { machine.settle(ticket, .success, after: nil, at: at(11)) }
        #expect(machine.state == .halfOpen)
        machine.settle(early[4], .failure, after: nil, at: at(11))
        #expect(machine.state == .halfOpen)
        machine.reset(at: at(11))
        machine.settle(early[5], .failure, after: nil, at: at(11))
        machine.settle(try ticket(&machine, 11), .failure, after: nil, at: at(11))
        #expect(machine.state == .closed)
    }

    /// A cancelled probe is replaced by another one: it neither closes nor opens the circuit, and no place is lost.
    @Test func aCancelledProbeIsNothing() throws {
        var machine = machine()
        try open(&machine, at: 0)
        for _ in 0..<100 {
            let (first, second) = (try ticket(&machine, 10), try ticket(&machine, 10))
            machine.settle(first, .ignored, after: nil, at: at(10))
            machine.settle(second, .ignored, after: nil, at: at(10))
            #expect(machine.state == .halfOpen)
        }
        for _ in 0..<2 { machine.settle(try ticket(&machine, 10), .success, after: nil, at: at(10)) }
        #expect(machine.state == .closed)
    }

    @Test func theOpenTimeGrowsToItsCapAndStartsAnewWhenClosed() throws {
        var machine = machine()
        try open(&machine, at: 0)
        var now = 10
        for expected in [20, 30, 30] {
            machine.settle(try ticket(&machine, now), .failure, after: nil, at: at(now))
            #expect(rejection(&machine, now) == now + expected)
            now += expected
        }
        for _ in 0..<2 { machine.settle(try ticket(&machine, now), .success, after: nil, at: at(now)) }
        try open(&machine, at: now)
        #expect(rejection(&machine, now) == now + 10)
    }

    @Test func theOpenTimeIsJittered() throws {
        for (jitter, expected) in [(0, Duration.seconds(9)), (1, .seconds(11)), (0.25, .milliseconds(9_500))]
        {
            var machine = machine()
            machine.jitter = jitter
            try open(&machine, at: 0)
            #expect(machine.takeChanges().map(\.openFor) == [expected])
        }
    }

    @Test func aShareOfFailuresOpensTheCircuit() throws {
        let rate = CircuitBreakerPolicy.Rate(share: 0.5, minimumCalls: 4, window: .seconds(10))
        func machine() -> CircuitStateMachine {
            CircuitStateMachine(
                policy: CircuitBreakerPolicy(consecutiveFailures: nil, failureRate: rate), start: start,
                jitter: 0.5)
        }
        var failing = machine()
        for verdict in [CircuitBreakerPolicy.Verdict.failure, .success, .failure] {
            failing.settle(try ticket(&failing, 0), verdict, after: nil, at: at(0))
        }
        #expect(failing.state == .closed, "3 calls say nothing")
        failing.settle(try ticket(&failing, 5), .success, after: nil, at: at(5))
        #expect(failing.state == .open)
        var forgetting = machine()
        for seconds in [0, 0, 0, 10] {
            forgetting.settle(try ticket(&forgetting, seconds), .failure, after: nil, at: at(seconds))
        }
        #expect(forgetting.state == .closed, "the first three are out of the window")
    }

    @Test func slowCallsOpenTheCircuit() throws {
        var policy = CircuitBreakerPolicy(consecutiveFailures: nil, failureRate: nil)
        policy.slowAfter = .seconds(2)
        policy.slowRate = .init(share: 1, minimumCalls: 3, window: .seconds(10))
        var machine = CircuitStateMachine(policy: policy, start: start, jitter: 0.5)
        for seconds in 0..<3 {
            #expect(machine.state == .closed)
            machine.settle(try ticket(&machine, seconds), .success, after: .seconds(2), at: at(seconds))
        }
        #expect(machine.state == .open)
        let probe = try ticket(&machine, 40)
        machine.settle(probe, .success, after: .seconds(2), at: at(42))
        #expect(machine.state == .open, "a slow probe has failed")
    }
}
