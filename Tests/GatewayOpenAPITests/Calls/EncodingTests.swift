import GatewayClient
import GatewayTesting
import Testing

/// Reserved characters, the encoding of forms, and additional parts, in the document Foundry.
@Suite struct EncodingTests {
    private let engine = ScriptedEngine(.status(204))

    private var client: FoundryClient { FoundryClient(engine: engine) }

    private func sent() throws -> HTTPRequest { try #require(engine.requests.last) }

    @Test(arguments: [
        ("a:b@c;v=1,2!$&'()*+~", "a:b@c;v=1,2!$&'()*+~"), ("a/b?c#d[e]", "a%2Fb%3Fc%23d%5Be%5D"),
        ("%2F%zz é", "%2F%25zz%20%C3%A9"), ("...", "..."),
    ])
    func reservedCharactersStayInAPath(path: String, encoded: String) async throws {
        try await client.getDrawing(path: path, layers: ["a/b?c", "d:e"], xScale: "1/2 %")
        #expect(try sent().target == "/v1/drawings/\(encoded)?layers=a/b?c&layers=d:e")
        #expect(try sent().fields["X-Scale"] == "1/2 %")
    }

    @Test(arguments: ["", ".", "..", "%2e%2E"])
    func aPathThatIsAnotherOneIsNotSent(path: String) async {
        await #expect(throws: APIError<Foundry.GetDrawingFailure>.self) {
            try await client.getDrawing(path: path)
        }
        #expect(engine.requests.isEmpty)
    }

    @Test func propertiesOfAFormHaveTheirStyles() async throws {
        try await client.postSample(
            .init(
                name: "a/b c", at: .init(x: 1, y: 2), note: .init(text: "t u"), site: "https://a.test/x?y=1",
                sizes: [1, 2]))
        #expect(
            try sent().bodyText
                == "name=a%2Fb+c&at=%7B%22x%22%3A1%2C%22y%22%3A2%7D&note%5Btext%5D=t+u"
                + "&site=https://a.test/x?y=1&sizes=1%7C2")
    }

    private func part(_ name: String, _ value: String, _ fields: String = "") -> String {
        "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\(fields)\r\n\r\n\(value)\r\n"
    }

    private func sentParts() throws -> String {
        let type = try #require(try sent().fields[.contentType])
        let boundary = try #require(type.split(separator: "boundary=").last)
        return try sent().bodyText.replacing(boundary, with: "B")
    }

    @Test func additionalPropertiesAreParts() async throws {
        let json = "\r\nContent-Type: application/json"
        try await client.postSample(
            multipart: .init(
                name: "n", scan: .bytes(Array("PNG".utf8), filename: "f"),
                additionalProperties: ["b": .init(x: 2), "a\"": .init(x: 1, y: 0)]))
        #expect(
            try sentParts() == part("name", "n")
                + part("scan", "PNG", "; filename=\"f\"\r\nContent-Type: application/octet-stream")
                + part("a%22", #"{"x":1,"y":0}"#, json) + part("b", #"{"x":2}"#, json) + "--B--\r\n")
        try await client.postLabels(.init(kind: "k", additionalProperties: ["z": [1, 2], "a": []]))
        #expect(try sentParts() == part("kind", "k") + part("z", "1") + part("z", "2") + "--B--\r\n")
    }

    @Test func anAdditionalPartIsNotSentAsAnother() async {
        await #expect(throws: APIError<Foundry.PostLabelsFailure>.self) {
            try await client.postLabels(.init(additionalProperties: ["kind": [1]]))
        }
        #expect(engine.requests.isEmpty)
    }
}
