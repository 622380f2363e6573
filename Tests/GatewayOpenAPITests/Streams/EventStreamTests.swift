import GatewayCore
import GatewayJSON
import GatewayTesting
import Synchronization
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

@Suite struct EventStreamTests {
    private struct Delta: JSONObjectDecodable, Equatable {
        let n: Int
        init(fields o: inout JSONObject) throws(JSONError) { n = try o.int("n") }
    }

    private func request(_ reply: ScriptedTransport.Reply, limit: Int? = nil) -> RequestBuilder {
        let client = APIClient(
            server: "https://api.test", credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: ScriptedEngine(reply))
        return RequestBuilder(
            client,
            OperationDescriptor(
                id: "op", method: "GET", path: "/x", accept: "text/event-stream", security: nil,
                idempotencyKey: nil),
            CallOptions(responseLimit: limit))
    }

    private func stream<Event: JSONDecodable & Sendable>(
        _ text: String, _ type: Event.Type = Delta.self, framing: StreamFraming = .events, limit: Int? = nil
    ) -> EventStream<Event, NoDocumentedFailure> {
        EventStream(request(.status(200, text), limit: limit), framing, from: 200, through: 299)
    }

    @Test func valuesComeUntilDone() async throws {
        var got: [Int] = []
        for try await delta in stream(
            "data: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: [DONE]\n\ndata: {\"n\":3}\n\n")
        {
            got.append(delta.n)
        }
        #expect(got == [1, 2])
    }

    @Test func linesComeToTheEnd() async throws {
        var got: [Int] = []
        for try await delta in stream("{\"n\":1}\n{\"n\":2}", framing: .lines) { got.append(delta.n) }
        #expect(got == [1, 2])
    }

    @Test func textIsNotReadAsJSON() async throws {
        var got: [String] = []
        for try await text in stream("data: {\n\ndata\n\n", String.self) { got.append(text) }
        #expect(got == ["{", ""])
    }

    @Test(arguments: [(".lines", "\"a\"\n\"\\u00e9\"\n"), (".sequence", "\u{1E}\"a\"\n\u{1E}\"é\"\n")])
    func stringsOnLinesAreJSON(framing: String, text: String) async throws {
        var got: [String] = []
        for try await text in stream(text, String.self, framing: framing == ".lines" ? .lines : .sequence) {
            got.append(text)
        }
        #expect(got == ["a", "é"])
        var iterator = stream("plain\n", String.self, framing: .lines).makeAsyncIterator()
        let error = await #expect(throws: APIError<NoDocumentedFailure>.self) { try await iterator.next() }
        #expect(error?.code == .decodingFailed)
    }

    @Test func messagesHaveTypesAndIds() async throws {
        var got: [ServerSentEvent] = []
        for try await event in stream("event: a\nid: 1\ndata: x\n\n").messages { got.append(event) }
        #expect(got == [ServerSentEvent(type: "a", data: "x", id: "1")])
    }

    @Test(arguments: [
        (".events", "data: {\"n\":1}\n\n:\n\ndata: {}\n\ndata: {\"n\":2}\n\n", "Event 2"),
        (".lines", "{\"n\":1}\n\n{}\n{\"n\":2}\n", "Line 3"),
        (".sequence", "\u{1E}{\"n\":1}\n\u{1E}{}\n\u{1E}{\"n\":2}\n", "Record 2"),
    ])
    func aValueThatIsNoneIsAnErrorOfItsOwn(framing: String, text: String, place: String) async throws {
        let framing: StreamFraming =
            framing == ".events" ? .events : framing == ".lines" ? .lines : .sequence
        var iterator = stream(text, framing: framing).makeAsyncIterator()
        #expect(try await iterator.next()?.n == 1)
        let error = await #expect(throws: APIError<NoDocumentedFailure>.self) { try await iterator.next() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.hasPrefix(place + " of the stream") == true)
        #expect((error?.cause as? JSONError)?.code == .missing)
        #expect(try await iterator.next()?.n == 2)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test func aLoopEndsWithAValueThatIsNone() async throws {
        var got: [Int] = []
        do {
            for try await delta in stream("{\"n\":1}\n{\n{\"n\":2}\n", framing: .lines) {
                got.append(delta.n)
            }
            Issue.record("no error")
        } catch {
            #expect(error.message.hasPrefix("Line 2 of the stream"))
        }
        #expect(got == [1])
    }

    @Test func aStatusThatIsNoSuccessIsAnError() async throws {
        let stream = EventStream<Delta, NoDocumentedFailure>(
            request(.status(503, "{}")), .events, from: 200, through: 299)
        var iterator = stream.makeAsyncIterator()
        let error = await #expect(throws: APIError<NoDocumentedFailure>.self) { try await iterator.next() }
        #expect(error?.status == 503)
    }

