import GatewayClient
import GatewayTesting
import Testing

/// `prefixItems` in requests and responses, in the document Foundry.
@Suite struct TupleTests {
    private typealias Cast = Foundry.Cast

    private static let pair = Foundry.Pair(count: 3, unit: "kg")

    private static let text =
        #"{"pair":[3,"kg"],"either":["a",{"x":1},true,[1.0]],"free":[{"x":2},null,5,"z"],"#
        + #""named":{"a":[1,"g"],"b":[2,""]},"pairs":[[1,"a"],[2,"b"]],"range":[1,"to"],"span":[0.5],"#
        + #""tagged":["t",1,2]}"#

    private func again(_ text: String) async throws -> Foundry.Cast {
        let engine = ScriptedEngine(.json(200, text))
        let client = FoundryClient(engine: engine)
        let cast = try await client.postCast(.init(pair: Self.pair))
        #expect(engine.requests.last?.bodyText == #"{"pair":[3,"kg"]}"#)
        _ = try await client.postCast(cast)
        #expect(engine.requests.last?.bodyText == text)
        return cast
    }

    @Test func elementsHaveTheirTypesAndPlaces() async throws {
        let cast = try await again(Self.text)
        #expect(cast.pair == Self.pair)
        guard case .variant2(let either)? = cast.either else {
            Issue.record("another branch")
            return
        }
        #expect(either.item0 == "a" && either.item1 == .init(x: 1) && either.rest.count == 2)
        #expect(cast.free == .value(.init(item0: .init(x: 2), item1: .null, rest: [5, "z"])))
        #expect(cast.named == ["a": .init(count: 1, unit: "g"), "b": .init(count: 2, unit: "")])
        #expect(cast.pairs?.map(\.count) == [1, 2])
        #expect(cast.range == .init(item0: 1, item1: "to"))
        #expect(cast.span == .init(item0: 0.5))
        #expect(cast.tagged == .init(item0: "t", rest: [1, 2]))
    }

    @Test(arguments: [
        #"{"pair":[3,"kg"],"free":null,"range":[1],"span":[],"tagged":["t"]}"#,
        #"{"pair":[3,"kg"],"either":[5,"g"],"free":[],"range":[1,"to",false],"span":[0.5,1.5]}"#,
        #"{"pair":[3,"kg"],"either":["a","b"],"free":[{"x":1,"y":2},"z"]}"#,
    ])
    func elementsMayBeAbsent(text: String) async throws {
        _ = try await again(text)
    }

    @Test(arguments: [
        (#"{"pair":[3]}"#, "$.pair"), (#"{"pair":["3","kg"]}"#, "$.pair[0]"),
        (#"{"pair":[3,"kg"],"range":[]}"#, "$.range"), (#"{"pair":{"0":3}}"#, "$.pair"),
        (#"{"pair":[3,"kg"],"tagged":["t","u"]}"#, "$.tagged[1]"),
    ])
    func anythingElseIsAnErrorWithItsPlace(text: String, path: String) async throws {
        let engine = ScriptedEngine(.json(200, text))
        let error = await #expect(throws: APIError<Foundry.PostCastFailure>.self) {
            try await FoundryClient(engine: engine).postCast(.init(pair: Self.pair))
        }
        #expect(error?.code == .decodingFailed)
        #expect((error?.response?.decodingError as? JSONError)?.path == path)
    }

    @Test(arguments: [
        Cast(pair: pair, range: .init(item0: 1, item2: true)), Cast(pair: pair, span: .init(item1: 2)),
        Cast(pair: pair, free: .value(.init(item0: .init(x: 1), rest: [1]))),
        Cast(pair: pair, free: .value(.init(item1: .null))),
    ])
    func anElementAfterAnAbsentOneIsNotSent(cast: Foundry.Cast) async throws {
        let engine = ScriptedEngine(.json(200, Self.text))
        let error = await #expect(throws: APIError<Foundry.PostCastFailure>.self) {
            try await FoundryClient(engine: engine).postCast(cast)
        }
        #expect(error?.code == .invalidRequest)
        #expect(engine.requests.isEmpty)
    }
}
