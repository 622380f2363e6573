import GatewayJSON
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

/// The table of rules by itself, and numbers that are compared exactly.
@Suite struct ConstraintTableTests {
    private func violation(_ table: StaticString, _ json: String) throws -> ConstraintViolation? {
        var check = ConstraintCheck(RequestRules(table), subject: "body")
        return try check.violation(of: 0, by: JSONDocument(Array(json.utf8)).root)
    }

    @Test func schemasOfThemselvesEnd() throws {
        #expect(try violation("all 0\tminLength 2", #""a""#) != nil)
        #expect(try violation("any 0\tany 0\tall 0", #""a""#) == nil)
        #expect(try violation("any 1\tany 1\tminLength 1\nany 0\tany 0\tmaxLength 0", #""a""#) != nil)
        #expect(try violation("items 0\tmaxItems 1", "[[[[[]]], []]]")?.path == "$[0]")
    }

    /// Conditional schemas compare types and required members, too.
    @Test(
        arguments: [
            ("not 1\ntypes integer", "1", "not"), ("not 1\ntypes integer", "1.5", nil),
            ("not 1\ntypes string\tmaxLength 1", #""ab""#, nil),
            ("contains 1\ntypes string", "[1]", "contains"),
            ("contains 1\tminContains 2\ntypes string", #"["a",1]"#, "minContains"),
            ("contains 1\tmaxContains 0\ntypes string", #"["a"]"#, "maxContains"),
            ("contains 1\tminContains 0\ntypes string", "[]", nil),
            ("propertyNames 1\nmaxLength 1", #"{"a":1,"ab":2}"#, "propertyNames"),
            ("propertyNames 1\nmaxLength 1", #"{"\"":"ab"}"#, nil),
            ("propertyNames 1\nmaxLength 1", "[]", nil),
            ("if 1\tthen 2\telse 3\nneed a\nneed b\nneed c", #"{"a":1}"#, "required"),
            ("if 1\tthen 2\telse 3\nneed a\nneed b\nneed c", #"{"a":1,"b":1}"#, nil),
            ("if 1\tthen 2\telse 3\nneed a\nneed b\nneed c", #"{"c":1}"#, nil),
            ("if 1\tthen 2\telse 3\nneed a\nneed b\nneed c", "{}", "required"),
            ("dependent 1 a\nneed b", #"{"a":1}"#, "required"), ("dependent 1 a\nneed b", "{}", nil),
            ("not 1\nany 2\tany 3\ntypes string\ntypes null", "null", "not"),
            ("not 1\nany 2\tany 3\ntypes string\ntypes null", #""a""#, "not"),
            ("not 1\ntypes integer null", "null", "not"), ("all 1\nnot 2\n", "null", "not"),
            ("minLength 1\tenum [\"a\"]\tproperty 1 a\nnot 2\n", "null", nil),
            ("property 1 b\nnot 2\n", #"{"b":null}"#, "not"), ("property 1 b\nnot 2\n", "{}", nil),
            (#"enum [{"a":1,"b":[]},"x"]"#, #"{"b":[],"a":1.0}"#, nil),
            (#"enum [{"a":1,"b":[]},"x"]"#, #"{"a":2,"b":[]}"#, "enum"), ("enum [[1]]", "[]", "enum"),
            ("required a", "{}", "required"), ("required a", #"{"a":null}"#, nil), ("required a", "[]", nil),
            ("oneOf 1\toneOf 2\nneed a\nneed b", "{}", "oneOf"),
            ("oneOf 1\toneOf 2\nneed a\nneed b", #"{"a":1,"b":1}"#, "oneOf"),
            ("oneOf 1\toneOf 2\nneed a\nneed b", #"{"b":1}"#, nil),
            ("oneOf 1\toneOf 2\nneed a\nneed b", "null", nil),
            ("anyOf 1\tanyOf 2\nneed a\nneed b", "{}", "anyOf"),
            ("anyOf 1\tanyOf 2\nneed a\nneed b", #"{"a":1,"b":1}"#, nil),
            ("oneOf 1\tanyOf 2\nneed a\nneed b", #"{"a":1}"#, "anyOf"),
            ("matching 1 ^x-\tvalues 2\nmaxLength 1\nmaxLength 2", #"{"x-a":"ab"}"#, "maxLength"),
            ("matching 1 ^x-\tvalues 2\nmaxLength 1\nmaxLength 2", #"{"y":"ab"}"#, nil),
            ("element 1 0\titems 2\nmaxLength 1\nmaxLength 2", #"["ab"]"#, "maxLength"),
            ("element 1 0\titems 2\nmaxLength 1\nmaxLength 2", #"["a","ab"]"#, nil),
        ] as [(String, String, String?)])
    func schemasThatDecide(table: String, json: String, keyword: String?) throws {
        var check = ConstraintCheck(RequestRules(text: table), subject: "body")
        let found = try check.violation(of: 0, by: JSONDocument(Array(json.utf8)).root)
        #expect(found?.constraint.name == keyword)
        #expect(found == nil || found?.path.hasPrefix("$") == true)
    }

    /// A branch that is a union has the types of its own branches.
    @Test(
        arguments: [
            (#"["ab"]"#, "maxLength"), (#"["a"]"#, nil), (#""a""#, "minLength"), (#""ab""#, nil), ("2", nil),
            ("{}", nil),
        ] as [(String, String?)])
    func aUnionInAUnionHasTypes(json: String, keyword: String?) throws {
        let table: StaticString = """
            any 1\tany 2
            any 3\tany 4
            items 5\ttype array
            minLength 2\ttype string
            type number
            maxLength 1
            """
        #expect(try violation(table, json)?.constraint.name == keyword)
    }

    /// Forty choices of two each, which are a million millions of ways.
    @Test func branchesOfBranchesEnd() throws {
        let table: StaticString = """
            any 1\tany 1\nany 2\tany 2\nany 3\tany 3\nany 4\tany 4\nany 5\tany 5\nany 6\tany 6\nany 7\tany 7
            any 8\tany 8\nany 9\tany 9\nany 10\tany 10\nany 11\tany 11\nany 12\tany 12\nany 13\tany 13\nany 14\tany 14
            any 15\tany 15\nany 16\tany 16\nany 17\tany 17\nany 18\tany 18\nany 19\tany 19\nany 20\tany 20
            any 21\tany 21\nany 22\tany 22\nany 23\tany 23\nany 24\tany 24\nany 25\tany 25\nany 26\tany 26
            any 27\tany 27\nany 28\tany 28\nany 29\tany 29\nany 30\tany 30\nany 31\tany 31\nany 32\tany 32
            any 33\tany 33\nany 34\tany 34\nany 35\tany 35\nany 36\tany 36\nany 37\tany 37\nany 38\tany 38
            any 39\tany 39\nany 40\tany 40\nminLength 2
            """
        _ = try violation(table, #""a""#)
    }

    @Test(arguments: ["frobnicate 1", "items x", "items 7", "property", "enum [", "minLength a", "pattern ("])
    func whatIsNoRuleDemandsNothing(entry: String) throws {
        let rules = RequestRules("items 0\tproperty 0 a")
        #expect(rules.rows.count == 1)
        var check = ConstraintCheck(RequestRules(text: entry), subject: "body")
        for json in ["1", #""a""#, "[1]", #"{"a":1}"#, "null", "true"] where entry != "enum [" {
            #expect(try check.violation(of: 0, by: JSONDocument(Array(json.utf8)).root) == nil)
        }
    }

    @Test(arguments: [
        ("1", "2", true), ("2", "1", false), ("-1", "1", true), ("1", "1.0", false), ("0.1", "0.2", true),
        ("1e2", "101", true), ("1E+2", "99", false), ("9007199254740992", "9007199254740993", true),
        ("0.30000000000000004", "0.3", false), ("-0", "0", false), ("1e400", "1e401", true),
        ("1e-5", "0.0001", true), ("123456789012345678901", "123456789012345678902000", true),
    ])
    func numbersAreCompared(left: String, right: String, isLess: Bool) {
        #expect((ExactNumber(left) < ExactNumber(right)) == isLess)
    }

    @Test(arguments: [
        ("4", "2", true), ("5", "2", false), ("0.3", "0.1", true), ("19.99", "0.01", true),
        ("19.999", "0.01", false), ("-6", "3", true), ("0", "7", true), ("7", "0", true), ("1e3", "10", true),
        ("-9223372036854775808", "1", true), ("1.10", "0.1", true),
    ])
    func multiplesAreExact(value: String, step: String, isMultiple: Bool) {
        #expect(ExactNumber(value).isMultiple(of: ExactNumber(step)) == isMultiple)
    }

    /// An exponent of a value in a response, or of a bound in a document.
    @Test(arguments: [
        "1e-9223372036854775808", "1e9223372036854775807", "1e99999999999999999999", "-1e-1000", "1e1000",
        "0e-9223372036854775808",
    ])
    func anyExponentIsCompared(text: String) {
        let (number, one) = (ExactNumber(text), ExactNumber("1"))
        #expect((number < one) == ((Double(text) ?? .nan) < 1))
        #expect(number == number)
        _ = number.isMultiple(of: one)
        _ = one.isMultiple(of: number)
    }
}