    @Test func aRefusedStreamKeepsItsResponse() async throws {
        let reply = ScriptedTransport.Reply.status(
            418, fields: ["Content-Type": "text/plain", "Retry-After": "4"], "I am a teapot")
        let stream = EventStream<Delta, NoDocumentedFailure>(request(reply), .events, from: 200, through: 299)
        var iterator = stream.makeAsyncIterator()
        let error = await #expect(throws: APIError<NoDocumentedFailure>.self) { try await iterator.next() }
        guard case .undocumented(let response) = error?.failure else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try response.status == 418 && response.text() == "I am a teapot")
        #expect(response.decodingError == nil)
        #expect(error?.retryAfter == .seconds(4))
    }

    /// Chunks, then an error.
    private func chunks(_ texts: String..., error: (any Error)? = nil) -> HTTPBody.Chunks {
        AsyncThrowingStream<HTTPBody.Chunk, any Error> { continuation in
            for text in texts { continuation.yield(Array(text.utf8)[...]) }
            continuation.finish(throwing: error)
        }
    }

    @Test func aStreamThatBreaksOffKeepsItsHead() async throws {
        let body = chunks("{\"n\":1}\n{", error: NetworkError(.connectionLost, "Lost."))
        let fields: HTTPFields = ["X-Request-ID": "r-1"]
        let stream = EventStream<Delta, NoDocumentedFailure>(
            request(.streamed(status: 200, fields: fields, body)), .lines, from: 200, through: 299)
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next()?.n == 1)
        let error = await #expect(throws: APIError<NoDocumentedFailure>.self) { try await iterator.next() }
        #expect(error?.networkError?.code == .connectionLost)
        #expect(error?.status == 200 && error?.requestID == "r-1" && error?.attempts == 1)
        #expect(error?.body == [] && error?.response?.isBodyTruncated == true)
        #expect(error?.origin?.host == "api.test" && error?.guidance == .retry)
    }

    /// The error of a call that is refused with a body of these chunks, opened as a stream.
    private func refusal(_ body: HTTPBody.Chunks, limit: Int?) async -> APIError<NoDocumentedFailure>? {
        let fields: HTTPFields = ["Retry-After": "9"]
        let reply = await request(.streamed(status: 503, fields: fields, body), limit: limit)
            .open(from: 200, through: 299)
        return #expect(throws: APIError<NoDocumentedFailure>.self) {
            let _: APIResponse<ResponseBody, UndocumentedHeaders> = try reply.stream(
                NoDocumentedFailure.self)
        }
    }

    @Test func aRefusalThatCannotBeReadKeepsWhatCame() async throws {
        let whole = await refusal(chunks("ab", "cd"), limit: 4)
        guard case .undocumented? = whole?.failure else {
            Issue.record("\(String(describing: whole))")
            return
        }
        #expect(try whole?.response?.text() == "abcd" && whole?.response?.isBodyTruncated == false)

        let large = await refusal(chunks("ab", "cd"), limit: 3)
        #expect(large?.networkError?.code == .responseTooLarge)
        #expect(try large?.response?.text() == "abcd" && large?.response?.isBodyTruncated == true)
        #expect(large?.status == 503 && large?.retryAfter == .seconds(9))

        let lost = await refusal(chunks("ab", error: NetworkError(.connectionLost, "Lost.")), limit: nil)
        #expect(lost?.networkError?.code == .connectionLost)
        #expect(try lost?.response?.text() == "ab" && lost?.response?.isBodyTruncated == true)
        #expect(lost?.status == 503 && lost?.attempts == 1 && lost?.retryAfter == .seconds(9))
    }

    /// Events without end, and how many readers they have.
    private struct LiveEvents: AsyncSequence, Sendable {
        final class Readers: Sendable {
            let count = Atomic(0)
        }

        final class Iterator: AsyncIteratorProtocol {
            let readers: Readers

            init(_ readers: Readers) {
                self.readers = readers
                readers.count.add(1, ordering: .relaxed)
            }

            deinit { readers.count.subtract(1, ordering: .relaxed) }

            func next() async throws -> HTTPBody.Chunk? { Array("data: {\"n\":1}\n\n".utf8)[...] }
        }

        let readers = Readers()

        func makeAsyncIterator() -> Iterator { Iterator(readers) }
    }

    /// The soak runs this in optimized code, where an iterator that holds an existential by value is
    /// never released.
    @Test func aCallEndsWhenItsIteratorIsSetToNil() async throws {
        let events = LiveEvents()
        let stream = EventStream<Delta, NoDocumentedFailure>(
            request(.streamed(status: 200, events)), .events, from: 200, through: 299)
        var iterator: EventStream<Delta, NoDocumentedFailure>.Iterator? = stream.makeAsyncIterator()
        #expect(try await iterator?.next()?.n == 1)
        #expect(events.readers.count.load(ordering: .relaxed) == 1)
        iterator = nil
        #expect(events.readers.count.load(ordering: .relaxed) == 0)
    }

    @Test func aValueHasALimit() async throws {
        var iterator = stream(String(repeating: "x", count: 100), limit: 10).makeAsyncIterator()
        let error = await #expect(throws: APIError<NoDocumentedFailure>.self) { try await iterator.next() }
        #expect(error?.code == .responseTooLarge)
    }

    @Test(arguments: [
        (".lines", "{\"n\":1}\n{\"n\":2}\n"), (".events", "data: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: "),
        (".sequence", "\u{1E}{\"n\":1}\n\u{1E}{\"n\":2}\n\u{1E}"),
    ])
    func whatCameBeforeALargeValueIsKept(framing: String, text: String) async throws {
        let framing: StreamFraming =
            framing == ".events" ? .events : framing == ".lines" ? .lines : .sequence
        let text = text + String(repeating: "x", count: 100)
        var iterator = stream(text, framing: framing, limit: 50).makeAsyncIterator()
        #expect(try await iterator.next()?.n == 1)
        #expect(try await iterator.next()?.n == 2)
        let error = await #expect(throws: APIError<NoDocumentedFailure>.self) { try await iterator.next() }
        #expect(error?.code == .responseTooLarge && error?.status == 200)
        #expect(try await iterator.next() == nil)
    }

    @Test func heldResponsesHaveTheLimitOfTheirOptions() async throws {
        let reply = await request(.status(200, "abc"), limit: 2).send()
        #expect(throws: APIError<NoDocumentedFailure>.self) {
            let _: APIResponse<[UInt8], UndocumentedHeaders> = try reply.bytes(
                from: 200, through: 200, NoDocumentedFailure.self)
        }
    }
}
