import GatewayClient
import GatewayTesting
import Testing

/// Unions, hierarchies and numbers of an OpenAPI 3.0 document in requests and responses, in the document Gallery.
@Suite struct UnionCallTests {
    private static let text =
        #"{"kinds":[{"kind":"Sculpture","stuff":"wood","rings":3},{"kind":"Bronze","stuff":"Bronze","alloy":"b"},"#
        + #"{"kind":"Painting","oil":true},{"kind":"Film","reel":1.0}],"#
        + #""artists":[{"role":"maler","brush":2},{"role":"Sculptor","chisel":1},{"role":"other","x":1}],"#
        + #""marks":[{"by":"a"},{"year":1900,"mark":null},{"by":"b","mark":"signed"},{"year":1,"mark":"dated"}],"#
        + #""media":[{"width":1,"height":2},{"height":3},{"height":4,"depth":5}],"notes":[{"height":1}],"#
        + #""page":"http://a.test/%7e","state":"1.0","views":[{"side":"back","file":"f"},{"side":"front"}]}"#

    private func again(_ text: String) async throws -> Gallery.Work {
        let engine = ScriptedEngine(.json(200, text))
        let client = GalleryClient(engine: engine)
        let work = try await client.postWork(.init(kinds: []))
        _ = try await client.postWork(work)
        #expect(engine.requests.last?.bodyText == text)
        return work
    }

    private struct AnotherBranch: Error {}

    @Test func membersOfSubtypesAreReadAndSent() async throws {
        let work = try await again(Self.text)
        guard case .sculpture(.wood(let carving)) = work.kinds[0], case .bronze(let bronze) = work.kinds[1],
            case .painting(let painting) = work.kinds[2], case .unrecognized = work.kinds[3],
            case .maler(let painter)? = work.artists?[0], case .sculptor(let sculptor)? = work.artists?[1],
            case .unrecognized? = work.artists?[2]
        else { throw AnotherBranch() }
        #expect(carving.rings == 3 && bronze.alloy == "b" && painting.oil == true)
        #expect(painter.brush == 2 && sculptor.chisel == 1)
    }

    @Test func branchesAreToldApart() async throws {
        let work = try await again(Self.text)
        guard case .signed(let signed)? = work.marks?[0], case .dated(let dated)? = work.marks?[1],
            case .signed? = work.marks?[2], case .dated? = work.marks?[3],
            case .width(let width)? = work.media?[0], case .height? = work.media?[1],
            case .height(let height)? = work.media?[2], case .array2? = work.notes,
            case .back(let back)? = work.views?[0], case .front? = work.views?[1]
        else { throw AnotherBranch() }
        #expect(signed.by == "a" && dated.mark == .null && back.file == "f")
        #expect(width.unknownProperties["height"] == 2 && height.unknownProperties["depth"] == 5)
    }

    @Test func literalsAndURIsKeepTheirText() async throws {
        let work = try await again(Self.text)
        #expect(work.page.orNil?.text == "http://a.test/%7e" && work.state?.rawValue == "1.0")
        #expect(Gallery.Work.State.knownCases.map(\.rawValue) == ["new", "false", "1.0", "NO"])
    }

    @Test(arguments: [
        ("[{\"width\":1}]", "array"), ("[{\"height\":1},{\"height\":2}]", "array2"),
        ("{\"a\":{\"width\":1}}", "object"), ("{\"a\":1}", "object2"), ("[1]", "unrecognized"),
    ])
    func elementsTellListsAndMapsApart(notes: String, branch: String) async throws {
        let work = try await again(#"{"kinds":[],"notes":\#(notes)}"#)
        let found = try #require(work.notes)
        #expect(String(describing: found).prefix { $0 != "(" } == branch)
    }

    @Test func valuesAreSentAsTheirBranches() async throws {
        let engine = ScriptedEngine(.json(200, Self.text))
        _ = try await GalleryClient(engine: engine).postWork(
            .init(
                kinds: [
                    .sculpture(.wood(.init(kind: .sculpture, rings: 1))), .painting(.init(oil: false)),
                ],
                artists: [.maler(.init(brush: 1)), .sculptor(.init())], marks: [.dated(.init(year: 1))],
                page: .value("x y"), views: [.back(.init(side: .back))]))
        #expect(
            engine.requests.last?.bodyText
                == #"{"kinds":[{"kind":"Sculpture","stuff":"wood","rings":1},{"kind":"Painting","oil":false}],"#
                + #""artists":[{"role":"maler","brush":1},{"role":"Sculptor"}],"marks":[{"year":1,"mark":"dated"}],"#
                + #""page":"x y","views":[{"side":"back"}]}"#)
    }

    @Test func integersAmongNumbersAreExact() async throws {
        let text =
            #"{"whole":9007199254740993,"either":9007199254740993,"map":{"a":9007199254740993,"b":0.10},"#
            + #""open":[9007199254740993,1e400],"precise":9007199254740993,"text":36893488147419103233}"#
        let engine = ScriptedEngine(.json(200, text))
        let client = GalleryClient(engine: engine)
        let counts = try await client.postCounts(.init(whole: 1, precise: 2))
        #expect(engine.requests.last?.bodyText == #"{"whole":1,"precise":2}"#)
        #expect(counts.whole == 9_007_199_254_740_993)
        #expect(counts.precise?.integer(Int.self) == 9_007_199_254_740_993)
        _ = try await client.postCounts(counts)
        #expect(engine.requests.last?.bodyText == text)
    }
}
