@_spi(Generated) import GatewayJSON
import Testing

@Suite struct BranchMatchTests {
    /// The branches in the order in which they are tried. The last is -1.
    private func tried(
        _ json: String, _ table: StaticString, _ elements: StaticString = "", _ patterns: NamePatterns? = nil
    ) throws -> [Int] {
        var result: [Int] = []
        try JSONDocument(Array(json.utf8)).root.match(table, elements: elements, patterns: patterns) {
            (branch: Int, json: JSONElement) throws(JSONError) in
            result.append(branch)
            if branch >= 0 { throw json.wrongFormat("nothing") }
        }
        return result
    }

    private func match(_ json: String, _ table: StaticString, _ elements: StaticString = "") throws -> Int {
        try tried(json, table, elements)[0]
    }

    @Test func theRowWithTheMostKnownMembersIsTheBest() throws {
        let table: StaticString = "0-?Da\t?Db\n1-?Da\t?Dc\t?Dd\n"
        #expect(try match(#"{"a":"x","b":"y"}"#, table) == 0)
        #expect(try match(#"{"a":"x","c":"y"}"#, table) == 1)
        #expect(try match(#"{"a":"x"}"#, table) == 0)
        #expect(try match("{}", table) == 0)
    }

    @Test func whatIsRequiredDecides() throws {
        let table: StaticString = "0-!Da\t?Db\n1-!Dc\n"
        #expect(try match(#"{"b":"x"}"#, table) == -1)
        #expect(try match(#"{"c":"x","b":"y"}"#, table) == 1)
        #expect(try match(#"{"a":1}"#, table) == -1)
        #expect(try match(#"{"a":null}"#, table) == 0)
    }

    @Test func valuesDecide() throws {
        let table: StaticString =
            "0-!Bt\u{1}1\u{1}2\t?Da\n1-!Bt\u{1}3\n2-!Agone\u{1}true\n13-!Dkind\u{1}x y\n"
        #expect(try match(#"{"t":2}"#, table) == 0)
        #expect(try match(#"{"t":3,"a":"x"}"#, table) == 1)
        #expect(try match(#"{"t":4}"#, table) == -1)
        #expect(try match(#"{"gone":true}"#, table) == 2)
        #expect(try match(#"{"gone":false}"#, table) == -1)
        #expect(try match(#"{"kind":"x\u0020y"}"#, table) == 13)
        #expect(try match(#"{"k\u0069nd":"x y"}"#, table) == 13)
    }

    /// The value of a constant that can be absent or null is one member among others.
    @Test func aConstantThatCanBeAbsentDoesNotDecideAlone() throws {
        let table: StaticString = "0-!Dx\t?Dkind\u{1}a\n1-!Dy\t?Dkind\u{1}b\n2-~Dkind\u{1}c\n"
        #expect(try match(#"{"x":"1"}"#, table) == 0)
        #expect(try match(#"{"kind":"z","y":"1"}"#, table) == 1)
        #expect(try match(#"{"kind":"b","y":"1","x":"1"}"#, table) == 1)
        #expect(try match(#"{"kind":null}"#, table) == 2)
        #expect(try match(#"{"kind":"z"}"#, table) == 2)
        #expect(try match("{}", table) == -1)
    }

