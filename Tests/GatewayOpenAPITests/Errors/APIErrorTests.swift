import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayOpenAPI
import GatewayTesting
import Testing

@Suite struct APIErrorTests {
    private func error(
        _ reply: ScriptedTransport.Reply
    ) async throws -> APIError<Bookshop.UpdateBookFailure> {
        do {
            _ = try await BookshopClient.scripted(ScriptedEngine(reply)).books.update(bookId: "b", .init())
        } catch {
            return error
        }
        throw NetworkError(.other, "The call succeeded.")
    }

    @Test func documentedFailuresAreTyped() async throws {
        let missing = try await error(
            .json(404, ["X-Request-ID": "r-9"], #"{"title":"No such book","status":404,"balance":30}"#))
        guard case .documented(.notFound(let problem)) = missing.failure else {
            Issue.record("\(missing)")
            return
        }
        #expect(problem.title == "No such book")
        #expect(problem.additionalProperties == ["balance": 30])
        #expect(missing.cause == nil)
        #expect(missing.guidance == .correctRequest)
        #expect(missing.mayHaveBeenSent)
        #expect(missing.origin?.host == "api.test")
        #expect(missing.code == .unacceptableStatus)
        #expect(missing.status == 404)
        #expect(missing.operation == "updateBook")
        #expect(missing.requestID == "r-9")
        #expect(missing.attempts == 1)
        #expect(missing.category == .permanent)
        #expect(!missing.messageForPeople.isEmpty)

        let conflict = try await error(.json(409, #"{"title":"t","status":409,"conflictingId":"b2"}"#))
        guard case .documented(.conflict(let problem)) = conflict.failure else {
            Issue.record("\(conflict)")
            return
        }
        #expect(problem.conflictingId == "b2")
        #expect(conflict.category == .business)

        let invalid = try await error(
            .json(422, #"{"title":"t","status":422,"violations":[{"field":"/title","message":"empty"}]}"#))
        guard case .documented(.unprocessableContent(let problem)) = invalid.failure else {
            Issue.record("\(invalid)")
            return
        }
        #expect(problem.violations.first?.field == "/title")
    }

    @Test(arguments: [400, 418, 500, 503, 302]) func theDefaultTakesWhatIsLeft(status: Int) async throws {
        let error = try await error(.json(status, #"{"title":"t","status":0}"#))
        guard case .documented(.other(status: let reported, let problem)) = error.failure else {
            Issue.record("\(error)")
            return
        }
        #expect(reported == status)
        #expect(problem.title == "t")
    }

    /// The kept response of a failure that is undocumented.
    private func undocumented<Failure>(
        _ error: APIError<Failure>, _ place: SourceLocation = #_sourceLocation
    ) throws -> FailedResponse {
        guard case .undocumented(let response) = error.failure else {
            Issue.record("\(error)", sourceLocation: place)
            throw error
        }
        #expect(error.response?.status == response.status, sourceLocation: place)
        return response
    }

    @Test func aFailureThatDoesNotMatchTheDocumentIsKept() async throws {
        let html = try await error(
            .status(404, fields: ["Content-Type": "text/html"], "<html>Not Found</html>"))
        let kept = try undocumented(html)
        #expect(try kept.text() == "<html>Not Found</html>")
        #expect(kept.mediaType == "text/html")
        #expect(!kept.isBodyTruncated)
        #expect(kept.decodingError is JSONError)
        #expect(html.code == .unacceptableStatus)
        #expect(html.status == 404)
        #expect(html.cause is JSONError)
        #expect(html.guidance == .correctRequest)
        #expect(!html.description.contains("<html>"))

        let empty = try await error(.status(404))
        #expect((try undocumented(empty).decodingError as? JSONError)?.code == .syntax)
        #expect(empty.body == [])

        let partial = try await error(.json(422, #"{"title":"t","status":422,"violations":[{"field":1}]}"#))
        #expect((try undocumented(partial).decodingError as? JSONError)?.path == "$.violations[0].field")
        #expect(partial.problem?.title == "t")
    }

    @Test func aBodyWithDifferentContentTypesIsNotDecoded() async throws {
        var fields: HTTPFields = ["Content-Type": "application/json; charset=utf-8"]
        fields.append(.contentType, "text/html")
        let different = try await error(.status(200, fields: fields, #"{"title":"t"}"#))
        #expect(different.code == .decodingFailed)
        #expect((try undocumented(different).decodingError as? JSONError)?.code == .wrongType)
    }

    @Test func aSuccessThatDoesNotMatchTheDocumentIsKept() async throws {
        for (body, path) in [("{}", "$.title"), (#"{"title":7}"#, "$.title")] {
            let error = try await error(.json(200, body))
            #expect(error.code == .decodingFailed)
            #expect(error.guidance == .report)
            #expect((try undocumented(error).decodingError as? JSONError)?.path == path)
            #expect(try undocumented(error).json()["title"]?.int == (body == "{}" ? nil : 7))
            #expect(error.message.contains(path))
            #expect(error.attempts == 1)
        }
        let html = try await error(.status(200, fields: ["Content-Type": "text/html"], "<html>"))
        #expect(html.code == .decodingFailed)
        #expect(html.message.contains("text/html"))
        #expect(try undocumented(html).text() == "<html>")
    }

    @Test func anUndocumentedStatusIsKept() async throws {
        do {
            _ = try await BookshopClient.scripted(ScriptedEngine(.json(503, ["X-A": "b"], "{}"))).getHealth()
            Issue.record("succeeded")
        } catch {
            let kept = try undocumented(error)
            #expect(kept.decodingError == nil)
            #expect(error.cause == nil)
            #expect(kept.fields["X-A"] == "b")
            #expect(try kept.text() == "{}")
            #expect(error.code == .unacceptableStatus)
            #expect(error.status == 503)
            #expect(error.category == .transient)
            #expect(error.guidance == .retry)
            #expect(error.mayHaveBeenSent)
            #expect(error.origin?.host == "api.test")
        }
        // A success that the document does not name is a failure.
        do {
            _ = try await BookshopClient.scripted(ScriptedEngine(.json(202, #"{"status":"up"}"#))).getHealth()
            Issue.record("succeeded")
        } catch {
            #expect(try undocumented(error).status == 202)
            #expect(error.guidance == .report)
        }
    }

    @Test func transportFailuresHaveNoResponse() async throws {
        let error = try await error(
            .failure(
                NetworkError(
                    .connectionLost, "Lost.", origin: try Origin("https://api.test"), attempts: 3,
                    mayHaveBeenSent: true)))
        #expect(error.networkError?.code == .connectionLost)
        #expect((error.cause as? NetworkError)?.code == .connectionLost)
        #expect(error.code == .connectionLost)
        #expect(error.attempts == 3)
        #expect(error.category == .transient)
        #expect(error.guidance == .retry)
        #expect(error.mayHaveBeenSent)
        #expect(error.origin?.host == "api.test")
        #expect(error.status == nil && error.response == nil && error.body == nil && error.problem == nil)
    }

    private struct Broken: Error {}

    private struct BrokenProvider: TokenProvider {
        func currentToken() async throws -> String? { nil }
        func refreshToken() async throws -> String { throw Broken() }
    }

    @Test func guidanceOfTokenErrors() async throws {
        var policy = TokenRefreshPolicy()
        policy.outagePatience = .zero
        let credential = OAuthCredential.provider(BrokenProvider()).renewed(by: policy)
        let api = BookshopClient(
            credentials: .init(partnerToken: .oauth(credential)), engine: ScriptedEngine(.json(200, "{}")))
        do {
            _ = try await api.books.get(bookId: "b")
            Issue.record("succeeded")
        } catch {
            #expect(error.code == .tokenUnavailable && error.guidance == .retry)
            #expect(error.messageForPeople.hasSuffix("Please try again shortly."))
            #expect(!error.mayHaveBeenSent && error.attempts == 0)
        }
        for (code, guidance): (NetworkError.Code, ErrorGuidance) in [
            (.signedOut, .signIn), (.reauthenticationRequired, .signIn), (.authorizationDenied, .signIn),
            (.credentialMisconfigured, .report), (.constraintViolated, .correctRequest),
            (.redirectUnavailable, .report), (.idTokenInvalid, .report), (.authorizationExpired, .signIn),
            (.repeatedPage, .report), (.foreignPage, .report), (.cancelled, .ignore),
        ] {
            #expect(try await error(.failure(NetworkError(code, "m"))).guidance == guidance)
        }
        #expect(try await error(.json(401, #"{"title":"t","status":401}"#)).guidance == .signIn)
        #expect(try await error(.json(403, #"{"title":"t","status":403}"#)).guidance == .requestAccess)
    }

    /// An engine with a clock of its own.
    private struct ClockedEngine: RequestEngine {
        let engine: ScriptedEngine
        let services: EngineServices
        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            try await engine.send(request, context: context)
        }
    }

    @Test func datesInRetryAfterAreReadByTheEnginesClock() async throws {
        let clock = ManualClock(unixTime: .seconds(784_111_777))
        let engine = ScriptedEngine(.json(429, ["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT"], "{}"))
        let api = BookshopClient(
            server: .init(url: "https://api.test"),
            engine: ClockedEngine(engine: engine, services: EngineServices(clock: clock)))
        do {
            _ = try await api.getHealth()
            Issue.record("succeeded")
        } catch {
            #expect(error.retryAfter == .seconds(60))
        }
    }

    @Test func twoCallsInOneDoAreCaughtByCode() async throws {
        let api = BookshopClient.scripted(ScriptedEngine(.failure(NetworkError(.timeout, "Late."))))
        do {
            _ = try await api.getHealth()
            _ = try await api.books.get(bookId: "b")
        } catch NetworkError.timeout {
            return
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func theCommonProtocolTellsTheRest() async throws {
        let error: any Error = try await error(.json(404, #"{"title":"s3cret title","status":404}"#))
        let call = try #require(error as? any GatewayCallError)
        #expect(call.operation == "updateBook")
        #expect(call.status == 404)
        #expect(!"\(error)".contains("s3cret"))
        #expect(!String(reflecting: error).contains("s3cret"))
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("s3cret"))
        #expect(call.problem?.title == "s3cret title")
    }

    /// People write such helpers; Swift 6.3.1 miscompiles them for errors whose layout does not depend on `Failure`.
    private func twice<Value: Sendable, Failure>(
        _ call: () async throws(APIError<Failure>) -> Value
    ) async throws(APIError<Failure>) -> Value {
        do throws(APIError<Failure>) {
            return try await call()
        } catch {
            guard error.category == .transient else { throw error }
            return try await call()
        }
    }

    @Test func genericHelpersKeepTheError() async throws {
        let engine = ScriptedEngine(
            .json(503, #"{"title":"Busy","status":503}"#), .json(404, #"{"title":"Gone","status":404}"#))
        let api = BookshopClient.scripted(engine)
        do {
            _ = try await twice { () async throws(APIError<Bookshop.GetBookFailure>) in
                try await api.books.get(bookId: "b")
            }
            Issue.record("succeeded")
        } catch {
            guard case .documented(.notFound(let problem)) = error.failure else {
                Issue.record("\(error)")
                return
            }
            #expect(problem.title == "Gone")
        }
        #expect(engine.requests.count == 2)
        #expect(MemoryLayout<APIError<Bookshop.GetBookFailure>>.size == MemoryLayout<Int>.size)
    }
}
