import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

/// Which calls join a flight that began before a change of its URI.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct ChangedFlightTests {
    /// A coalescer over a transport whose first read waits at a gate.
    private struct Rig {
        let gate = Gate()
        let transport: ScriptedTransport
        let engine: CoalescingEngine<AttemptEngine>

        init(write: ScriptedTransport.Reply = .status(204)) {
            let gate = gate
            let transport = ScriptedTransport { request, index in
                guard request.method == .get else { return write }
                if index == 0 { await gate.pass() }
                return .status(200, "answer \(index)")
            }
            self.transport = transport
            engine = CoalescingEngine(below: AttemptEngine(transport: transport))
        }

        func call(_ method: HTTPMethod = .get, _ url: String = "http://h/x") -> Task<HTTPResponse, any Error>
        {
            let engine = engine
            return Task { try await engine.send(try HTTPRequest(method, url), context: RequestContext()) }
        }
    }

    /// A read that began before a change, one that follows it, and one that begins after the change.
    private func readsAroundAChange(_ rig: Rig, _ method: HTTPMethod) async throws {
        let first = rig.call()
        await rig.gate.waitForArrivals(1)
        let second = rig.call()
        await eventually { rig.engine.followerCount == 1 }
        _ = await rig.call(method).result
        let third = rig.call()
        await eventually { rig.transport.requests.count == 3 }
        rig.gate.open()
        #expect(try await third.value.bodyText == "answer 2")
        #expect(try await first.value.bodyText == "answer 0")
        #expect(try await second.value.bodyText == "answer 0")
        #expect(rig.engine.flightCount == 0 && rig.engine.followerCount == 0)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "PURGE"])
    func aCallAfterAChangeJoinsNoFlightFromBefore(method: String) async throws {
        try await readsAroundAChange(Rig(), HTTPMethod(method))
    }

    /// The server may have made it.
    @Test func soAfterAChangeThatFailed() async throws {
        try await readsAroundAChange(Rig(write: .failure(NetworkError(.closed, "A test."))), .post)
    }

    @Test func whatChangesNothingHereClosesNoFlight() async throws {
        let others: [(HTTPMethod, String)] = [
            (.post, "http://h/y"), (.post, "http://h:81/x"), (.post, "http://h/x?a"),
            (.options, "http://h/x"),
        ]
        for (method, url) in others {
            let rig = Rig()
            let first = rig.call()
            await rig.gate.waitForArrivals(1)
            _ = try await rig.call(method, url).value
            let second = rig.call()
            await eventually { rig.engine.followerCount == 1 }
            rig.gate.open()
            #expect(try await first.value.exchange.source == .network)
            #expect(try await second.value.exchange.source == .coalesced, "\(method.rawValue) \(url)")
        }
    }
}
