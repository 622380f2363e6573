import GatewayClient
import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

/// Failures of generated calls against a real server: what it answered is kept.
@Suite(.timeLimit(.minutes(2))) struct KeptResponseTests {
    /// A server that has begun to answer has received the request, whatever the error says that ended the response.
    @Test func aBegunResponseMeansThatTheRequestWasSent() {
        let error = NetworkError(.responseTooLarge, "too large")
        let begun = APIError<NoDocumentedFailure>(
            failed: error, operation: "watch", response: FailedResponse(status: 200))
        #expect(begun.mayHaveBeenSent)
        #expect(!APIError<NoDocumentedFailure>(failed: error, operation: "watch").mayHaveBeenSent)
    }

    /// Calls `getHealth`, which documents a 200 in JSON alone.
    private func health(_ reply: EmbeddedGateway.Reply) async throws -> APIError<Bookshop.GetHealthFailure> {
        try await failure(reply) { api throws(APIError<Bookshop.GetHealthFailure>) in
            _ = try await api.getHealth()
        }
    }

    /// Calls `getBook`, which documents a 404 and any other status as `application/problem+json`.
    private func book(_ reply: EmbeddedGateway.Reply) async throws -> APIError<Bookshop.GetBookFailure> {
        try await failure(reply) { api throws(APIError<Bookshop.GetBookFailure>) in
            _ = try await api.books.get(bookId: "bk-1")
        }
    }

    private func failure<Documented>(
        _ reply: EmbeddedGateway.Reply,
        _ call: (BookshopClient) async throws(APIError<Documented>) -> Void
    ) async throws -> APIError<Documented> {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        var configuration = GatewayConfiguration()
        configuration.retry.policy = .never
        let api = BookshopClient(
            server: .init(url: gateway.apiURL),
            credentials: .init(
                bookshopAuth: .clientCredentials(
                    id: gateway.client.id, secret: gateway.client.secret, tokenURL: gateway.tokenURL)),
            configuration: configuration)
        gateway.inject(.reply(reply))
        do {
            try await call(api)
        } catch {
            #expect(error.origin == gateway.origin)
            #expect(error.attempts == 1 && error.mayHaveBeenSent)
            return error
        }
        throw NetworkError(.other, "The call succeeded.")
    }

    private func kept<Documented>(
        _ error: APIError<Documented>, _ place: SourceLocation = #_sourceLocation
    ) throws -> FailedResponse {
        guard case .undocumented(let response) = error.failure else {
            Issue.record("\(error)", sourceLocation: place)
            throw error
        }
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", String(reflecting: error), "\(error.failure)", dumped] {
            #expect(!text.contains("s3cret"), sourceLocation: place)
        }
        return response
    }

    private static let html = "<html><body>Not Found s3cret</body></html>"

    @Test func aTeapotInPlainText() async throws {
        let error = try await health(.text("I am a teapot s3cret", status: 418))
        let response = try kept(error)
        #expect(response.status == 418)
        #expect(try response.text() == "I am a teapot s3cret")
        #expect(response.mediaType == "text/plain")
        #expect(response.fields[.contentType] == "text/plain; charset=utf-8")
        #expect(!response.isBodyTruncated && response.decodingError == nil)
        #expect(error.code == .unacceptableStatus && error.guidance == .correctRequest)
    }

    @Test func anHTMLPageInPlaceOfADocumented404() async throws {
        let error = try await book(.text(Self.html, status: 404, contentType: "text/html"))
        let response = try kept(error)
        #expect(try response.text() == Self.html)
        #expect((response.decodingError as? JSONError)?.code == .wrongType)
        #expect(error.status == 404 && error.code == .unacceptableStatus)
        #expect(error.guidance == .correctRequest && error.problem == nil)
    }

    @Test func aProxys502() async throws {
        let error = try await book(.text(Self.html, status: 502, contentType: "text/html"))
        #expect(try kept(error).text() == Self.html)
        #expect(error.status == 502 && error.guidance == .retry && error.category == .transient)
        #expect(error.retryAfter == nil)
    }

    @Test func aSuccessThatDoesNotMatch() async throws {
        let error = try await health(.text(Self.html, contentType: "text/html"))
        #expect(try kept(error).text() == Self.html)
        #expect(error.status == 200 && error.code == .decodingFailed && error.guidance == .report)
    }

    @Test(arguments: [65_536, 65_537, 1 << 20]) func theBodyHasALimit(count: Int) async throws {
        let error = try await health(.text(String(repeating: "x", count: count), status: 500))
        let response = try kept(error)
        #expect(response.body.count == 65_536)
        #expect(response.isBodyTruncated == (count > 65_536))
        #expect(error.guidance == .report)
    }

    @Test func problemsOfDocumentedFailures() async throws {
        var reply = EmbeddedGateway.Reply.problem(404, "There is no such book.", ["shelf": 7])
        reply.fields["X-Request-ID"] = "r-1"
        let error = try await book(reply)
        guard case .documented(.notFound(let problem)) = error.failure else { throw error }
        #expect(problem.title == "Not found")
        let any: any GatewayCallError = error
        #expect(any.problem?.detail == "There is no such book.")
        #expect(any.problem?.extensions == ["shelf": 7])
        #expect(any.requestID == "r-1" && any.operation == "getBook" && any.status == 404)
        #expect(any.cause == nil && any.guidance == .correctRequest)
    }

    @Test func problemsOfUndocumentedFailures() async throws {
        let error = try await health(.problem(409, "The stock is locked."))
        #expect(try kept(error).problem?.title == "Conflict")
        #expect(error.problem?.detail == "The stock is locked.")
        #expect(error.guidance == .correctRequest && error.category == .business)
    }

    @Test func retryAfterOfADocumented429() async throws {
        var reply = EmbeddedGateway.Reply.problem(429, "Too many requests.")
        reply.fields[.retryAfter] = "12"
        let error = try await book(reply)
        guard case .documented(.other(status: 429, _)) = error.failure else { throw error }
        #expect(error.retryAfter == .seconds(12))
        #expect(error.guidance == .retry)
    }

    @Test func retryAfterOfOthers() async throws {
        for status in [503, 403, 418] {
            var reply = EmbeddedGateway.Reply.text("Later.", status: status)
            reply.fields[.retryAfter] = "3"
            let error = try await health(reply)
            #expect(error.retryAfter == .seconds(3) && error.guidance == .retry)
        }
        let refused = try await health(.text("No.", status: 403))
        #expect(refused.guidance == .requestAccess && refused.retryAfter == nil)
    }

    // MARK: Streams

    private func stream(
        _ path: String, _ gateway: EmbeddedGateway
    ) -> EventStream<[String: Int], NoDocumentedFailure> {
        let client = APIClient(
            server: gateway.origin.description, credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: GatewayEngine())
        var options = CallOptions()
        options.retry = ExponentialRetryPolicy.never
        let request = RequestBuilder(
            client,
            OperationDescriptor(
                id: "events", method: "GET", path: "/events", accept: "text/event-stream", security: nil,
                idempotencyKey: nil), options)
        return EventStream(request, .events, from: 200, through: 299)
    }

    private func streamFailure(
        _ reply: EmbeddedGateway.Reply
    ) async throws -> ([[String: Int]], APIError<NoDocumentedFailure>) {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        gateway.route(.get, "/events") { _ in reply }
        var got: [[String: Int]] = []
        do {
            for try await event in stream("/events", gateway) { got.append(event) }
        } catch {
            #expect(error.origin == gateway.origin && error.attempts == 1 && error.mayHaveBeenSent)
            return (got, error)
        }
        throw NetworkError(.other, "The call succeeded.")
    }

    @Test func aStreamThatIsRefused() async throws {
        var reply = EmbeddedGateway.Reply.problem(429, "Too many streams.")
        reply.fields[.retryAfter] = "5"
        let (got, error) = try await streamFailure(reply)
        #expect(got.isEmpty)
        #expect(try kept(error).problem?.detail == "Too many streams.")
        #expect(error.status == 429 && error.retryAfter == .seconds(5) && error.guidance == .retry)

        let (_, large) = try await streamFailure(
            .text(String(repeating: "x", count: 1 << 20), status: 502, contentType: "text/html"))
        #expect(try kept(large).body.count == 65_536 && large.response?.isBodyTruncated == true)
    }

    @Test func anEventThatDoesNotMatch() async throws {
        let (got, error) = try await streamFailure(
            .text(
                "data: {\"n\":1}\n\ndata: {\"n\":\"s3cret\"}\n\n", contentType: "text/event-stream"))
        #expect(got == [["n": 1]])
        let response = try kept(error)
        #expect(try response.text() == #"{"n":"s3cret"}"#)
        #expect(response.fields[.contentType] == "text/event-stream")
        #expect(error.status == 200 && error.code == .decodingFailed && error.guidance == .report)
        #expect(error.message.hasPrefix("Event 2 of the stream does not match the document: "))
    }
}
