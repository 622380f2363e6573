import GatewayClient
import GatewayCore
import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

/// Streams of events that go on after a lost connection.
@Suite(.timeLimit(.minutes(1))) struct StreamResumptionTests {
    private static let lost = NetworkError(.connectionLost, "Lost.")

    /// A response that sends this and then loses its connection, or ends.
    private static func part(_ text: String, isWhole: Bool = false) -> ScriptedTransport.Reply {
        .streamed(
            status: 200,
            AsyncThrowingStream<HTTPBody.Chunk, any Error> { continuation in
                continuation.yield(Array(text.utf8)[...])
                continuation.finish(throwing: isWhole ? nil : lost)
            })
    }

    private func messages(
        _ engine: any RequestEngine, framing: StreamFraming = .events, attempts: Int? = 3,
        reconnectsAfterEnd: Bool = false, longestDelay: Duration = .zero,
        options: CallOptions = CallOptions()
    ) -> EventMessages<NoDocumentedFailure> {
        let client = APIClient(
            server: "https://api.test", credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: engine)
        let request = RequestBuilder(
            client,
            OperationDescriptor(
                id: "op", method: "GET", path: "/x", accept: "text/event-stream", security: nil,
                idempotencyKey: nil),
            options)
        let stream = EventStream<String, NoDocumentedFailure>(request, framing, from: 200, through: 299)
        guard let attempts else { return stream.messages }
        var resumption = StreamResumption()
        resumption.attempts = attempts
        resumption.longestDelay = longestDelay
        resumption.reconnectsAfterEnd = reconnectsAfterEnd
        return stream.resuming(resumption).messages
    }

    /// What came, and the error.
    private func read(
        _ messages: EventMessages<NoDocumentedFailure>
    ) async -> (events: [ServerSentEvent], error: APIError<NoDocumentedFailure>?) {
        var events: [ServerSentEvent] = []
        do throws(APIError<NoDocumentedFailure>) {
            for try await event in messages { events.append(event) }
        } catch { return (events, error) }
        return (events, nil)
    }

    /// `stream.resumed`
    @Test func aLostStreamGoesOnAfterItsLastEvent() async {
        let engine = ScriptedEngine(
            // What is not complete is sent again.
            Self.part("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c"),
            Self.part("data: c\n\nid: 4\n\nid: 5"), Self.part("data: d\n\n", isWhole: true))
        let (events, error) = await read(messages(engine))
        #expect(error == nil && events.map(\.data) == ["a", "b", "c", "d"])
        // An event without an ID has that of the one before, also over connections.
        #expect(events.map(\.id) == ["1", "2", "2", "4"])
        #expect(engine.requests.map { $0.fields["Last-Event-ID"] } == [nil, "2", "4"])
    }

    /// `stream.resumed`: what a server names its events is no error of the caller.
    @Test func anIDThatCannotBeSentBackEndsNothing() async {
        let engine = ScriptedEngine(
            Self.part("id: 1\ndata: a\n\nid: 2\u{1B}\ndata: b\n\n"), Self.part("data: c\n\n", isWhole: true))
        let (events, error) = await read(messages(engine))
        #expect(error == nil && events.map(\.data) == ["a", "b", "c"])
        #expect(engine.requests.map { $0.fields["Last-Event-ID"] } == [nil, "1"])
    }

    /// `stream.resumed`: an ID in the options is where the first call begins.
    @Test func anIDOfTheCallerIsReplacedByTheLastEvents() async {
        let engine = ScriptedEngine(
            Self.part(""), Self.part("id: 8\ndata: a\n\n"), Self.part("data: b\n\n", isWhole: true))
        let options = CallOptions(fields: ["last-event-id": "7"])
        let (events, error) = await read(messages(engine, options: options))
        #expect(error == nil && events.map(\.data) == ["a", "b"])
        #expect(engine.requests.map { $0.fields["Last-Event-ID"] } == ["7", "7", "8"])
    }

    /// `stream.resumed`
    @Test func itGivesUpAfterSoManyCallsWithoutAnEvent() async {
        let engine = ScriptedEngine(
            Self.part("id: 1\ndata: a\n\n"), .status(503), .failure(Self.lost),
            Self.part("id: 2\ndata: b\n\n"),
            .failure(Self.lost))
        let (events, error) = await read(messages(engine))
        #expect(events.map(\.data) == ["a", "b"] && error?.networkError?.code == .connectionLost)
        #expect(engine.requests.count == 4 + 3)
    }

    /// `stream.resumed`: what would lose or repeat events, and what the server refuses for good.
    @Test func whatCannotGoOnIsAnError() async {
        let withoutIDs = ScriptedEngine(Self.part("data: a\n\n"))
        let plain = await read(messages(withoutIDs))
        #expect(plain.events.count == 1 && plain.error?.networkError?.code == .connectionLost)
        #expect(withoutIDs.requests.count == 1)
        let lines = ScriptedEngine(Self.part("{\"id\":1}\n"))
        #expect(await read(messages(lines, framing: .lines)).error != nil && lines.requests.count == 1)
        let refused = ScriptedEngine(Self.part("id: 1\ndata: a\n\n"), .status(403))
        #expect(await read(messages(refused)).error?.status == 403 && refused.requests.count == 2)
        let first = ScriptedEngine(.failure(Self.lost))
        #expect(await read(messages(first)).error != nil && first.requests.count == 1)
        let ended = ScriptedEngine(Self.part("id: 1\ndata: a\n\n", isWhole: true))
        #expect(await read(messages(ended)).error == nil && ended.requests.count == 1)
        let plainly = ScriptedEngine(Self.part("id: 1\ndata: a\n\n"))
        #expect(await read(messages(plainly, attempts: nil)).error != nil && plainly.requests.count == 1)
    }

    /// `stream.reconnected`
    @Test func anEndedStreamGoesOnByOption() async {
        let engine = ScriptedEngine(
            Self.part("id: 1\ndata: a\n\n", isWhole: true), Self.part("id: 2\ndata: b\n\n"),
            .status(503), Self.part("data: c\n\n", isWhole: true), .status(204))
        let (events, error) = await read(messages(engine, reconnectsAfterEnd: true))
        #expect(error == nil && events.map(\.data) == ["a", "b", "c"])
        #expect(engine.requests.map { $0.fields["Last-Event-ID"] } == [nil, "1", "2", "2", "2"])
    }

    /// `stream.reconnected`: the server decides where a stream without IDs goes on; what it lost midway is an error.
    @Test func withoutIDsAnEndIsFollowedAndALossIsNot() async {
        let engine = ScriptedEngine(
            Self.part("data: a\n\n", isWhole: true), .failure(Self.lost), Self.part("data: b\n\n"))
        let (events, error) = await read(messages(engine, reconnectsAfterEnd: true))
        #expect(events.map(\.data) == ["a", "b"] && error?.networkError?.code == .connectionLost)
        #expect(engine.requests.count == 3)
    }

    /// `stream.reconnected`
    @Test func reconnectingEnds() async {
        let empty = ScriptedEngine(
            Self.part("id: 1\ndata: a\n\n", isWhole: true), Self.part("", isWhole: true),
            Self.part(": nothing\n\n", isWhole: true), Self.part("", isWhole: true))
        let (events, error) = await read(messages(empty, reconnectsAfterEnd: true))
        #expect(error == nil && events.count == 1 && empty.requests.count == 4)
        let done = ScriptedEngine(Self.part("id: 1\ndata: a\n\ndata: [DONE]\n\n", isWhole: true))
        #expect(await read(messages(done, reconnectsAfterEnd: true)).error == nil)
        #expect(done.requests.count == 1)
        let lines = ScriptedEngine(Self.part("{}\n", isWhole: true))
        #expect(await read(messages(lines, framing: .lines, reconnectsAfterEnd: true)).error == nil)
        #expect(lines.requests.count == 1)
    }

    /// `shutdown.waits`: a stream between two calls does not outlast its engine.
    @Test func aShutdownEndsTheWaitForTheNextCall() async {
        let clock = ManualClock()
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        let transport = ScriptedTransport(Self.part("id: 1\ndata: a\n\n"))
        let engine = GatewayEngine(
            transport: transport, tokenTransport: transport, configuration: configuration)
        let stream = messages(engine, longestDelay: .seconds(10))
        let reader = Task { await read(stream).error }
        await clock.waitForSleepers(1)
        await engine.shutdown(within: .zero)
        #expect(await reader.value?.networkError?.code == .closed)
    }

    @Test func retryAfterIsWaitedForUpToTheLongest() {
        var resumption = StreamResumption()
        func wait(_ share: Double, _ retryAfter: Duration?) -> Duration {
            resumption.wait(share, afterFailures: 1, retry: .seconds(4), retryAfter: retryAfter)
        }
        #expect(wait(0.5, nil) == .seconds(2))
        #expect(wait(0.5, .seconds(1)) == .seconds(2))
        #expect(wait(0.5, .seconds(3)) == .seconds(3))
        #expect(wait(0, .seconds(86_400)) == .seconds(10))
        resumption.longestDelay = .seconds(-1)
        #expect(wait(1, .seconds(86_400)) == .zero)
    }

    @Test func waitsDoubleUpToTheLongest() {
        let standard = StreamResumption()
        #expect(
            (1...6).map { standard.delay(afterFailures: $0, retry: nil) }
                == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
        #expect(standard.delay(afterFailures: 1, retry: .milliseconds(10)) == .milliseconds(10))
        #expect(standard.delay(afterFailures: .max, retry: .seconds(Int64.max)) == .seconds(10))
        #expect(standard.delay(afterFailures: 1, retry: .seconds(-1)) == .zero)
    }
}
