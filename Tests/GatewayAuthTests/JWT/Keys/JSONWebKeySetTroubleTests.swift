import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import TestTiers
import Testing

/// Issuers that are down, wrong or silent.
@Suite(.tags(.concurrent)) struct JSONWebKeySetTroubleTests {
    private let rig = KeySetRig()

    @Test(
        arguments: [
            (.status(500), NetworkError.unacceptableStatus), (.status(204), NetworkError.unacceptableStatus),
            (.status(404, "{}"), NetworkError.unacceptableStatus),
            (.status(302, fields: [.location: "https://elsewhere.example/"]), NetworkError.redirectRefused),
            (.status(200, "<html>"), NetworkError.malformedResponse),
            (.status(200), NetworkError.malformedResponse),
            (
                .response(status: 200, body: Array(repeating: 32, count: 300 << 10)),
                NetworkError.responseTooLarge
            ),
            (
                .failure(NetworkError(NetworkError.connectionRefused, "No.")),
                NetworkError.connectionRefused
            ),
        ] as [(ScriptedTransport.Reply, NetworkError.Code)])
    func withoutKeysNothingIsSaidOfAToken(
        reply: ScriptedTransport.Reply, cause: NetworkError.Code
    ) async throws {
        let transport = ScriptedTransport(reply, .status(200, try KeySetRig.set(["k"])))
        let (verifier, _) = try rig.verifier(transport)
        let error = await rig.error(verifier, try rig.token("k"))
        #expect(error?.code == .keysUnavailable)
        #expect(error?.cause == cause)
        // Not again at once, and then it goes on.
        #expect(await rig.code(verifier, try rig.token("k")) == .keysUnavailable)
        #expect(transport.requests.count == 1)
        rig.clock.advance(by: .seconds(1))
        #expect(await rig.code(verifier, try rig.token("k")) == nil)
        #expect(transport.requests.map(\.origin.host) == ["login.example.com", "login.example.com"])
    }

    @Test func anAnswerFromElsewhereIsNotTaken() async throws {
        struct Wandering: Transport {
            let body: String
            func send(
                _ request: HTTPRequest, context: RequestContext
            ) async throws(NetworkError) -> HTTPResponse {
                HTTPResponse(
                    status: 200, body: .bytes(Array(body.utf8)),
                    exchange: Exchange(origin: try Origin("https://elsewhere.example")))
            }
        }
        let (verifier, _) = try rig.verifier(Wandering(body: try KeySetRig.set(["k"])))
        let error = await rig.error(verifier, try rig.token("k"))
        #expect(error?.cause == NetworkError.redirectRefused)
    }

    @Test func keysAreUsedOnWhileTheIssuerIsDown() async throws {
        let transport = ScriptedTransport(.status(200, try KeySetRig.set(["k"])), .status(503))
        let (verifier, source) = try rig.verifier(transport)
        #expect(await rig.code(verifier, try rig.token("k")) == nil)
        rig.clock.advance(by: .seconds(600))
        // The first one waits for the failure, the others are served at once.
        for _ in 0..<5 { #expect(await rig.code(verifier, try rig.token("k")) == nil) }
        #expect(transport.requests.count == 2)
        // A key that is not at hand may be a new one.
        #expect(await rig.code(verifier, try rig.token("new")) == .keysUnavailable)
        #expect(transport.requests.count == 2)
        rig.clock.advance(by: .seconds(3600))
        let error = await rig.error(verifier, try rig.token("k"))
        #expect(error?.code == .keysUnavailable)
        #expect(error?.cause == NetworkError.unacceptableStatus)
        #expect(source.current == nil)
    }

    @Test func failuresAreAnsweredWithPatience() async throws {
        let transport = ScriptedTransport { _, index in
            .status(503, fields: index == 6 ? [.retryAfter: "300"] : [:])
        }
        let (verifier, _) = try rig.verifier(transport)
        let token = try rig.token("k")
        var waits: [Int] = []
        for _ in 0..<8 {
            let count = transport.requests.count
            var waited = 0
            while transport.requests.count == count, waited < 1000 {
                _ = await rig.code(verifier, token)
                if transport.requests.count == count {
                    rig.clock.advance(by: .seconds(1))
                    waited += 1
                }
            }
            waits.append(waited)
        }
        #expect(waits == [0, 1, 2, 4, 8, 16, 32, 300])
    }

    @Test func anIssuerThatNeverAnswersIsGivenUp() async throws {
        let gate = Gate()
        let set = try KeySetRig.set(["k"])
        let transport = ScriptedTransport { _, index in
            if index == 0 { await gate.pass() }
            return .status(200, set)
        }
        let (verifier, source) = try rig.verifier(transport)
        let token = try rig.token("k")
        let task = Task { await rig.error(verifier, token) }
        await gate.waitForArrivals(1)
        await rig.clock.waitForSleepers(1)
        rig.clock.advance(by: .seconds(10))
        #expect(await task.value?.cause == NetworkError.timeout)
        rig.clock.advance(by: .seconds(1))
        #expect(await rig.code(verifier, token) == nil)
        // What comes too late is not taken.
        gate.open()
        #expect(source.current?.keys.count == 1)
    }

    @Test func nothingIsPrinted() async throws {
        let transport = ScriptedTransport(.status(200, #"{"c4n4ry":"c4n4ry"}"#))
        let (verifier, source) = try rig.verifier(transport)
        let error = await rig.error(verifier, try rig.token("c4n4ry", ["sub": "c4n4ry"]))
        let values: [Any] = [verifier, source, error as Any]
        var text = ""
        for value in values {
            text += "\(value)" + String(reflecting: value)
            dump(value, to: &text)
        }
        #expect(!text.contains("c4n4ry"))
    }
}
