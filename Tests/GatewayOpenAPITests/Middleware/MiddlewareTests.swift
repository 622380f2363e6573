import GatewayClient
import GatewayTesting
import Testing

/// Middleware of a generated client.
@Suite struct MiddlewareTests {
    /// What all middleware of a client saw, in order.
    final class Journal: Sendable {
        private let lines = Locked<[String]>([])

        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Notes what it sees, and does as it is told.
    struct Noting: CallMiddleware {
        let name: String
        let journal: Journal
        var act: @Sendable (inout HTTPRequest) throws -> HTTPResponse? = { _ in nil }

        func willSend(
            _ request: inout HTTPRequest, of call: MiddlewareCall
        ) async throws -> HTTPResponse? {
            let credential = request.fields[.authorization] == nil ? "" : " with a credential"
            journal.add("\(name) sends \(call.operation.id)\(credential)")
            return try act(&request)
        }

        func didReceive(
            _ response: HTTPResponse, to request: HTTPRequest, of call: MiddlewareCall
        ) async {
            journal.add("\(name) receives \(response.status) of \(request.path)")
        }

        func didFail(_ error: APIError<some DocumentedFailure>, of call: MiddlewareCall) {
            var kind = "failed"
            if case .documented = error.failure { kind = "documented" }
            if case .undocumented = error.failure { kind = "undocumented" }
            journal.add("\(name) sees \(kind) \(error.code) of \(call.operation.id)")
        }
    }

    static func json(_ status: Int, _ body: String) -> ScriptedTransport.Reply {
        .status(
            status,
            fields: [.contentType: status < 400 ? "application/json" : "application/problem+json"], body)
    }

    private let journal = Journal()
    private let recorder = EventRecorder()

    private func client(
        _ transport: ScriptedTransport, token: OAuthCredential? = .token("t"), _ chain: MiddlewareChain
    ) -> BookshopClient {
        var configuration = GatewayConfiguration()
        configuration.events = recorder
        configuration.retry.policy = .immediate(attempts: 2)
        return BookshopClient(
            server: .init(url: "https://api.test/v1"), credentials: .init(bookshopAuth: token),
            middleware: chain,
            engine: GatewayEngine(
                transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration))
    }

    private func noting(
        _ name: String = "a",
        _ act: @escaping @Sendable (inout HTTPRequest) throws -> HTTPResponse? = { _ in nil }
    ) -> Noting { Noting(name: name, journal: journal, act: act) }

    /// The kinds of events of all calls.
    private var events: [String] {
        recorder.events.compactMap { event in
            switch event.kind {
            case .started: "started"
            case .succeeded(let status, _, _): "succeeded \(status)"
            case .failed(let cause, _, _): cause.code.name
            case .cancelled: "cancelled"
            default: nil
            }
        }
    }

    /// It sees a call once, whatever the number of attempts, and no credential.
    @Test func aFieldIsSentWithEachAttempt() async throws {
        let transport = ScriptedTransport(.status(503), Self.json(200, BookshopCallTests.book))
        let api = client(
            transport,
            [
                noting {
                    $0.fields["X-Tenant"] = "a"
                    return nil
                }
            ])
        #expect(try await api.books.get(bookId: "b").title == "Emma")
        #expect(transport.requests.map { $0.fields["X-Tenant"] } == ["a", "a"])
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer t", "Bearer t"])
        #expect(journal.all == ["a sends getBook", "a receives 200 of /v1/books/b"])
        #expect(try await api.books.withResponse.get(bookId: "b").status == 200)
        #expect(journal.all.count == 4)
    }

