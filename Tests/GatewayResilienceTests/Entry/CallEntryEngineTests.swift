import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite struct CallEntryEngineTests {
    private func engine(_ transport: ScriptedTransport, events: EventRecorder? = nil) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = .immediate(attempts: 2)
        configuration.events = events
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    @Test func startAndEndAreEventsOfTheSameCall() async throws {
        let recorder = EventRecorder()
        let engine = engine(ScriptedTransport(.status(503), .status(200)), events: recorder)
        let response = try await engine.send(
            try HTTPRequest(.get, "http://h/x"), options: CallOptions(), operation: "getX")
        #expect(response.exchange.attempts == 2)
        let events = recorder.events
        #expect(Set(events.map(\.callID)).count == 1)
        #expect(events.allSatisfy { $0.operation?.description == "getX" })
        guard case .started? = events.first?.kind,
            case .succeeded(status: 200, attempts: 2, _)? = events.last?.kind
        else {
            Issue.record("not a start and a success: \(events.map(\.kind))")
            return
        }
    }

    @Test func aFailureIsAnEvent() async throws {
        let recorder = EventRecorder()
        let engine = engine(
            ScriptedTransport(
                .failure(
                    NetworkError(
                        .dnsFailure, "no such name", origin: try Origin("http://h"), phase: .resolve))),
            events: recorder)
        await #expect(throws: NetworkError.self) {
            try await engine.send(try HTTPRequest(.get, "http://h/x"))
        }
        guard case .failed(let cause, attempts: 2, _)? = recorder.events.last?.kind else {
            Issue.record("no failure")
            return
        }
        #expect(cause == FailureCause(.dnsFailure, phase: .resolve, origin: try Origin("http://h")))
    }

    @Test func whatMustNotReachTheWireDoesNot() async throws {
        let transport = ScriptedTransport(.status(200))
        var request = try HTTPRequest(.get, "http://h/x")
        request.fields["X"] = "a\r\nEvil: 1"
        let error = await #expect(throws: NetworkError.self) {
            try await self.engine(transport).send(request)
        }
        #expect(error?.code == .invalidRequest && error?.attempts == 0)
        #expect(transport.requests.isEmpty)
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let transport = ScriptedTransport(.status(200))
        let engine = engine(transport)
        let gate = Gate()
        let call = Task {
            await gate.pass()
            return try await engine.send(try HTTPRequest(.get, "http://h/x"))
        }
        await gate.waitForArrivals(1)
        call.cancel()
        gate.open()
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        #expect(transport.requests.isEmpty)
    }

    @Test func aTypedRequestGetsATypedAnswer() async throws {
        struct Length: NetworkRequest {
            func httpRequest() throws(NetworkError) -> HTTPRequest { try HTTPRequest(.get, "http://h/x") }
            func decode(_ response: HTTPResponse) throws -> Int { response.body.bytes?.count ?? 0 }
        }
        let ok = engine(ScriptedTransport(.status(200, "four")))
        #expect(try await ok.send(Length()) == 4)
        let missing = engine(ScriptedTransport(.status(404)))
        let error = await #expect(throws: NetworkError.self) { try await missing.send(Length()) }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.status == 404)
    }
}
