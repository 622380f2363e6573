import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite struct TracedIdentityTests {
    private func identity(_ fields: HTTPFields, ignoring: [HTTPField.Name] = []) throws -> RequestIdentity? {
        RequestIdentity(
            try HTTPRequest(.get, "http://127.0.0.1/x", fields: fields), context: RequestContext(),
            ignoring: ignoring)
    }

    @Test func traceFieldsDoNotCount() throws {
        let plain = try identity(["Accept": "a"])
        #expect(
            try identity(["traceparent": "1", "Accept": "a", "tracestate": "2", "Baggage": "3"]) == plain)
        #expect(try identity(["Accept": "a", "X-Request-ID": "1"]) != plain)
        #expect(try identity(["Accept": "a", "x-request-id": "1"], ignoring: ["X-Request-ID"]) == plain)
    }

    /// A call with a shorter limit must not decide the outcome of another.
    @Test func callsWithOtherLimitsDoNotShare() throws {
        let request = try HTTPRequest(.get, "http://127.0.0.1/x")
        func identity(_ limits: AttemptLimits?) -> RequestIdentity? {
            RequestIdentity(request, context: RequestContext(options: CallOptions(limits: limits)))
        }
        let short = AttemptLimits(firstByte: .milliseconds(50))
        #expect(identity(short) == identity(short) && identity(short) != identity(nil))
        #expect(identity(short) != identity(AttemptLimits(firstByte: .seconds(1))))
    }

    /// Each of two calls with trace contexts has its own, and they share one request, which carries the leader's trace
    /// under a new span.
    @Test func tracedCallsShareAndTheAttemptCarriesATrace() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        let engine = AsyncRequestEngine(transport: transport)
        let request = try HTTPRequest(.get, "http://127.0.0.1/x")
        let traces = [1, 2].compactMap { TraceContext(traceIDHigh: 1, traceIDLow: $0, spanID: 9, flags: 1) }
        let leader = Task { try await engine.send(request, options: CallOptions(trace: traces[0])) }
        await gate.waitForArrivals(1)
        let recorder = EventRecorder()
        var context = RequestContext(options: CallOptions(trace: traces[1]))
        context.events = recorder
        let follower = Task { [context] in try await engine.send(request, context: context) }
        await eventually { recorder.events.count >= 2 }
        gate.open()
        #expect(try await [leader.value, follower.value].map(\.status) == [200, 200])
        let sent = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        let parent = try #require(TraceContext(traceparent: sent.fields["traceparent"] ?? ""))
        #expect(parent.traceIDLow == 1 && parent.spanID == 9 && parent.isSampled)
    }
}