    @Test(arguments: [
        (#"{"x-a":1}"#, [0, 1]), (#"{"x-a":"s"}"#, [1]), (#"{"y-a":"s"}"#, [1, 0]), (#"{"y-a":1}"#, [0]),
        (#"{"y-a":null}"#, [1, 2, 0]), (#"{"x-a":1,"y-a":"s","y-b":""}"#, [1, 0]),
        // Other members are those of the map, and the text of a pattern is not a name.
        (#"{"z":true,"z-a":"s"}"#, [2, 0, 1]), (#"{"z":1,"z-a":"s"}"#, [0, 1]), (#"{"^x-":1}"#, [0, 1]),
        ("{}", [0, 1, 2]),
    ])
    func patternsDecide(json: String, branches: [Int]) throws {
        let table: StaticString = "0-^B0\n1-^D1\n2+0,^D2\n"
        let patterns = NamePatterns("^x-\n^y-\n^z-")
        #expect(try tried(json, table, "*A\n", patterns).dropLast() == branches[...])
    }

    @Test func aMapTakesWhatNothingElseDoes() throws {
        let table: StaticString = "0+\n1-!H_errors\n"
        #expect(try match(#"{"a":1,"b":2}"#, table) == 0)
        #expect(try match(#"{"_errors":[]}"#, table) == 1)
    }

    @Test func aRowThatForbidsOtherMembersIsTheLastChoiceForThem() throws {
        let table: StaticString = "0=?Da\t?Db\n1=?Dc\n2-?Da\n"
        #expect(try match(#"{"a":"x","b":"y"}"#, table) == 0)
        #expect(try match(#"{"a":"x","b":"y","z":1}"#, table) == 2)
        #expect(try match(#"{"c":"x"}"#, table) == 1)
        // Without another row the best of them is taken.
        #expect(try match(#"{"c":"x","z":1}"#, "0=?Da\t?Db\n1=?Dc\n") == 1)
    }

    @Test func whatHasAnotherTypeFitsNothing() throws {
        #expect(try match("[]", "0+\n") == -1)
        #expect(try match("{}", "0[\n") == -1)
        #expect(try match("{}", "") == -1)
    }

    @Test func arraysAreToldApartByTheirElements() throws {
        // Objects with r, o and p; strings a and b; numbers.
        let elements: StaticString = "-!Dr\n-?Do\n-?Dp\n*D\u{1}a\u{1}b\n*D\n*B\n"
        let objects: StaticString = "0[0,\n1[5,\n2[10,\n"
        #expect(try tried(#"[{"r":"1"},{"r":"2"}]"#, objects, elements) == [0, 1, 2, -1])
        #expect(try match(#"[{"r":"1"},{"o":"2"}]"#, objects, elements) == 1)
        #expect(try match(#"[{"p":"1"},null,{}]"#, objects, elements) == 2)
        #expect(try match(#"[{"o":"1"},"a"]"#, objects, elements) == -1)
        #expect(try match("[]", objects, elements) == 0)
        let scalars: StaticString = "0[15,\n1[22,\n2[25,\n3[22,25,\n"
        #expect(try match(#"["b","a"]"#, scalars, elements) == 0)
        #expect(try match(#"["b","c","d"]"#, scalars, elements) == 1)
        #expect(try match("[1,2.5]", scalars, elements) == 2)
        #expect(try match(#"[1,"c"]"#, scalars, elements) == 3)
    }

    @Test func mapsAreToldApartByTheirValues() throws {
        // Strings; numbers; an array of numbers; a map of these arrays.
        let elements: StaticString = "*D\n*B\n[3,\n+6,\n"
        let table: StaticString = "0+0,!Br\n1+0,\n2+3,\n3+6,\n4+10,\n"
        #expect(try match(#"{"a":"x"}"#, table, elements) == 1)
        #expect(try match(#"{"r":1,"a":"x"}"#, table, elements) == 0)
        #expect(try match(#"{"r":1,"a":2}"#, table, elements) == 2)
        #expect(try match(#"{"a":[1]}"#, table, elements) == 3)
        #expect(try match(#"{"a":{"b":[1]}}"#, table, elements) == 4)
        #expect(try match(#"{"a":1,"b":2,"c":"x"}"#, table, elements) == -1)
        #expect(try match(#"{"a":[1,"x"]}"#, table, elements) == -1)
    }

    /// The next best branch is tried if one cannot be decoded. The error of the only one is thrown on request.
    @Test func branchesAreTriedInOrder() throws {
        #expect(try tried(#"{"b":"x"}"#, "0-?Da\n1-?Db\n0-?Db\n2-!Da\n") == [1, 0, -1])
        let root = try JSONDocument(Array(#"{"b":"x"}"#.utf8)).root
        func failure(_ table: StaticString) -> JSONError? {
            do throws(JSONError) {
                try root.match(table, isCertain: true) { (_: Int, json: JSONElement) throws(JSONError) in
                    throw json.wrongFormat("a")
                }
                return nil
            } catch {
                return error
            }
        }
        #expect(failure("0-!Da\n1-!Db\n")?.code == .wrongFormat)
    }

    /// A list is compared in time of its own size, and not more often than it may be read.
    @Test func comparisonsCountAsWork() throws {
        struct Compared: JSONDecodable {
            init(json: JSONElement) throws(JSONError) {
                for _ in 0..<200 {
                    try json.match("0[0,\n", elements: "*D\n") { (_: Int, _: JSONElement) throws(JSONError) in
                    }
                }
            }
        }
        let list = "[" + Array(repeating: "1", count: 100_000).joined(separator: ",") + "]"
        do throws(JSONError) {
            _ = try Compared(jsonBytes: Array(list.utf8))
            Issue.record("decoded")
        } catch {
            #expect(error.code == .tooComplex)
        }
    }
}
