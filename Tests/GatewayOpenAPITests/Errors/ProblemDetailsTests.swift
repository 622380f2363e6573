import GatewayCore
import GatewayJSON
import GatewayOpenAPI
import Testing

/// RFC 9457.
@Suite struct ProblemDetailsTests {
    private func response(
        _ body: String, _ type: String? = "application/problem+json", isTruncated: Bool = false
    ) -> FailedResponse {
        var fields = HTTPFields()
        fields[.contentType] = type
        return FailedResponse(
            status: 403, fields: fields, body: Array(body.utf8), isBodyTruncated: isTruncated)
    }

    /// The example of RFC 9457 §3.
    @Test func allMembersAreRead() throws {
        let problem = try #require(
            response(
                """
                {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.",
                 "status": 403, "detail": "Your current balance is 30, but that costs 50.",
                 "instance": "/account/12345/msgs/abc", "balance": 30, "accounts": ["/account/12345"]}
                """, "Application/Problem+JSON; charset=utf-8"
            ).problem)
        #expect(
            problem
                == ProblemDetails(
                    type: "https://example.com/probs/out-of-credit", title: "You do not have enough credit.",
                    status: 403, detail: "Your current balance is 30, but that costs 50.",
                    instance: "/account/12345/msgs/abc",
                    extensions: ["balance": 30, "accounts": ["/account/12345"]]))
    }

    @Test func anEmptyObjectIsAProblem() {
        #expect(response("{}").problem == ProblemDetails())
        #expect(response("{}").problem?.type == "about:blank")
    }

    /// RFC 9457 §3.1: a value of another type is ignored.
    @Test func membersOfTheWrongTypeAreIgnored() {
        let text = #"{"type":1,"title":[],"status":"404","detail":{},"instance":null,"other":1}"#
        #expect(response(text).problem == ProblemDetails(extensions: ["other": 1]))
        #expect(response(#"{"status":404.5}"#).problem?.status == nil)
    }

    @Test func whatIsNoProblemIsNone() {
        for type in ["application/json", "text/html", "application/problem+xml", nil] {
            #expect(response("{}", type).problem == nil)
        }
        for body in ["", "[]", #""text""#, "{", "null"] { #expect(response(body).problem == nil) }
        #expect(response("{}", isTruncated: true).problem == nil)
    }

    @Test func aResponseHasTheProblem() throws {
        func response(_ type: String, _ text: String) throws -> HTTPResponse {
            HTTPResponse(
                status: 404, fields: [.contentType: type], body: .bytes(Array(text.utf8)),
                exchange: Exchange(origin: try Origin("http://127.0.0.1"), attempts: 1))
        }
        #expect(try response("application/problem+json", #"{"title":"t"}"#).problem?.title == "t")
        #expect(try response("application/json", "{}").problem == nil)
        #expect(try response("application/problem+json", "[]").problem == nil)
    }

    @Test func everyErrorHasTheProblem() {
        let error: any GatewayCallError = NetworkError(
            .unacceptableStatus, "m", response: response(#"{"title":"t"}"#))
        #expect(error.problem?.title == "t")
        #expect((NetworkError(.timeout, "m") as any GatewayCallError).problem == nil)
    }

    @Test func bodiesAreReadAsJSON() throws {
        #expect(try response(#"{"a":[1]}"#, "text/plain").json()["a"]?[0]?.int == 1)
        #expect(try response("[1,2]").json([Int].self) == [1, 2])
        let cut = #expect(throws: NetworkError.self) { try response("[1]", isTruncated: true).json() }
        #expect(cut?.code == .responseTooLarge)
        let wrong = #expect(throws: NetworkError.self) { try response("[1,]").json() }
        #expect(wrong?.code == .decodingFailed)
        #expect((wrong?.underlying as? JSONError)?.code == .syntax)
    }
}
