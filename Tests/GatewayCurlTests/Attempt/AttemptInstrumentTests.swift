import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite struct AttemptInstrumentTests {
    /// Notes spans and their ends.
    private final class Notes: AttemptInstrument {
        let lines = Locked<[String]>([])

        func willSend(_ request: inout HTTPRequest, context: RequestContext) -> UInt64 {
            request.fields["traceparent"] = "written"
            lines.withLock { $0.append("begin \(context.attempt.number) \(context.attempt.reason.rawValue)") }
            return UInt64(context.attempt.number)
        }

        func didEnd(_ span: UInt64, _ end: AttemptEnd, context: RequestContext) {
            lines.withLock { $0.append("end \(span) \(end.outcome)") }
        }
    }

    @Test func eachAttemptIsASpan() async throws {
        let (notes, transport) = (
            Notes(),
            ScriptedTransport(.status(503), .failure(NetworkError(.connectionLost, "lost")), .status(200))
        )
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = .immediate(attempts: 3)
        configuration.instrument = notes
        _ = try await AsyncRequestEngine(transport: transport, configuration: configuration).send(
            try HTTPRequest(.get, "http://127.0.0.1/x"))
        #expect(transport.requests.allSatisfy { $0.fields["traceparent"] == "written" })
        #expect(
            notes.lines.withLock { $0 } == [
                "begin 1 first", "end 1 response(status: 503)", "begin 2 retry",
                "end 2 error(connection_lost, phase: nil)", "begin 3 retry", "end 3 response(status: 200)",
            ])
    }

    @Test func withoutATraceNothingIsSent() async throws {
        let transport = ScriptedTransport(.status(200))
        _ = try await AttemptEngine(transport: transport).send(
            try HTTPRequest(.get, "http://127.0.0.1/x"), context: RequestContext())
        #expect(transport.requests.allSatisfy { $0.fields.isEmpty })
    }
}
