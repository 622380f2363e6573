import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

/// What the events of a call say of failures, and of the server's ID of its requests.
@Suite(.timeLimit(.minutes(1))) struct FailureEventTests {
    private static func engine(_ transport: ScriptedTransport, _ sink: (any RequestEventSink)?)
        -> AsyncRequestEngine
    {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.events = sink
        configuration.retry.policy = .immediate(attempts: 2)
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    private final class Sink: RequestEventSink {
        let interests: EventInterests = [.calls]
        let requestIDFields: [HTTPField.Name]
        let ids = Locked<[String?]>([])

        init(_ fields: [HTTPField.Name] = []) { requestIDFields = fields }

        func record(_ event: borrowing RequestEvent) {
            let id = event.requestID
            ids.withLock { $0.append(id) }
        }
    }

    /// `telemetry.request-id`
    @Test func eventsAboutAResponseHaveItsID() async throws {
        let recorder = EventRecorder()
        let engine = Self.engine(
            ScriptedTransport(
                .status(503, fields: ["X-Request-ID": "first"]),
                .status(200, fields: ["X-Amzn-RequestId": "second"])), recorder)
        _ = try await engine.send(try HTTPRequest(.get, "http://h/x"))
        let ids = recorder.events.compactMap { event -> String? in
            switch event.kind {
            case .attemptEnded, .retryScheduled, .succeeded: event.requestID ?? "none"
            default: event.requestID
            }
        }
        #expect(ids == ["first", "first", "second", "second"])
    }

    /// `telemetry.request-id`: a sink of a call has the IDs that the engine's sink does not want, and both the union.
    @Test func onlyASinkThatWantsIDsHasThem() async throws {
        let reply = ScriptedTransport.Reply.status(200, fields: ["X-Request-ID": "id", "CF-Ray": "ray"])
        let (plain, other) = (Sink(), Sink(["CF-Ray"]))
        let engine = Self.engine(ScriptedTransport(reply), plain)
        _ = try await engine.send(try HTTPRequest(.get, "http://h/x"))
        #expect(plain.ids.withLock { $0 } == [nil, nil])
        var context = RequestContext()
        context.events = other
        _ = try await engine.send(try HTTPRequest(.get, "http://h/x"), context: context)
        #expect(other.ids.withLock { $0 } == [nil, "ray"])
    }

    private static func stream(_ error: NetworkError?) -> ScriptedTransport.Reply {
        .streamed(
            status: 200, fields: ["X-Request-ID": "id"],
            AsyncThrowingStream<HTTPBody.Chunk, any Error> { continuation in
                continuation.yield([1, 2][...])
                continuation.finish(throwing: error)
            })
    }

    private func read(_ reply: ScriptedTransport.Reply) async throws -> [RequestEvent] {
        let recorder = EventRecorder()
        let engine = Self.engine(ScriptedTransport(reply), recorder)
        var context = RequestContext()
        context.response = .stream
        let response = try await engine.send(try HTTPRequest(.get, "http://h/x"), context: context)
        do { for try await chunk in response.body { #expect(chunk.count == 2) } } catch {}
        return recorder.events.filter { event in
            if case .bodyFailed = event.kind { return true }
            return false
        }
    }

    /// `telemetry.body-failures`
    @Test func aBodyThatEndsEarlyIsAnEvent() async throws {
        let origin = try Origin("http://h")
        let events = try await read(
            Self.stream(NetworkError(.truncated, "Lost.", origin: origin, phase: .receive)))
        #expect(events.count == 1 && events.first?.requestID == "id")
        guard case .bodyFailed(let cause)? = events.first?.kind else {
            Issue.record("no event")
            return
        }
        #expect(cause == FailureCause(.truncated, phase: .receive, origin: origin))
    }

    /// `telemetry.body-failures`
    @Test func aBodyThatEndsOrIsCancelledIsNone() async throws {
        #expect(try await read(Self.stream(nil)).isEmpty)
        #expect(try await read(Self.stream(NetworkError(.cancelled, "Cancelled."))).isEmpty)
        #expect(try await read(.status(200)).isEmpty)
    }
}
