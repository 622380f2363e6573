import GatewayCore
import GatewayTesting
import Testing

/// Request IDs that repeat a secret of the exchange, in logs and error messages.
@Suite struct EchoedSecretTests {
    /// `telemetry.request-id`
    @Test(
        arguments: [
            ("opaque-canary-token", nil), ("id-opaque-canary-token-1", nil), ("canary-token", nil),
            ("session-canary", nil),
            ("key-canary", nil), ("set-canary", nil), ("query-canary", nil),
            ("0af76519-16cd-43dd", "0af76519-16cd-43dd"),
            ("opaque-canary-tokem", "opaque-canary-tokem"), ("canary-trace", "canary-trace"), ("api", "api"),
        ] as [(String, String?)])
    func anIDThatRepeatsASecretIsRemoved(id: String, kept: String?) async throws {
        let transport = ScriptedTransport(
            .status(
                200,
                fields: [
                    .requestID: id, "CF-Ray": id, "Set-Cookie": "s=set-canary; Path=/",
                    "X-Other": "opaque-canary-token",
                ]))
        var request = try HTTPRequest(.get, "http://127.0.0.1/canary-path?q=query-canary&page=api")
        request.fields = [
            .authorization: "Bearer opaque-canary-token", .cookie: "a=b; c=session-canary",
            "X-Api-Key": "key-canary",
            "X-Trace": "canary-trace",
        ]
        let sink = BufferedEventSink(capacity: 1, requestIDFields: ["CF-Ray"]) { _ in }
        var context = RequestContext()
        context.events = sink
        let response = try await AttemptEngine(transport: transport).send(request, context: context)
        #expect(response.fields[.requestID] == kept && response.fields["CF-Ray"] == kept)
        #expect(response.fields["X-Other"] == "opaque-canary-token")
    }
}
