import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Only reads are hedged, where that is not switched off.
extension HedgingEngineTests {
    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func otherMethodsAreNotHedged(method: String) async throws {
        let engine = engine()
        let call = try call(engine, HTTPMethod(method))
        #expect(await transport.begun(1))
        #expect(clock.sleeperCount == 0)
        transport.end(0, status: 200)
        #expect(try await call.value.exchange.attempts == 1)
        #expect(engine.hedgingStatistics?.requests == 0)
    }

    @Test func aBodyThatIsSentOnceIsNotHedged() async throws {
        let engine = engine()
        let call = try call(engine, body: .once(HeldStream().chunks()))
        #expect(await transport.begun(1))
        #expect(clock.sleeperCount == 0)
        transport.end(0, status: 200)
        #expect(try await call.value.status == 200)
        #expect(engine.hedgingStatistics?.requests == 0)
    }

    @Test func aCallOrAnOperationMayBeExempt() async throws {
        let engine = engine { $0.operations["list"] = CallOptions(isHedged: false) }
        let calls = [
            try call(engine, options: CallOptions(isHedged: false)),
            Task { [request = try HTTPRequest(.get, "http://h/x")] in
                try await engine.send(request, operation: "list")
            },
        ]
        #expect(await transport.begun(2))
        #expect(clock.sleeperCount == 0 && engine.hedgingStatistics?.requests == 0)
        for index in calls.indices { transport.end(index, status: 200) }
        for call in calls { _ = try await call.value }
    }
}
