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
        guard case .notFound(let problem)? = missing.documented else {
            Issue.record("\(missing)")
            return
        }
        #expect(problem.title == "No such book")
        #expect(problem.additionalProperties == ["balance": 30])
        #expect(missing.cause == nil)
        #expect(missing.code == .unacceptableStatus)
        #expect(missing.status == 404)
        #expect(missing.operation == "updateBook")
        #expect(missing.requestID == "r-9")
        #expect(missing.attempts == 1)
        #expect(missing.category == .permanent)
        #expect(!missing.messageForPeople.isEmpty)

        let conflict = try await error(.json(409, #"{"title":"t","status":409,"conflictingId":"b2"}"#))
        guard case .conflict(let problem)? = conflict.documented else {
            Issue.record("\(conflict)")
            return
        }
        #expect(problem.conflictingId == "b2")
        #expect(conflict.category == .business)

        let invalid = try await error(
            .json(422, #"{"title":"t","status":422,"violations":[{"field":"/title","message":"empty"}]}"#))
        guard case .unprocessableContent(let problem)? = invalid.documented else {
            Issue.record("\(invalid)")
            return
        }
        #expect(problem.violations.first?.field == "/title")
    }

    @Test(arguments: [400, 418, 500, 503, 302]) func theDefaultTakesWhatIsLeft(status: Int) async throws {
        let error = try await error(.json(status, #"{"title":"t","status":0}"#))
        guard case .other(status: let reported, let problem)? = error.documented else {
            Issue.record("\(error)")
            return
        }
        #expect(reported == status)
        #expect(problem.title == "t")
    }

    @Test func aFailureThatIsNotWhatItSaysHasACause() async throws {
        let html = try await error(
            .status(404, fields: ["Content-Type": "text/html"], "<html>Not Found</html>"))
        #expect(html.documented == nil)
        #expect(html.code == .unacceptableStatus)
        #expect(html.status == 404)
        #expect(html.cause?.underlying is JSONError)
        #expect(!html.description.contains("<html>"))

        let empty = try await error(.status(404))
        #expect(empty.documented == nil)
        #expect((empty.cause?.underlying as? JSONError)?.code == .syntax)

        let partial = try await error(.json(422, #"{"title":"t","status":422,"violations":[{"field":1}]}"#))
        #expect((partial.cause?.underlying as? JSONError)?.path == "$.violations[0].field")
    }

    @Test func aSuccessThatIsNotWhatItSaysHasACause() async throws {
        for (body, path) in [("{}", "$.title"), (#"{"title":7}"#, "$.title")] {
            let error = try await error(.json(200, body))
            #expect(error.code == .decodingFailed)
            #expect((error.cause?.underlying as? JSONError)?.path == path)
            #expect(error.message.contains(path))
            #expect(error.attempts == 1)
        }
        let html = try await error(.status(200, fields: ["Content-Type": "text/html"], "<html>"))
        #expect(html.code == .decodingFailed)
        #expect(html.message.contains("text/html"))
    }

    @Test func anUndocumentedStatusHasACause() async throws {
        do {
            _ = try await BookshopClient.scripted(ScriptedEngine(.json(503, "{}"))).getHealth()
            Issue.record("succeeded")
        } catch {
            #expect(error.documented == nil)
            #expect(error.code == .unacceptableStatus)
            #expect(error.status == 503)
            #expect(error.category == .transient)
        }
        // A success that the document does not name is none.
        do {
            _ = try await BookshopClient.scripted(ScriptedEngine(.json(202, #"{"status":"up"}"#))).getHealth()
            Issue.record("succeeded")
        } catch {
            #expect(error.status == 202)
        }
    }

    @Test func transportFailuresAreTheCause() async throws {
        let error = try await error(
            .failure(NetworkError(.connectionLost, "Lost.", attempts: 3, mayHaveBeenSent: true)))
        #expect(error.cause?.code == .connectionLost)
        #expect(error.code == .connectionLost)
        #expect(error.attempts == 3)
        #expect(error.category == .transient)
        #expect(error.status == nil)
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
            guard case .notFound(let problem)? = error.documented else {
                Issue.record("\(error)")
                return
            }
            #expect(problem.title == "Gone")
        }
        #expect(engine.requests.count == 2)
        #expect(MemoryLayout<APIError<Bookshop.GetBookFailure>>.size == MemoryLayout<Int>.size)
    }
}
