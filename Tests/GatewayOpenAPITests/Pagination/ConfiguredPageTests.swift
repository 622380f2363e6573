import GatewayClient
import GatewayTesting
import Testing

/// Pages that follow one another as the configuration says: by the body of a search, by a number, by a header.
@Suite struct ConfiguredPageTests {
    private func market(_ engine: ScriptedEngine) -> MarketClient { MarketClient(engine: engine) }

    private static func found(_ items: String, token: String? = nil, total: Int = 3)
        -> ScriptedTransport.Reply
    {
        let token = token.map { #","token":"\#($0)""# } ?? ""
        return .json(200, #"{"hits":{"list":[\#(items)]\#(token)},"total":\#(total)}"#)
    }

    @Test func aSearchGoesOnByItsBody() async throws {
        let engine = ScriptedEngine(
            Self.found(#""a""#, token: "t1"), Self.found(#""b""#, token: "t2"), Self.found(#""c""#))
        let search = Market.Search(page: .init(size: 1), query: "q")
        var got: [String] = []
        for try await item in market(engine).searchByCursorAll(search) { got.append(item) }
        #expect(got == ["a", "b", "c"])
        #expect(
            engine.requests.map(\.bodyText) == [
                #"{"page":{"size":1},"query":"q"}"#, #"{"page":{"size":1,"token":"t1"},"query":"q"}"#,
                #"{"page":{"size":1,"token":"t2"},"query":"q"}"#,
            ])
        #expect(engine.requests.allSatisfy { $0.method == .post && $0.target == "/v1/search/cursor" })
    }

    @Test func aSearchThatRepeatsItselfEnds() async throws {
        let engine = ScriptedEngine(Self.found(#""a""#, token: "t"), Self.found(#""b""#, token: "t"))
        let search = Market.Search(page: .init(token: "t"))
        var got: [String] = []
        do {
            for try await item in market(engine).searchByCursorAll(search) { got.append(item) }
            Issue.record("endless")
        } catch {
            #expect(error.code == .repeatedPage)
        }
        #expect(got == ["a"])
    }

    @Test func aSearchCountsInItsBody() async throws {
        let engine = ScriptedEngine(Self.found(#""a","b""#), Self.found(#""c""#))
        var got: [String] = []
        for try await item in market(engine).searchByOffsetAll() { got.append(item) }
        #expect(got == ["a", "b", "c"])
        #expect(engine.requests.map(\.bodyText) == ["", #"{"page":{"from":2}}"#])
        #expect(engine.requests.last?.fields[.contentType] == "application/json")
        let resumed = ScriptedEngine(Self.found(#""c""#))
        for try await _ in market(resumed).searchByOffsetAll().resumed(from: "2") {}
        #expect(resumed.requests.map(\.bodyText) == [#"{"page":{"from":2}}"#])
    }

    @Test func anOddParameterCounts() async throws {
        let engine = ScriptedEngine(Self.found(#""a","b""#), Self.found(#""c""#))
        var got: [String] = []
        for try await item in market(engine).listOddAll() { got.append(item) }
        #expect(got == ["a", "b", "c"])
        #expect(engine.requests.map(\.target) == ["/v1/odd", "/v1/odd?from=2"])
    }

    @Test func anUndocumentedLinkIsFollowed() async throws {
        let engine = ScriptedEngine(
            .json(200, ["Link": "</v1/linked?p=2>; rel=next"], #"["a"]"#), .json(200, #"["b"]"#))
        var got: [String] = []
        for try await item in market(engine).listLinkedAll() { got.append(item) }
        #expect(got == ["a", "b"])
        #expect(engine.requests.map(\.target) == ["/v1/linked", "/v1/linked?p=2"])
    }

    /// The link of a page has the query of the page before, and query items of the options are not added again.
    @Test func queryItemsOfTheOptionsAreSentOnce() async throws {
        let engine = ScriptedEngine(
            .json(200, ["Link": "</v1/linked?t=x&p=2>; rel=next"], #"["a"]"#), .json(200, #"["b"]"#))
        for try await _ in market(engine).listLinkedAll(options: CallOptions(query: [("t", "x")])) {}
        #expect(engine.requests.map(\.target) == ["/v1/linked?t=x", "/v1/linked?t=x&p=2"])
    }

    @Test func cursorsMayBeNumbers() async throws {
        let engine = ScriptedEngine(
            .json(200, #"{"items":["a"],"next_cursor":7}"#),
            .json(200, #"{"items":["b"],"next_cursor":null}"#))
        var got: [String] = []
        for try await item in market(engine).listNumberedAll() { got.append(item) }
        #expect(got == ["a", "b"])
        #expect(engine.requests.map(\.target) == ["/v1/numbered", "/v1/numbered?after_id=7"])
    }
}
