import Testing

@testable import OpenAPIGeneration

/// Unions whose branches are told apart by all of their properties and elements.
@Suite struct UnionMatchTests {
    @Test func byAKeyOfItsOwn() {
        let rendered = Rendered(
            schemas:
                "A: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }, { type: string }] }"
                + UnionTests.cats)
        #expect(
            rendered.contains(
                #"self = try _json.match("0-!Dkind\t!Apurr\n1-!Dkind\t!Abark\n", isCertain: true, Self.init(_branch:json:))"#
            ))
        #expect(rendered.contains("private init(_branch: Int, json _json: JSONElement) throws(JSONError) {"))
        #expect(rendered.contains("case 1: self = .dog(try Test.Dog(json: _json))"))
        #expect(!rendered.contains("unknownProperties"))
        #expect(rendered.findings.isEmpty)
    }

    /// Another branch can be valid, or none: the constant can be absent or null.
    @Test func anOptionalConstantDoesNotDecideAlone() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }] }
                B: { type: object, required: [x], properties: { kind: { type: string, enum: [b] }, x: { type: string } } }
                C: { type: object, required: [kind, y], properties: { kind: { type: [string, 'null'], enum: [c, null] }, y: { type: string } } }
                """)
        #expect(!rendered.contains("_json.discriminator("))
        #expect(
            rendered.contains(
                #"_json.match("1-~Dkind\u{1}c\t!Dy\n0-!Dx\t?Dkind\u{1}b\n", isCertain: true,"#))
        // It is sent nevertheless.
        #expect(rendered.contains("public init(x: String) {\n"))
        #expect(rendered.contains("self.kind = \"b\"\n") && rendered.contains("self.kind = \"c\"\n"))
        #expect(rendered.findings.isEmpty)
    }

    /// Integers keep their digits; what is no integer does not fit them.
    @Test func branchesThatKeepDigitsComeFirst() {
        let rendered = Rendered(
            schemas: """
                A: { anyOf: [{ type: object, required: [v], properties: { v: { type: number } } }, { type: object, properties: { v: { type: integer } } }] }
                B: { anyOf: [{ type: object, properties: { v: { type: number } } }, { type: object, properties: { w: { type: integer } } }] }
                """)
        #expect(rendered.contains(##"match("1"##))
        #expect(rendered.contains(##"match("0"##))
    }

    /// Also inside of members and elements.
    @Test(arguments: [
        "{ type: object, properties: { o: { type: object, properties: { v: { type: TYPE } } } } }",
        "{ type: array, prefixItems: [{ type: TYPE }] }",
        "{ type: array, items: { type: object, properties: { v: { type: TYPE } } } }",
        "{ type: object, properties: { m: { type: object, additionalProperties: { type: array, items: { type: TYPE } } } } }",
    ])
    func branchesThatKeepDigitsInsideComeFirst(schema: String) {
        func first(_ types: [String]) -> String? {
            let branches = types.map { schema.replacing("TYPE", with: $0) }.joined(separator: ", ")
            let source = Rendered(schemas: "A: { anyOf: [\(branches)] }\n").unbroken
            return source.firstRange(of: "match(\"").map { String(source[$0.upperBound...].prefix(1)) }
        }
        #expect(first(["number", "integer"]) == "1")
        #expect(first(["integer", "number"]) == "0")
    }

    /// The strictest first.
    @Test func listsAndMapsAreToldApartByWhatIsInThem() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ type: array, items: { $ref: '#/components/schemas/O' } }, { type: array, items: { $ref: '#/components/schemas/R' } }, { type: array, items: {} }] }
                B: { oneOf: [{ type: object, additionalProperties: { type: string } }, { $ref: '#/components/schemas/R' }] }
                C: { oneOf: [{ type: array, items: { type: string } }, { type: array, items: { enum: [a, b] } }, { type: array, items: { type: array, items: { type: number } } }] }
                D: { oneOf: [{ type: array, items: { $ref: '#/components/schemas/E' } }, { type: array, items: { type: boolean } }] }
                E: { oneOf: [{ type: string }, { $ref: '#/components/schemas/R' }, { type: array, items: { $ref: '#/components/schemas/D' } }] }
                O: { type: object, properties: { o: { type: string } } }
                R: { type: object, required: [r], properties: { r: { type: string } } }
                """)
        #expect(
            rendered.contains(
                ##"match("1[0,\n0[5,\n2[\n", elements: "+!Dr\n-?Do\n", Self.init(_branch:json:))"##))
        #expect(
            rendered.contains(##"match("1+!Dr\n0+0,\n", elements: "*D\n", Self.init(_branch:json:))"##))
        #expect(
            rendered.contains(
                ##"match("1[0,\n2[10,\n0[14,\n", elements: "*D\u{1}a\u{1}b\n*B\n[7,\n*D\n", "##))
        #expect(rendered.contains("case 2: self = .array3(try [[Double]](json: _json))"))
        // A list of unions; what it refers to itself for ends.
        #expect(rendered.contains("public nonisolated enum D:"))
        #expect(Set(rendered.rules) == ["ambiguous-union"])
    }

    @Test func whatIsAlikeIsToldApartByPatterns() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }] }
                B: { type: object, patternProperties: { '^x': { type: integer } }, additionalProperties: false }
                C: { type: object, patternProperties: { '^x': { type: string }, 'y$': {} }, additionalProperties: { type: boolean } }
                """)
        #expect(rendered.contains(#"elements: "*A\n""#))
        #expect(rendered.contains("patterns: Self._objectPatterns"))
        #expect(rendered.contains(#"private static let _objectPatterns = NamePatterns("^x\ny$")"#))
        #expect(rendered.contains("0-^B0\\n"))
        #expect(rendered.contains("1+0,^D0\\t^_1\\n"))
    }

    @Test func whatIsAlikeIsToldApartByItsMembers() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }] }
                B: { type: object, properties: { x: { type: string }, k: { type: string, enum: [a, b] } } }
                C: { type: object, properties: { x: { type: string }, y: { type: integer } } }
                """)
        #expect(rendered.findings == ["5:8 warning ambiguous-union"])
        #expect(
            rendered.contains(
                #"_json.match("0-?Dk\u{1}a\u{1}b\t?Dx\n1-?Dx\t?By\n", Self.init(_branch:json:))"#))
        #expect(rendered.contains("case 1: self = .c(try Test.C(json: _json))"))
    }

    @Test(arguments: [
        (
            "{ type: object, properties: { x: { type: string, format: uuid } } }",
            "{ type: object, properties: { x: { type: string } } }",
            "2 branches are JSON objects; nothing in their properties distinguishes them; the first that can be decoded is used"
        ),
        (
            "{ type: array, items: { type: string, format: uuid } }",
            "{ type: array, items: { type: string } }",
            "2 branches are JSON arrays; nothing in their elements distinguishes them; the first that can be decoded is used"
        ),
        (
            "{ type: object, properties: { x: { type: string } } }",
            "{ type: object, properties: { y: { type: string } } }",
            "2 branches are JSON objects; they are distinguished by their properties"
        ),
    ])
    func aWarningSaysWhatDistinguishesBranches(one: String, other: String, message: String) {
        let rendered = Rendered(schemas: "A: { oneOf: [\(one), \(other)] }")
        #expect(rendered.output.diagnostics.map(\.message) == [message])
    }

    @Test func branchesThatAreAlikeAreCounted() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }, { $ref: '#/components/schemas/D' }] }
                B: { type: object, properties: { x: { type: string } } }
                C: { type: object, properties: { x: { type: string } } }
                D: { type: object, properties: { y: { type: string } } }
                """)
        #expect(
            rendered.printed.contains("3 branches are JSON objects; nothing in the properties of 2 disting"))
    }

    @Test func whatIsRequiredTellsApartForCertain() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }, { $ref: '#/components/schemas/D' }] }
                B: { type: object, required: [x, y], properties: { x: { type: string }, y: { type: string } } }
                C: { type: object, required: [x, z], properties: { x: { type: string }, z: { type: string } } }
                D: { type: object, required: [y, z], properties: { y: { type: string }, z: { type: string } } }
                """)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("case 0: self = .b(try Test.B(json: _json))"))
        #expect(rendered.contains("isCertain: true"))
    }
}
