import GatewayCore
import Testing

/// Fields that may occur once, and occur more often.
@Suite struct RepeatedFieldTests {
    private func fields(_ name: HTTPField.Name, _ values: String...) -> HTTPFields {
        var fields: HTTPFields = ["A": "b"]
        for value in values { fields.append(name, value) }
        return fields
    }

    static let single: [HTTPField.Name] = [
        "Age", "Content-Length", "Content-Location", "Content-Range", "Content-Type", "Date", "ETag",
        "Expires",
        "Last-Modified", "Location", "Retry-After", "Strict-Transport-Security",
    ]

    @Test(arguments: single)
    func equalOnesCountOnce(name: HTTPField.Name) {
        #expect(fields(name, "x", "x", "x")[name] == "x")
        #expect(fields(name, "x")[name] == "x")
        #expect(fields(name)[name] == nil)
        #expect(fields(name, "", "")[name] == "")
    }

    @Test func differentOnesCountAsTheirRFCSays() {
        for name: HTTPField.Name in ["Age", "strict-transport-security"] {
            #expect(fields(name, "x", "y")[name] == "x")
        }
        for name: HTTPField.Name in [
            "Date", "etag", "Expires", "Last-Modified", "Retry-After", "Content-Location",
        ] {
            #expect(fields(name, "x", "y")[name] == nil)
            #expect(fields(name, "x", "x", "y").contains(name))
        }
        for name: HTTPField.Name in ["Content-Type", "location", "Content-Length", "Content-Range"] {
            guard case .conflict = fields(name, "x", "y").occurrence(of: name) else {
                Issue.record("\(name) is no conflict")
                continue
            }
        }
        #expect(fields("Vary", "x", "x")["Vary"] == "x, x")
        #expect(fields("Accept", "x", "y")["accept"] == "x, y")
    }

    @Test func contentTypesThatDifferAreNoMediaType() {
        #expect(fields(.contentType, "text/plain", "text/plain").mediaType == "text/plain")
        let different = fields(.contentType, "application/json; charset=utf-8", "text/html")
        #expect(different.mediaType == nil)
        #expect(throws: TextError.self) { _ = try different.text(of: [0x61]) }
        let response = FailedResponse(status: 500, fields: different, body: [0x61])
        #expect(throws: NetworkError.self) { _ = try response.text() }
    }

    @Test func equalRetryAftersAreObeyed() {
        #expect(fields(.retryAfter, "5", "5").retryAfter(at: .zero) == .seconds(5))
        #expect(fields(.retryAfter, "5", "6").retryAfter(at: .zero) == nil)
    }

    @Test func bytesThatAreNotUTF8AreEncodedInReferences() {
        var fields: HTTPFields = ["Link": "</b\u{E9}>"]
        fields.append(HTTPField("Link", bytes: Array("</a".utf8) + [0xE9, 0x3E]))
        #expect(fields.references(in: "Link") == "</b\u{E9}>, </a%E9>")
        #expect(fields.references(in: "A") == "")
        var field = HTTPField("A", bytes: [0xFF])
        #expect(field.value == "\u{FF}" && field.bytes == [0xFF])
        field.value = "\u{FF}"
        #expect(field.bytes == [0xC3, 0xBF])
    }
}
