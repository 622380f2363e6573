import Testing

@testable import OpenAPIGeneration

/// Members of `patternProperties` and `prefixItems`, and the elements of enums.
@Suite struct PatternMemberTests {
    /// Properties that match a pattern have its type, whatever the schema says about others.
    @Test(
        arguments: [
            ("patternProperties: { '^x-': { type: string } }, additionalProperties: false", nil),
            ("patternProperties: { '^x-': { type: string } }, unevaluatedProperties: false", nil),
            (
                "patternProperties: { '^x-': { type: string } }, additionalProperties: { type: integer }",
                "Int"
            ),
            ("patternProperties: { '^x-': { type: string } }", "JSONValue"),
        ] as [(String, String?)])
    func propertiesOfPatternsAreMembers(keywords: String, others: String?) {
        for properties in ["", "properties: { a: { type: boolean } }, "] {
            let object = Rendered(schemas: "A: { type: object, \(properties)\(keywords) }")
            #expect(object.findings.isEmpty)
            #expect(object.contains("public var patternProperties: [String: String]\n"))
            #expect(object.contains("NamePatterns(\"^x-\")"))
            #expect(object.contains("public var additionalProperties: ") == (others != nil))
            if let others {
                #expect(object.contains("public var additionalProperties: [String: \(others)]\n"))
            }
        }
    }

    /// A number that is an integer, too, has all its digits.
    @Test(arguments: [
        ("'^a': { type: number }, 'b$': { type: integer }", "JSONNumber"),
        ("'^ab': { type: number }, '^abc': { type: integer }", "JSONNumber"),
        ("'^ab?': { type: number }, '^ac': { type: integer }", "JSONNumber"),
        ("'^a': { type: number }, '^b': { type: integer }", "Double"),
        ("'^a': { type: number }, 'b$': { type: number, minimum: 1 }", "Double"),
        ("'^a': { type: number, format: decimal }, 'b$': { type: integer }", "Decimal"),
    ])
    func numbersOfPatternsHaveAllDigits(patterns: String, type: String) {
        let rendered = Rendered(schemas: "A: { type: object, patternProperties: { \(patterns) } }")
        #expect(rendered.contains("public var patternProperties: [String: \(type)]\n"))
    }

    /// A union of numbers is a type that has all digits of each branch.
    @Test(arguments: [
        ("oneOf: [{ type: integer, format: uint64 }, { type: integer, format: int64 }]", "JSONNumber"),
        ("anyOf: [{ type: integer }, { $ref: '#/components/schemas/U' }, { type: 'null' }]", "JSONNumber"),
        ("anyOf: [{ type: number, format: decimal }, { type: number }]", "JSONNumber"),
        ("anyOf: [{ type: number, format: int64 }, { type: number, format: double }]", "JSONNumber"),
        ("anyOf: [{ type: integer, format: int32 }, { type: integer, format: int64 }]", "Int"),
        ("anyOf: [{ type: number, format: float }, { type: number }]", "Double"),
    ])
    func numbersOfUnionsHaveAllDigits(schema: String, type: String) {
        let rendered = Rendered(
            schemas: """
                U: { type: integer, format: uint64 }
                A: { type: object, required: [a], properties: { a: { \(schema) } } }
                """)
        #expect(rendered.contains("public var a: \(type)"))
    }

    /// An enum of arrays or objects has the type that the other keywords describe.
    @Test(arguments: [
        ("{ type: object, enum: [{ a: 1 }], properties: { a: { type: integer } } }", "A.V"),
        ("{ type: array, enum: [[1], [2]], items: { type: integer } }", "[Int]"),
        ("{ const: { a: 1 } }", "JSONValue"),
    ])
    func collectionsOfAnEnumHaveTheirType(schema: String, type: String) {
        let rendered = Rendered(
            schemas: "A: { type: object, required: [v], properties: { v: \(schema) } }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public var v: "))
        #expect(rendered.contains("\(type)\n"))
    }

    @Test func patternsWithEqualSchemasAreOneMember() {
        let rendered = Rendered(
            schemas: """
                A:
                  type: object
                  properties: { x-a: { minLength: 1 } }
                  patternProperties: { '^x-': { type: string }, '^y-': { type: string }, '^z-': { type: integer } }
                """)
        #expect(rendered.contains("public var xA: String?\n"))
        #expect(rendered.contains("NamePatterns(\"^x-\\t^y-\\n^z-\")"))
        #expect(rendered.contains("public var patternProperties2: [String: Int]\n"))
    }

    @Test(arguments: ["", "^.*$"]) func aPatternOfAllNamesIsADictionary(pattern: String) {
        let rendered = Rendered(
            schemas: "A: { type: object, patternProperties: { '\(pattern)': { type: integer } } }")
        #expect(rendered.contains("public typealias A = [String: Int]\n"))
    }

    @Test func aPatternThatIsNotSupportedIsReported() {
        let rendered = Rendered(
            schemas: """
                A: { type: object, patternProperties: { '(?<=a)b': { type: integer } }, additionalProperties: false }
                """)
        #expect(rendered.rules == ["unsupported-schema"])
        #expect(rendered.contains("public typealias A = [String: JSONValue]\n"))
    }

    @Test func schemasOfPatternsHaveNamesAndAreChecked() {
        let rendered = Rendered(
            schemas: """
                A:
                  type: object
                  properties: { a: { type: string } }
                  patternProperties: { '^x-': { type: object, properties: { b: { type: string } }, typ: x } }
                  additionalProperties: false
                """)
        #expect(rendered.rules == ["unknown-keyword"])
        #expect(rendered.contains("public var patternProperties: [String: Test.A.Value]\n"))
    }

    /// The first elements have schemas of their own; those from `minItems` on can be absent.
    @Test(
        arguments: [
            ("minItems: 1", "[JSONValue]"), ("minItems: 1, items: { type: boolean }", "[Bool]"),
            ("minItems: 1, items: false", nil), ("minItems: 1, maxItems: 2", nil),
        ] as [(String, String?)])
    func elementsWithOtherSchemasAreMembers(keywords: String, rest: String?) {
        let rendered = Rendered(
            schemas: """
                A: { type: array, prefixItems: [{ type: integer }, { type: string, title: Unit }], \(keywords) }
                """)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public nonisolated struct A: JSONTupleCodable, Equatable, Sendable {\n"))
        #expect(rendered.contains("public var item0: Int\n"))
        #expect(rendered.contains("public var unit: String?\n"))
        #expect(rendered.contains("public var rest: ") == (rest != nil))
        if let rest { #expect(rendered.contains("public var rest: \(rest)\n")) }
    }

    @Test func elementsOfOneSchemaAreAnArray() {
        let rendered = Rendered(
            schemas: "A: { type: array, prefixItems: [{ type: string }], items: { type: string } }")
        #expect(rendered.contains("public typealias A = [String]\n"))
    }
}
