import GatewayCore
import Testing

/// What remains when secrets are left out says enough.
@Suite struct DescriptionTests {
    @Test func theHarmlessPartIsPrinted() throws {
        let url = "https://api.example.com:8443/books?key=hunter2"
        let fields: HTTPFields = ["Authorization": "hunter2", "Cookie": "hunter2"]
        let options = CallOptions(idempotencyKey: "hunter2", fields: fields)
        let texts: [(Any, String)] = [
            (HTTPField(.authorization, "hunter2"), "Authorization: …"),
            (fields, "[Authorization: …, Cookie: …]"),
            (try ParsedURL(url), "URL at https://api.example.com:8443"),
            (try HTTPRequest(.get, url), "GET https://api.example.com:8443/books"),
            (HTTPBody.text("hunter2"), "body of 7 bytes"),
            (ResponseBody.bytes([1, 2]), "body of 2 bytes"),
            (FailedResponse(status: 404, fields: fields, body: [1, 2]), "HTTP 404 with 2 bytes"),
            (
                FailedResponse(status: 404, body: [UInt8](repeating: 1, count: 1 << 17)),
                "HTTP 404 with more than 65536 bytes"
            ),
            (options, "options with fields [Authorization: …, Cookie: …] and an idempotency key"),
            (CallOptions(), "options with fields []"),
            (Secret("hunter2"), "<redacted>"),
        ]
        for (value, text) in texts {
            #expect("\(value)" == text)
            #expect(String(reflecting: value) == text)
            var dumped = ""
            dump(value, to: &dumped)
            #expect(dumped == "- \(text)\n")
            #expect("\([value])" == "[\(text)]")
        }
    }
}
