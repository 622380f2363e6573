import GatewayJSON
import Testing

/// Arrays as they are generated, with a type for each of the first elements.
@Suite struct JSONTupleTests {
    private struct Pair: JSONTupleCodable, Equatable {
        var number: Int
        var text: String?
        var flag: Field<Bool> = .absent
        var rest: [Int] = []

        init(number: Int, text: String? = nil, flag: Field<Bool> = .absent, rest: [Int] = []) {
            self.number = number
            self.text = text
            self.flag = flag
            self.rest = rest
        }

        init(items o: inout JSONTuple) throws(JSONError) {
            number = try o.required()
            text = try o.optional()
            flag = try o.field()
            rest = try o.rest()
        }

        func write(items w: inout JSONTupleWriter) {
            w.required(number)
            w.optional(text)
            w.field(flag)
            w.rest(rest)
        }
    }

    @Test(arguments: ["[1]", #"[1,"a"]"#, #"[1,"a",null]"#, #"[1,"a",true,2,3]"#])
    func elementsAreReadAndWritten(json: String) throws {
        let pair = try Pair(jsonBytes: Array(json.utf8))
        #expect(try String(decoding: pair.jsonBytes(), as: UTF8.self) == json)
        #expect(try String(decoding: [pair, pair].jsonBytes(), as: UTF8.self) == "[\(json),\(json)]")
    }

    @Test(arguments: [("[]", "missing", "$"), (#"["a"]"#, "wrong_type", "$[0]"), ("{}", "wrong_type", "$")])
    func anythingElseIsAnErrorWithItsPlace(json: String, code: String, path: String) {
        let error = #expect(throws: JSONError.self) { try Pair(jsonBytes: Array(json.utf8)) }
        #expect(error?.code.name == code)
        #expect(error?.path == path)
    }

    /// Without it, the elements after it would be read as other ones.
    @Test func anElementAfterAnAbsentOneIsNotWritten() {
        for pair in [
            Pair(number: 1, flag: .value(true)), Pair(number: 1, flag: .null), Pair(number: 1, rest: [2]),
            Pair(number: 1, text: "a", rest: [2]),
        ] {
            let error = #expect(throws: JSONError.self) { try pair.jsonBytes() }
            #expect(error?.code == .notRepresentable)
        }
    }
}
