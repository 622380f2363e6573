import GatewayClient
import GatewayTesting
import Testing

/// Operations that take their body in several media types: the usual one is not named, the others by a label.
@Suite struct BodyAlternativeTests {
    private let engine = ScriptedEngine(.status(204))

    private func market() -> MarketClient { MarketClient(engine: engine) }

    private var sent: (type: String?, text: String) {
        let request = engine.requests.last
        return (request?.fields[.contentType], request?.bodyText ?? "")
    }

    private let note = Market.Note(
        text: "a b", count: 2, place: .init(x: 1.5), tags: ["x", "y"], words: ["u", "v"])

    @Test func theUsualOneIsNotNamed() async throws {
        try await market().createNote(note)
        #expect(sent.type == "application/json")
        #expect(
            sent.text
                == #"{"text":"a b","count":2,"place":{"x":1.5},"tags":["x","y"],"words":["u","v"]}"#)
        try await market().createNote()
        #expect(sent.type == nil && sent.text.isEmpty)
    }

    @Test func eachOtherHasALabel() async throws {
        try await market().createNote(form: note)
        #expect(sent.type == "application/x-www-form-urlencoded")
        #expect(
            sent.text == "text=a+b&count=2&place=%7B%22x%22%3A1.5%7D&tags=x&tags=y&words=u&words=v")
        try await market().createNote(text: "plain")
        #expect(sent.type == "text/plain" && sent.text == "plain")
        try await market().createNote(mergePatchJson: .init(text: .null))
        #expect(sent.type == "application/merge-patch+json" && sent.text == #"{"text":null}"#)
        let response = try await market().withResponse.createNote(text: "plain")
        #expect(response.status == 204)
    }

    @Test func aTypeThatIsJSONElsewhereIsCutIntoParts() async throws {
        try await market().createNote(multipart: note)
        let type = try #require(sent.type)
        let boundary = try #require(type.split(separator: "boundary=").last)
        let text = sent.text.replacing(boundary, with: "B")
        func part(_ name: String, _ value: String, isJSON: Bool = false) -> String {
            "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n"
                + (isJSON ? "Content-Type: application/json\r\n" : "") + "\r\n\(value)\r\n"
        }
        let expected =
            part("text", "a b") + part("count", "2") + part("place", #"{"x":1.5}"#, isJSON: true)
            + part("tags", #"["x","y"]"#, isJSON: true) + part("words", "u") + part("words", "v")
        #expect(text == expected + "--B--\r\n")
    }

    @Test func filesMakeATypeOfTheirOwn() async throws {
        let engine = ScriptedEngine(.json(200, #"{"name":"a","data":"b"}"#))
        let market = MarketClient(engine: engine)
        let picture = try await market.putPicture(
            multipart: "m", multipart2: .init(name: "a", data: .init(.text("bytes"), filename: "f.png")))
        #expect(picture.data == "b")
        let request = try #require(engine.requests.last)
        #expect(request.fields[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(request.bodyText.contains("filename=\"f.png\""))
        #expect(request.target == "/v1/pictures/m")
        _ = try await market.putPicture(multipart: "m", .init(name: "a", data: "text"))
        #expect(engine.requests.last?.bodyText == #"{"name":"a","data":"text"}"#)
    }
}
