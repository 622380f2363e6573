import GatewayClient
import Testing

/// Unions whose branches are told apart by their members and elements, and aliases as branches. The document is
/// Branches.
@Suite struct BranchTests {
    /// A value, and the case that it is decoded as.
    private struct Sample: Sendable, CustomTestStringConvertible {
        let type: String
        let text: String
        let branch: String

        init(_ type: String, _ text: String, _ branch: String) {
            self.type = type
            self.text = text
            self.branch = branch
        }

        var testDescription: String { "\(type) \(text)" }
    }

    private static let overlapping = [
        Sample("Strict", #"{"a":"1","c":"2"}"#, "a"),
        Sample("Strict", #"{"c":"2"}"#, "c"),
        // The first branch does not fit.
        Sample("Strict", #"{"c":"2","a":1}"#, "c"),
        Sample("Loose", #"{"o":"1","p":"2"}"#, "o"),
        Sample("Loose", #"{"p":"2","q":[1.0]}"#, "p"),
        Sample("Extended", #"{"id":"1"}"#, "variant1"),
        Sample("Extended", #"{"id":"1","extra":2,"more":3}"#, "variant2"),
        Sample("Extended", #"{"id":"1","extra":"x"}"#, "variant1"),
        Sample("Nested", #"{"a":"1","inner":{"x":"1","y":"2"},"c":"2"}"#, "variant1"),
        Sample("Nested", #"{"c":"2","inner":{"x":5},"a":"1"}"#, "variant2"),
        Sample("Listed", #"[{"a":"1","c":"2"}]"#, "array"),
        Sample("Listed", #"[{"c":"1","a":"2"},{"c":"3"}]"#, "array2"),
        Sample("Free", #"{"r":"1","y":1,"z":2,"w":3}"#, "r"),
        Sample("Free", #"{"r":1,"z":2}"#, "object"),
    ]

    private static let elements = [
        Sample("Lists", #"[{"o":"1"},{"o":"2"}]"#, "array"),
        Sample("Lists", #"[{"p":"1"},{}]"#, "array2"),
        Sample("ObjectOrList", #"{"o":"1"}"#, "o"),
        Sample("ObjectOrList", #"[{"o":"1"}]"#, "array"),
        Sample("ObjectOrList", #"[{"r":"1"}]"#, "array2"),
        // The strictest.
        Sample("ObjectOrList", "[]", "array2"),
        Sample("ListOfLists", #"[[{"o":"1"}],[]]"#, "array"),
        Sample("ListOfLists", #"[[],[{"p":"1"}]]"#, "array2"),
        Sample("ListOfLists", #"["a",1]"#, "array3"),
        Sample("ListOfLists", #"["a",[]]"#, "unrecognized"),
        Sample("ListOfScalars", #"["blue"]"#, "array"),
        Sample("ListOfScalars", #"["red","green"]"#, "array2"),
        Sample("ListOfScalars", #"["2026-01-02"]"#, "array3"),
        Sample("ListOfScalars", "[1.5,2.5]", "array4"),
        Sample("ListOfScalars", "[1,2]", "array5"),
        Sample("ListOfScalars", "[1,true]", "unrecognized"),
        Sample("MapOrObject", #"{"r":"1"}"#, "r"),
        Sample("MapOrObject", #"{"r":"1","z":"2"}"#, "r"),
        Sample("MapOrObject", #"{"a":"x","b":"y"}"#, "object"),
        Sample("MapOrObject", #"{"r":1}"#, "unrecognized"),
        Sample("Maps", #"{"k":{"o":"1"}}"#, "object"),
        Sample("Maps", #"{"k":{"p":"1"},"l":{}}"#, "object2"),
        Sample("MapOfScalars", #"{"a":1}"#, "object"),
        Sample("MapOfScalars", #"{"a":"x"}"#, "object2"),
        Sample("MapOfScalars", #"{"a":1,"b":"x"}"#, "unrecognized"),
        // The next one is tried.
        Sample("Formats", #"{"at":"2026-01-02"}"#, "variant2"),
        Sample("Formats", #"{"at":"x"}"#, "unrecognized"),
    ]

    private static let constants = [
        Sample("Constants", #"{"x":"1"}"#, "first"),
        Sample("Constants", #"{"y":"1","kind":"b"}"#, "second"),
        Sample("Constants", #"{"x":"1","kind":"z"}"#, "first"),
        Sample("Constants", #"{"kind":"b"}"#, "unrecognized"),
        Sample("Constants", "{}", "unrecognized"),
        Sample("Nulls", #"{"kind":null,"x":"1"}"#, "variant1"),
        Sample("Nulls", #"{"kind":null,"y":"1"}"#, "variant2"),
        Sample("Nulls", #"{"kind":"b"}"#, "variant2"),
        Sample("Nulls", #"{"kind":"z","y":"1"}"#, "variant2"),
        Sample("Nulls", #"{"x":"1"}"#, "unrecognized"),
    ]

    private static let aliases = [
        Sample("Step", #"{"t":"one","a":1}"#, "one"),
        Sample("Step", #"{"t":"two","a":1}"#, "two"),
        Sample("Step", #"{"t":"three","c":1}"#, "three"),
        Sample("Step", #"{"a":1,"t":"four"}"#, "unrecognized"),
    ]

    private func check(_ sample: Sample) throws {
        let types: [String: any (JSONDecodable & JSONEncodable).Type] = [
            "Constants": Branches.Constants.self, "Extended": Branches.Extended.self,
            "Formats": Branches.Formats.self, "Free": Branches.Free.self,
            "ListOfLists": Branches.ListOfLists.self, "ListOfScalars": Branches.ListOfScalars.self,
            "Listed": Branches.Listed.self, "Lists": Branches.Lists.self, "Loose": Branches.Loose.self,
            "MapOfScalars": Branches.MapOfScalars.self, "MapOrObject": Branches.MapOrObject.self,
            "Maps": Branches.Maps.self, "Nested": Branches.Nested.self, "Nulls": Branches.Nulls.self,
            "ObjectOrList": Branches.ObjectOrList.self, "Step": Branches.Step.self,
            "Strict": Branches.Strict.self,
        ]
        let type = try #require(types[sample.type])
        try check(type, sample)
    }

    private func check<Model: JSONDecodable & JSONEncodable>(_ type: Model.Type, _ sample: Sample) throws {
        let value = try Model(jsonBytes: Array(sample.text.utf8))
        #expect(String(describing: value).prefix { $0 != "(" } == sample.branch)
        #expect(String(decoding: try value.jsonBytes(), as: UTF8.self) == sample.text)
    }

    @Test(arguments: overlapping) private func membersOfAllBranchesAreKept(sample: Sample) throws {
        try check(sample)
    }

    @Test(arguments: elements) private func elementsTellListsAndMapsApart(sample: Sample) throws {
        try check(sample)
    }

    @Test(arguments: constants) private func constantsThatCanBeAbsentDoNotDecideAlone(sample: Sample) throws {
        try check(sample)
    }

    @Test(arguments: aliases) private func aliasesAreBranches(sample: Sample) throws { try check(sample) }

    @Test func membersOfAnotherBranchAreReadAndSet() throws {
        guard case .a(let a) = try Branches.Strict(jsonBytes: Array(#"{"a":"1","c":"2"}"#.utf8)) else {
            Issue.record("another branch")
            return
        }
        #expect(a.unknownProperties["c"] == "2")
        let both = Branches.Strict.a(.init(a: "1", unknownProperties: ["c": "2"]))
        #expect(String(decoding: try both.jsonBytes(), as: UTF8.self) == #"{"a":"1","c":"2"}"#)
    }

    /// The error of the only branch that a value can be of tells what is wrong.
    @Test func theErrorOfTheOnlyBranchIsThrown() {
        let error = #expect(throws: JSONError.self) {
            try Branches.Nested(jsonBytes: Array(#"{"a":"1","inner":{"x":5}}"#.utf8))
        }
        #expect(error?.code == .wrongType)
        #expect(error?.description.contains("$.inner.x") == true)
    }

    @Test func aConstantThatCanBeAbsentIsSent() throws {
        let bytes = try Branches.Constants.first(.init(x: "1")).jsonBytes()
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"x":"1","kind":"a"}"#)
    }

    @Test func anAliasIsNotWrittenAsAnother() throws {
        let step = Branches.Step.two(.init(t: .two, a: 1))
        #expect(String(decoding: try step.jsonBytes(), as: UTF8.self) == #"{"t":"two","a":1}"#)
        let error = #expect(throws: JSONError.self) { try Branches.Step.one(.init(t: .two)).jsonBytes() }
        #expect(error?.code == .notRepresentable)
    }
}
