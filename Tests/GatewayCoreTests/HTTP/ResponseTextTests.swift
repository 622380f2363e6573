import GatewayCore
import Testing

@Suite struct ResponseTextTests {
    private let origin: Origin

    init() throws { origin = try Origin("https://api.test") }

    private func response(_ body: [UInt8], _ contentType: String?) -> HTTPResponse {
        var fields = HTTPFields()
        if let contentType { fields[.contentType] = contentType }
        return HTTPResponse(
            status: 200, fields: fields, body: .bytes(body), exchange: Exchange(origin: origin, attempts: 2))
    }

    private static let utf8Text = Array("Zoë €".utf8)

    @Test(
        arguments: [
            (utf8Text, nil, "Zoë €"),
            (utf8Text, "text/plain", "Zoë €"),
            (utf8Text, "text/plain; charset=UTF-8", "Zoë €"),
            (utf8Text, "text/plain;charset=\"utf-8\"", "Zoë €"),
            (utf8Text, "text/plain; format=flowed; Charset = utf8 ; x", "Zoë €"),
            (utf8Text, "text/plain; title=\"; charset=utf-16; \\\"\"; charset=utf-8", "Zoë €"),
            (utf8Text, "text/plain; xcharset=koi8-r", "Zoë €"),
            (utf8Text, "text/plain; charset=utf-8; charset=koi8-r", "Zoë €"),
            ([0xEF, 0xBB, 0xBF, 0x61], "text/plain", "a"),
            ([0x5A, 0x6F, 0xEB, 0x80], "text/html; charset=iso-8859-1", "Zoë\u{80}"),
            ([0x61, 0x62], "text/html; charset=us-ascii", "ab"),
            ([0xFE, 0xFF, 0x20, 0xAC], "text/plain; charset=utf-16", "€"),
            ([0xFF, 0xFE, 0xAC, 0x20], "text/plain; charset=UTF-16", "€"),
            ([0x20, 0xAC], "text/plain; charset=utf-16", "€"),
            ([0xAC, 0x20, 0x3D, 0xD8, 0x00, 0xDE], "text/plain; charset=utf-16le", "€😀"),
            ([0x20, 0xAC], "text/plain; charset=utf-16be", "€"),
            ([], "text/plain; charset=utf-16", ""),
        ] as [([UInt8], String?, String)])
    func textIsReadInItsCharset(body: [UInt8], contentType: String?, text: String) throws {
        let response = response(body, contentType)
        #expect(try response.text() == text)
        #expect(try FailedResponse(status: 404, fields: response.fields, body: body).text() == text)
    }

    @Test(
        arguments: [
            ([0x61], "text/plain; charset=koi8-r", "'koi8-r' is not supported"),
            ([0x61], "text/plain; charset=", "charset is not supported"),
            ([0x61], "text/plain; charset=\"s3 cret\"", "charset is not supported"),
            ([0x61, 0xFF], nil, "not valid in its charset, UTF-8"),
            ([0x61, 0xC3], "text/plain; charset=utf-8", "not valid in its charset"),
            ([0x61, 0x80], "text/plain; charset=us-ascii", "not valid in its charset"),
            ([0x61], "text/plain; charset=utf-16", "not valid in its charset"),
            ([0xD8, 0x00, 0x00, 0x61], "text/plain; charset=utf-16be", "not valid in its charset"),
        ] as [([UInt8], String?, String)])
    func otherTextIsAnError(body: [UInt8], contentType: String?, message: String) {
        let response = response(body, contentType)
        let error = #expect(throws: NetworkError.self) { try response.text() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains(message) == true)
        #expect(error?.status == 200 && error?.attempts == 2 && error?.mayHaveBeenSent == true)
        #expect(error?.origin == origin && error?.body == body)
        let failed = #expect(throws: NetworkError.self) {
            try FailedResponse(status: 404, fields: response.fields, body: body).text()
        }
        #expect(failed?.code == .decodingFailed && failed?.message == error?.message)
    }

    @Test func aStreamIsCollectedFirst() async throws {
        let chunks = AsyncThrowingStream<HTTPBody.Chunk, any Error> { continuation in
            continuation.yield(Array("ab".utf8)[...])
            continuation.yield(Array("cd".utf8)[...])
            continuation.finish()
        }
        let stream = HTTPResponse(
            status: 200, body: .stream(chunks), exchange: Exchange(origin: origin, attempts: 1))
        let error = #expect(throws: NetworkError.self) { try stream.text() }
        #expect(error?.message.contains("collected(upToBytes:)") == true)
        let collected = try await stream.collected(upToBytes: 4)
        #expect(try collected.text() == "abcd" && collected.status == 200)
        await #expect(throws: NetworkError.self) {
            try await collected.collected(upToBytes: 3)
        }
    }

    private struct Refused: Error {}

    @Test func aDecoderOfTheCallerIsUsed() throws {
        let response = response([1, 2], nil)
        #expect(try response.decoded { $0.count } == 2)
        let error = #expect(throws: NetworkError.self) {
            try response.decoded { _ throws -> Int in throw Refused() }
        }
        #expect(error?.code == .decodingFailed && error?.underlying is Refused)
        #expect(error?.response?.decodingError is Refused)
        let failed = FailedResponse(status: 500, body: [1], isBodyTruncated: true)
        #expect(throws: NetworkError.self) { try failed.decoded { $0.count } }
    }
}
