import GatewayCore
import GatewayJSON
import GatewayOpenAPI
import GatewayTesting
import Testing

@Suite struct ResponseJSONTests {
    private struct Count: JSONObjectDecodable, Sendable, Equatable {
        let count: Int
        init(fields: inout JSONObject) throws(JSONError) { count = try fields.int("count") }
    }

    private struct GetCount: NetworkRequest {
        func httpRequest() throws(NetworkError) -> HTTPRequest { try HTTPRequest(.get, "https://api.test/") }
        func decode(_ response: HTTPResponse) throws -> Count { try response.json(Count.self) }
    }

    private func engine(_ body: String) -> AttemptEngine {
        AttemptEngine(transport: ScriptedTransport(.status(200, body)))
    }

    @Test func callsByHandDecodeJSON() async throws {
        let response = try await engine(#"{"count":7}"#).send(HTTPRequest(.get, "https://api.test/"))
        #expect(try response.json(Count.self).count == 7)
        #expect(try response.json()["count"]?.int == 7)
        #expect(try await engine(#"{"count":7}"#).send(GetCount()).count == 7)
    }

    @Test(arguments: [#"{"count":"s3cret"}"#, #"{"count":7"#, ""])
    func theErrorNamesThePlaceAndNoValue(body: String) async throws {
        let response = try await engine(body).send(HTTPRequest(.get, "https://api.test/"))
        let direct = #expect(throws: NetworkError.self) { try response.json(Count.self) }
        #expect(direct?.code == .decodingFailed && direct?.status == 200 && direct?.attempts == 1)
        let cause = try #require(direct?.underlying as? JSONError)
        #expect(direct?.message == "The response could not be decoded: \(cause).")
        #expect(direct?.message.contains("s3cret") == false)
        // The same error reaches the caller of a request that decodes itself.
        let typed = await #expect(throws: NetworkError.self) { try await engine(body).send(GetCount()) }
        #expect(typed?.code == .decodingFailed && typed?.message == direct?.message)
        #expect(typed?.response?.decodingError is JSONError)
    }

    @Test func limitsOfTheDocumentCount() async throws {
        let response = try await engine("[[1]]").send(HTTPRequest(.get, "https://api.test/"))
        let error = #expect(throws: NetworkError.self) { try response.json(limits: JSONLimits(depth: 1)) }
        #expect((error?.underlying as? JSONError)?.code == .tooDeep)
    }
}