    @Test func requestsPassItForwardsAndTheRestBackwards() async throws {
        let api = client(
            ScriptedTransport(Self.json(404, #"{"title":"None","status":404}"#)),
            [noting("a"), noting("b")])
        _ = try? await api.books.get(bookId: "b")
        #expect(
            journal.all == [
                "a sends getBook", "b sends getBook", "b receives 404 of /v1/books/b",
                "a receives 404 of /v1/books/b", "b sees documented unacceptable_status of getBook",
                "a sees documented unacceptable_status of getBook",
            ])
    }

    @Test(arguments: [
        (json(404, #"{"title":"None","status":404}"#), "documented unacceptable_status"),
        (json(200, "{"), "undocumented decoding_failed"),
        (ScriptedTransport.Reply.failure(NetworkError(.connectionLost, "Lost.")), "failed connection_lost"),
    ])
    func typedErrorsAreSeenOnce(reply: ScriptedTransport.Reply, kind: String) async {
        let api = client(ScriptedTransport(reply), [noting()])
        await #expect(throws: APIError<Bookshop.GetBookFailure>.self) {
            _ = try await api.books.get(bookId: "b")
        }
        #expect(journal.all.filter { $0.contains(" sees ") } == ["a sees \(kind) of getBook"])
    }

    private struct IDs: CallMiddleware {
        let journal: Journal
        func didFail(_ error: APIError<some DocumentedFailure>, of call: MiddlewareCall) {
            journal.add("\(call.id)")
        }
    }

    /// Calls that fail before they are sent have an error, an ID and events, too.
    @Test func aCallThatIsNotSentIsSeenToFail() async {
        let api = client(ScriptedTransport(), [noting(), IDs(journal: journal)])
        _ = try? await api.books.get(bookId: "..")
        #expect(events == ["started", "invalid_request"])
        #expect(
            journal.all == [
                "\(recorder.events.first?.callID ?? 0)", "a sees failed invalid_request of getBook",
            ])
    }

    // MARK: Answers

    private static func answer(_ status: Int, _ body: String)
        -> @Sendable (inout HTTPRequest) -> HTTPResponse?
    {
        { request in
            HTTPResponse(
                status: status, fields: [.contentType: "application/json"], body: .bytes(Array(body.utf8)),
                exchange: Exchange(origin: request.origin, attempts: 0))
        }
    }

    @Test func aFixtureAnswersAsTheServerWould() async throws {
        let transport = ScriptedTransport()
        let api = client(
            transport, [noting("a"), noting("b", Self.answer(200, BookshopCallTests.book)), noting("c")])
        let response = try await api.books.withResponse.get(bookId: "b")
        #expect(response.value.title == "Emma" && response.attempts == 0)
        #expect(
            journal.all == ["a sends getBook", "b sends getBook", "a receives 200 of /v1/books/b"])
        #expect(transport.requests.isEmpty && events == ["started", "succeeded 200"])
        #expect(Set(recorder.events.map(\.callID)).count == 1)
    }

    /// Also by the middleware whose request another one answered or refused.
    @Test(arguments: [true, false])
    func allMiddlewareSeesAnError(isAnswered: Bool) async {
        let api = client(
            ScriptedTransport(),
            [
                noting("a"),
                noting("b") { request in
                    guard isAnswered else { throw NetworkError(.other, "No.") }
                    return Self.answer(200, "{")(&request)
                },
                noting("c"),
            ])
        _ = try? await api.books.get(bookId: "b")
        let failure = isAnswered ? "undocumented decoding_failed" : "failed other"
        #expect(
            journal.all
                == ["a sends getBook", "b sends getBook"]
                + (isAnswered ? ["a receives 200 of /v1/books/b"] : [])
                + ["c", "b", "a"].map { "\($0) sees \(failure) of getBook" })
    }

