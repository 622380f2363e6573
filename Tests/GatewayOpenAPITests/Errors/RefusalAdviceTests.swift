import GatewayCore
import GatewayOpenAPI
import GatewayTesting
import Testing

/// What errors say in addition about statuses that refuse a call.
@Suite struct RefusalAdviceTests {
    /// The message of a call of `deleteBook`, which needs `books:write`.
    private func message(
        _ reply: ScriptedTransport.Reply, server: String = "https://api.test/v1"
    ) async throws -> String {
        let api = BookshopClient.scripted(ScriptedEngine(reply), server: .init(url: server))
        do throws(APIError<Bookshop.DeleteBookFailure>) {
            try await api.books.delete(bookId: "planted")
        } catch {
            #expect("\(error)".hasSuffix(error.message))
            return error.message
        }
        throw NetworkError(.other, "The call succeeded.")
    }

    private static let problem = #"{"title":"t","status":403}"#

    private func refused(_ challenge: String) async throws -> String {
        try await message(.json(403, [.wwwAuthenticate: challenge], Self.problem))
    }

    @Test func aMissingScopeIsNamedIfTheDocumentNamesIt() async throws {
        let documented = "The service answered 403, a documented failure."
        #expect(
            try await refused("Bearer error=\"insufficient_scope\", scope=\"planted books:write\"")
                == documented + " The token lacks the scope books:write: request it with the credential, "
                + "and allow it to the client.")
        for challenge in [
            "Bearer error=\"insufficient_scope\", scope=\"planted\"", "Bearer error=\"insufficient_scope\"",
        ] {
            #expect(
                try await refused(challenge)
                    == documented + " The token lacks a scope; the document names books:write.")
        }
        #expect(try await refused("Bearer realm=\"planted\"") == documented)
        #expect(try await refused("Bearer error=\"invalid_token\", scope=\"books:write\"") == documented)
    }

    @Test func thePathOfTheRequestIsNamedWithoutValues() async throws {
        #expect(
            try await message(.json(404, #"{"title":"t","status":404}"#), server: "https://api.test/v2/")
                == "The service answered 404, a documented failure. The request went to /v2/books/{bookId}.")
        let html = try await message(
            .status(404, fields: [.contentType: "text/html"], "planted"), server: "https://api.test")
        #expect(
            html.hasSuffix(
                "the response is text/html. The request went to /books/{bookId}: check the path of the "
                    + "server's URL."))
        #expect(!html.contains("planted"))
    }

    /// Some services have a token in the path of their URL.
    @Test func aLongSegmentOfAPathIsNotPrinted() async throws {
        let text = try await message(
            .json(404, #"{"title":"t","status":404}"#),
            server: "https://api.test/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs/v1")
        #expect(text.hasSuffix("The request went to /…/v1/books/{bookId}."))
    }

    @Test(arguments: [
        ("<center>The plain HTTP request was sent to HTTPS port</center>", true),
        ("Client sent an HTTP request to an HTTPS server.\n", true),
        ("You're speaking plain HTTP to an SSL-enabled server port.<br />", true),
        ("Bad request", false),
    ])
    func aServerThatExpectsTLSIsTold(body: String, isTold: Bool) async throws {
        let reply = ScriptedTransport.Reply.status(400, fields: [.contentType: "text/html"], body)
        let advice = "The port speaks TLS: call it by https."
        #expect(try await message(reply, server: "http://127.0.0.1/v1").hasSuffix(advice) == isTold)
        #expect(try await !message(reply).hasSuffix(advice))
    }
}
