import GatewayClient
import GatewayTesting
import Testing

/// Names and values that are canonically equivalent, but not equal, in the document Gallery.
@Suite struct ExactNameTests {
    private static let text =
        "{\"caf\u{e9}\":\"1\",\"cafe\u{301}\":\"2\",\"more\":{\"e\u{301}\":1},"
        + "\"of\":{\"form\":\"e\u{301}\",\"two\":2},\"tone\":\"\u{212b}\"}"

    @Test func theyAreReadAndSentApart() async throws {
        let engine = ScriptedEngine(.json(200, Self.text))
        let client = GalleryClient(engine: engine)
        let label = try await client.postLabel(café: "a", .init(café: "x"), k: "1", u212a: "2")
        let request = try #require(engine.requests.last)
        #expect(request.target == "/labels/a?K=1&%E2%84%AA=2")
        #expect(request.body.bytes == Array("{\"caf\u{e9}\":\"x\"}".utf8))
        #expect(label.café == "1" && label.cafe == "2")
        #expect(label.more?["e\u{301}"] == 1)
        #expect(label.tone == .u212b && label.tone != .å && label.tone != .a)
        guard case .e(let decomposed)? = label.of else {
            Issue.record("another branch")
            return
        }
        #expect(decomposed.two == 2)
        _ = try await client.postLabel(café: "a", label)
        #expect(engine.requests.last?.body.bytes == Array(Self.text.utf8))
    }

    @Test func oneAloneIsNotTakenForTheOther() async throws {
        let engine = ScriptedEngine(.json(200, "{\"cafe\u{301}\":\"2\"}"))
        let error = await #expect(throws: APIError<Gallery.PostLabelFailure>.self) {
            try await GalleryClient(engine: engine).postLabel(café: "a", .init(café: "x"))
        }
        #expect(error?.code == .decodingFailed)
    }

    @Test func eachBranchAndValueIsSentAsItself() async throws {
        let engine = ScriptedEngine(.json(200, Self.text))
        _ = try await GalleryClient(engine: engine).postLabel(
            café: "a", .init(café: "x", of: .é(.init(one: 1)), tone: .a))
        #expect(
            engine.requests.last?.body.bytes
                == Array(
                    "{\"caf\u{e9}\":\"x\",\"of\":{\"form\":\"\u{e9}\",\"one\":1},\"tone\":\"a\u{30a}\"}".utf8)
        )
    }
}
