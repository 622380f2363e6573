import GatewayCore
import Testing

@Suite struct FailedResponseTests {
    /// An engine with one response.
    private struct OneResponse: RequestEngine {
        let services = EngineServices()
        let response: HTTPResponse
        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            response
        }
    }

    private struct Undecodable: Error {}

    private struct GetText: NetworkRequest {
        func httpRequest() throws(NetworkError) -> HTTPRequest { try HTTPRequest(.get, "https://api.test/") }
        func decode(_ response: HTTPResponse) throws -> String { throw Undecodable() }
    }

    private func failure(
        _ status: Int, _ body: ResponseBody, fields: HTTPFields = HTTPFields()
    ) async throws -> NetworkError {
        let response = HTTPResponse(
            status: status, fields: fields, body: body,
            exchange: Exchange(origin: try Origin("https://api.test"), attempts: 2))
        do {
            _ = try await OneResponse(response: response).send(GetText())
        } catch {
            return error
        }
        throw NetworkError(.other, "The call succeeded.")
    }

    @Test func aCallWithoutADocumentKeepsTheResponse() async throws {
        let error = try await failure(
            429, .bytes(Array("slow down".utf8)), fields: ["Retry-After": "7", "X-Request-ID": "r-1"])
        #expect(error.code == .unacceptableStatus)
        #expect(error.status == 429)
        #expect(try error.response?.text() == "slow down")
        #expect(error.response?.decodingError == nil)
        #expect(error.body == Array("slow down".utf8))
        #expect(error.retryAfter == .seconds(7))
        #expect(error.requestID == "r-1")
        #expect(error.guidance == .retry)
        #expect(error.attempts == 2 && error.mayHaveBeenSent && error.origin?.host == "api.test")
        #expect(!"\(error)".contains("slow down"))
        #expect(try error.with(attempts: 3).response?.text() == "slow down")
    }

    @Test func aBodyThatCannotBeDecodedIsKept() async throws {
        let error = try await failure(200, .bytes([0xFF]))
        #expect(error.code == .decodingFailed)
        #expect(error.status == 200)
        #expect(error.response?.decodingError is Undecodable)
        #expect(error.cause is Undecodable)
        #expect(error.body == [0xFF])
        #expect(throws: NetworkError.self) { try error.response?.text() }
        #expect(error.guidance == .report)
    }

    @Test func nothingIsKeptOfAStream() async throws {
        let chunks = AsyncThrowingStream<HTTPBody.Chunk, any Error> { $0.finish() }
        let error = try await failure(500, .stream(chunks))
        #expect(error.body == [] && error.response?.isBodyTruncated == true)
    }

    @Test(arguments: [
        (FailedResponse.bodyLimit - 1, false), (FailedResponse.bodyLimit, false),
        (FailedResponse.bodyLimit + 1, true), (FailedResponse.bodyLimit * 3, true),
    ])
    func theBodyHasALimit(count: Int, isTruncated: Bool) throws {
        let kept = FailedResponse(status: 500, body: [UInt8](repeating: 0x61, count: count))
        #expect(kept.body.count == min(count, 65_536))
        #expect(kept.isBodyTruncated == isTruncated)
        #expect(try kept.text().utf8.count == min(count, 65_536))
    }

    @Test(arguments: ["é", "€", "😀"])
    func aCharacterThatTheLimitSplitsIsLeftOut(character: Character) throws {
        let bytes = Array(String(character).utf8)
        for split in 1..<bytes.count {
            let head = [UInt8](repeating: 0x61, count: FailedResponse.bodyLimit - split)
            let kept = FailedResponse(status: 500, body: head + bytes)
            #expect(kept.isBodyTruncated)
            #expect(try kept.text().utf8.count == head.count)
            // Without truncation the same bytes are not valid.
            #expect(throws: NetworkError.self) {
                try FailedResponse(status: 500, body: [0x61] + bytes.dropLast()).text()
            }
        }
    }

    @Test func mediaTypesHaveNoParameters() {
        let fields: HTTPFields = ["Content-Type": "Text/HTML ; charset=utf-8"]
        #expect(FailedResponse(status: 404, fields: fields).mediaType == "text/html")
        #expect(FailedResponse(status: 404).mediaType == nil)
    }
}
