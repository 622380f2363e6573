import GatewayClient
import GatewayTesting
import Testing

/// Values have the type that the document declares, in the document Ledger.
@Suite struct DeclaredTypeTests {
    @Test func literalsHaveTheDeclaredType() throws {
        let text =
            #"{"crossing":"false","country":"on","code":"2","version":"1.10","#
            + #""constant":"7","flag":"true","only":"2024"}"#
        let literals = try Ledger.Literals(jsonBytes: Array(text.utf8))
        #expect(String(decoding: try literals.jsonBytes(), as: UTF8.self) == text)
        #expect(literals.constant == "7" && literals.only == "2024")
        #expect(Ledger.Literals.Crossing.knownCases.map(\.rawValue) == ["regular", "false", "dead-end"])
        #expect(Ledger.Literals.Country.knownCases.map(\.rawValue) == ["DK", "on", "off", "Y", "n"])
        #expect(Ledger.Literals.Code.knownCases.map(\.rawValue) == ["1", "2", "007"])
        #expect(Ledger.Literals.Version.knownCases.map(\.rawValue) == ["1.10", "2.0"])
        #expect(Ledger.Literals.Flag.knownCases.map(\.rawValue) == ["true", "false"])
        #expect(Ledger.Literals.Code.knownCases.contains(literals.code))
    }

    private static let numbers =
        #"{"whole":9007199254740993,"both":36893488147419103233,"either":9007199254740993,"#
        + #""list":[1.0,-0,1e400],"map":{"a":0.10,"b":-9007199254740993},"nullable":null,"open":1.10,"#
        + #""plain":0.5,"text":18446744073709551617}"#

    @Test func integersAmongNumbersAreExact() throws {
        var numbers = try Ledger.Numbers(jsonBytes: Array(Self.numbers.utf8))
        #expect(String(decoding: try numbers.jsonBytes(), as: UTF8.self) == Self.numbers)
        #expect(numbers.either?.integer(Int.self) == 9_007_199_254_740_993)
        #expect(numbers.list?.last?.double == .infinity)
        guard case .number(let text)? = numbers.text else {
            Issue.record("not a number")
            return
        }
        #expect(text.text == "18446744073709551617")
        numbers = .init(whole: 1, both: 2, either: 0.5, list: [3, 1.5])
        #expect(
            String(decoding: try numbers.jsonBytes(), as: UTF8.self)
                == #"{"whole":1,"both":2,"either":0.5,"list":[3,1.5]}"#)
    }

    @Test func parametersAreExact() async throws {
        let engine = ScriptedEngine(.json(200, Self.numbers), .status(204))
        let client = LedgerClient(engine: engine)
        let most = try #require(JSONNumber("36893488147419103233"))
        let numbers = try await client.getNumbers(least: -9_007_199_254_740_993, most: most)
        #expect(
            engine.requests.last?.target
                == "/v1/numbers/-9007199254740993?most=36893488147419103233")
        try await client.putNumbers(least: 0.5, numbers)
        #expect(engine.requests.last?.target == "/v1/numbers/0.5")
        #expect(engine.requests.last?.bodyText == Self.numbers)
    }

    @Test func urisAreSentAsTheyWereReceived() async throws {
        let text =
            #"{"target":"","either":"http://a.test/%7e|","named":{"a":"x y"},"others":["../é","a%2fb"]}"#
        let engine = ScriptedEngine(.json(200, text))
        let link = try Ledger.Link(jsonBytes: Array(text.utf8))
        #expect(link.target == "" && link.others == ["../é", "a%2fb"])
        let answer = try await LedgerClient(engine: engine).sendLink(
            link: "http://a/%7e", link, from: ["a b", "/%2f"], xVia: "http://b/?c=%20")
        #expect(answer.named == ["a": "x y"])
        let request = try #require(engine.requests.last)
        #expect(request.bodyText == text)
        #expect(request.target == "/v1/links/http%3A%2F%2Fa%2F%257e?from=a%20b&from=%2F%252f")
        #expect(request.fields["X-Via"] == "http://b/?c=%20")
    }
}