    @Test func anAnswerThatCannotBeDecodedIsAFailure() async {
        let api = client(ScriptedTransport(), [noting("a", Self.answer(200, "{"))])
        let error = await #expect(throws: APIError<Bookshop.GetBookFailure>.self) {
            _ = try await api.books.get(bookId: "b")
        }
        #expect(error?.code == .decodingFailed && events == ["started", "decoding_failed"])
    }

    // MARK: Refusals

    private struct Odd: Error {}

    @Test(arguments: ["other", "cancelled", "rate_limited", "invalid_request", "insecure_origin"])
    func nothingIsSentOfWhatIsRefused(code: String) async throws {
        let transport = ScriptedTransport(Self.json(200, BookshopCallTests.book))
        let elsewhere = try Origin("https://other.test")
        let api = client(
            transport,
            [
                noting { request in
                    switch code {
                    case "other": throw Odd()
                    case "cancelled": throw CancellationError()
                    case "rate_limited": throw NetworkError(.rateLimited, "Later.")
                    case "invalid_request": request.fields["X-Broken"] = "a\nb"
                    default: request.origin = elsewhere
                    }
                    return nil
                }
            ])
        let error = await #expect(throws: APIError<Bookshop.GetBookFailure>.self) {
            _ = try await api.books.get(bookId: "b")
        }
        #expect(error?.code.name == code && transport.requests.isEmpty)
        #expect(events == ["started", code] && journal.all.last == "a sees failed \(code) of getBook")
    }

    // MARK: Pages, streams, prepared calls

    @Test func eachPageIsACall() async throws {
        let transport = ScriptedTransport { _, index in
            Self.json(200, index < 2 ? #"{"items":[],"nextCursor":"c"}"# : "{")
        }
        let api = client(transport, [noting()])
        await #expect(throws: APIError<Bookshop.ListBooksFailure>.self) {
            for try await _ in api.books.listAll() {}
        }
        #expect(
            journal.all == [
                "a sends listBooks", "a receives 200 of /v1/books", "a sends listBooks",
                "a receives 200 of /v1/books", "a sees failed repeated_page of listBooks",
            ])
    }

    @Test func aStreamIsSeenWithItsHeadAndItsErrors() async throws {
        let transport = ScriptedTransport(
            .status(200, fields: [.contentType: "text/event-stream"], "data: {\n\ndata: [DONE]\n\n"))
        let api = ArchiveClient(
            server: .init(url: "https://api.test"), middleware: [noting()],
            engine: GatewayEngine(transport: transport, tokenTransport: ScriptedTransport()))
        let failed = await #expect(throws: APIError<Archive.ListEntriesFailure>.self) {
            for try await _ in api.listEntries() {}
        }
        #expect(failed?.code == .decodingFailed)
        #expect(
            journal.all == [
                "a sends listEntries", "a receives 200 of /entries",
                "a sees undocumented decoding_failed of listEntries",
            ])
    }

    /// The request passes it when the call is prepared, the outcome when it is decoded.
    @Test func aPreparedCallIsSeenOnce() async throws {
        let transport = ScriptedTransport(Self.json(200, BookshopCallTests.book))
        let api = client(
            transport,
            [
                noting {
                    $0.fields["X-Tenant"] = "a"
                    return nil
                }
            ])
        let call = try await PreparedCall { try await api.books.get(bookId: "b") }
        #expect(call.request.fields["X-Tenant"] == "a" && transport.requests.isEmpty)
        #expect(journal.all == ["a sends getBook"])
        let response = HTTPResponse(
            status: 404, fields: [.contentType: "application/problem+json"],
            body: .bytes(Array(#"{"title":"None","status":404}"#.utf8)),
            exchange: Exchange(origin: call.request.origin))
        await #expect(throws: APIError<Bookshop.GetBookFailure>.self) {
            _ = try await call.decode(.success(response))
        }
        #expect(
            journal.all == [
                "a sends getBook", "a receives 404 of /v1/books/b",
                "a sees documented unacceptable_status of getBook",
            ])
        #expect(events.isEmpty)
    }

    @Test func aCallThatIsAnsweredCannotBePrepared() async {
        let api = client(ScriptedTransport(), [noting("a", Self.answer(200, BookshopCallTests.book))])
        let error = await #expect(throws: APIError<Bookshop.GetBookFailure>.self) {
            _ = try await PreparedCall { try await api.books.get(bookId: "b") }
        }
        #expect(error?.code == .invalidRequest && journal.all == ["a sends getBook"] && events.isEmpty)
    }
}
