import Foundation
import GatewayCore
import GatewayCurl
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

/// A rate gate in front of servers, on a clock that the test moves.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct RateGateServerTests {
    /// Counts what is sent.
    private final class Counting: Transport {
        private let below = CurlTransport()
        private let tally = Tally()
        var count: Int { tally.count }

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            tally.add()
            return try await below.send(request, context: context)
        }
    }

    private let clock = ManualClock()

    private func engine(_ transport: some Transport) throws -> (AsyncRequestEngine, RateGate) {
        let gate = try RateGate(clock: clock, random: SeededRandomSource(seed: 1))
        var configuration = AsyncRequestEngine.Configuration()
        configuration.protection.rateGate = gate
        configuration.retry.policy = .never
        configuration.coalescing = nil
        configuration.deadline = nil
        configuration.clock = clock
        return (AsyncRequestEngine(transport: transport, configuration: configuration), gate)
    }

    /// nginx with `Retry-After`, and Flask-Limiter with its own fields.
    @Test(
        .needsNginx,
        arguments: [
            ("GATEWAY_TEST_NGINX", "/limited/after?zone=gate", 1),
            ("GATEWAY_TEST_LIMITER", "/fixed/gate", 1),
        ])
    func afterARejectionNothingIsSentBeforeItsTime(server: String, path: String, seconds: Int) async throws {
        let url = try #require(ProcessInfo.processInfo.environment[server]) + path
        let request = try HTTPRequest(.get, url)
        let transport = Counting()
        let (engine, gate) = try engine(transport)
        // Until the quota is used up.
        var status = 200
        for _ in 0..<10_000 where status == 200 {
            status = try await engine.send(request, options: CallOptions(rateGate: .ignore)).status
        }
        #expect(status == 429)
        let sent = transport.count
        let call = Task { try await engine.send(request).status }
        await eventually { gate.limits.first?.waiting == 1 }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(seconds) - .milliseconds(100))
        #expect(gate.limits.first?.waiting == 1 && transport.count == sent)
        clock.advanceToNextSleeper()
        // The server's own time may not have passed.
        #expect(try await [200, 429].contains(call.value))
        #expect(transport.count == sent + 1)
    }

    /// Requests that wait for a connection when the gate closes are given back and wait for their turn.
    @Test func requestsThatWaitForAConnectionAreHeldBack() async throws {
        let gateway = ThreadGate()
        let server = FaultServer { request in
            guard request.line.contains("first") else { return ok() }
            gateway.wait()
            return ok("", status: "429 Too Many Requests", fields: "Retry-After: 10\r\n")
        }
        defer {
            gateway.open()
            server.stop()
        }
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.clock = ManualClock()
        }
        let (engine, gate) = try engine(transport)
        let url = server.url
        @Sendable func send(_ path: String) async throws -> Int {
            try await engine.send(HTTPRequest(.get, url + path)).status
        }
        let first = Task { try await send("/first") }
        await eventually { server.requests.count == 1 }
        let answered = Tally()
        let others = (0..<3).map { _ in
            Task {
                defer { answered.add() }
                return try await send("/other")
            }
        }
        await transport.waitForStatistics { $0.all.waiting == 3 }
        gateway.open()
        #expect(try await first.value == 429)
        await eventually { gate.limits.first?.waiting == 3 }
        clock.advance(by: .milliseconds(9_900))
        #expect(server.requests.count == 1)
        await eventually {
            clock.advanceToNextSleeper()
            return answered.count == 3
        }
        for other in others { #expect(try await other.value == 200) }
        #expect(server.requests.count == 4)
    }
}
