import Testing

@testable import OpenAPIGeneration

/// What a schema of property `p` becomes.
@Suite struct NormalisationTests {
    private func declared(_ schema: String, version: String = "3.1.0", required: Bool = false) -> String? {
        let head = "X:\n  type: object\n" + (required ? "  required: [p]\n" : "") + "  properties:\n"
        let others =
            "\nOther: { type: object, properties: { a: { type: string } } }\nNullable: { type: [object, 'null'], properties: { a: { type: string } } }\nText: { type: string }"
        let rendered = Rendered(schemas: head + "    p: " + schema + others, version: version)
        let lines = rendered.source.split(separator: "\n").map { $0.drop { $0 == " " } }
        guard let line = lines.first(where: { $0.hasPrefix("public var p: ") }) else { return nil }
        return String(line.dropFirst("public var p: ".count))
    }

    @Test(arguments: [
        "{ type: [string, 'null'] }", "{ anyOf: [{ type: string }, { type: 'null' }] }",
        "{ oneOf: [{ type: 'null' }, { type: string }] }", "{ anyOf: [{ type: string }, { const: null }] }",
        "{ anyOf: [{ type: string }, { enum: [null] }] }",
        "{ anyOf: [{ $ref: '#/components/schemas/Text' }, { type: [null] }] }",
        "{ type: string, anyOf: [{ minLength: 1 }, { type: 'null' }] }",
    ])
    func spellingsOfNull(schema: String) {
        #expect(declared(schema) == "Field<String>")
        #expect(declared(schema, required: true) == "String?")
    }

    @Test(arguments: [
        "{ type: string, nullable: true }",
        "{ allOf: [{ $ref: '#/components/schemas/Text' }], nullable: true }",
        "{ anyOf: [{ type: string, nullable: true }] }",
    ])
    func spellingsOfNullIn30(schema: String) {
        #expect(declared(schema, version: "3.0.3") == "Field<String>")
    }

    @Test func aReferenceToANullableSchemaIsNullable() {
        #expect(declared("{ $ref: '#/components/schemas/Nullable' }") == "Field<Test.Nullable>")
        #expect(declared("{ $ref: '#/components/schemas/Nullable' }", required: true) == "Test.Nullable?")
    }

    @Test(arguments: [
        ("{ type: string }", "String?"), ("{ type: string, format: date-time }", "Date?"),
        ("{ type: string, format: date }", "CalendarDate?"), ("{ type: string, format: uuid }", "UUID?"),
        ("{ type: string, format: uri }", "URI?"), ("{ type: string, format: byte }", "Base64Data?"),
        ("{ type: string, contentEncoding: base64 }", "Base64Data?"),
        ("{ type: string, contentEncoding: base64url }", "Base64URLData?"),
        ("{ type: string, format: base64url }", "Base64URLData?"),
        ("{ type: string, contentEncoding: base64url, format: byte }", "Base64URLData?"),
        ("{ type: string, contentEncoding: base64url, format: uuid }", "UUID?"),
        ("{ type: string, format: byte, contentEncoding: base64url }", "Base64URLData?"),
        ("{ type: string, format: x }", "String?"),
        ("{ type: integer }", "Int?"), ("{ type: integer, format: int32 }", "Int?"),
        ("{ type: integer, format: uint64 }", "UInt64?"),
        ("{ type: integer, minimum: -9223372036854776000, maximum: 18446744073709551616 }", "Int?"),
        ("{ type: number }", "Double?"), ("{ type: number, format: float }", "Float?"),
        ("{ type: number, format: decimal }", "Decimal?"), ("{ type: boolean }", "Bool?"),
        ("{ type: array, items: { type: integer } }", "[Int]?"), ("{ type: array }", "[JSONValue]?"),
        ("{ type: array, items: { type: [integer, 'null'] } }", "[Int?]?"),
        ("{ items: { type: string } }", "[String]?"), ("{ type: object }", "[String: JSONValue]?"),
        ("{ type: object, additionalProperties: { type: integer } }", "[String: Int]?"),
        ("{ additionalProperties: { type: string } }", "[String: String]?"), ("{}", "JSONValue?"),
        ("true", "JSONValue?"), ("{ const: 3 }", "Int?"), ("{ const: true }", "Bool?"),
        // The order of keywords has no effect.
        ("{ enum: [3, 4], const: 3 }", "Int?"), ("{ const: 3, enum: [3, 4] }", "Int?"),
        ("{ enum: [true, false] }", "Bool?"), ("{ enum: [1.5, 2] }", "Double?"),
        // Integers among other numbers stay exact.
        ("{ anyOf: [{ type: integer }, { type: number }] }", "JSONNumber?"),
        ("{ oneOf: [{ type: number, format: double }, { type: integer, format: int64 }] }", "JSONNumber?"),
        ("{ type: [integer, number] }", "JSONNumber?"),
        ("{ type: number, format: int64 }", "JSONNumber?"), ("{ type: number, format: int32 }", "Double?"),
        ("{ type: array, items: { type: number, format: uint64 } }", "[JSONNumber]?"),
        ("{ type: [integer, number, 'null'] }", "Field<JSONNumber>"),
        ("{ type: array, items: { type: [number, integer] } }", "[JSONNumber]?"),
        ("{ type: object, additionalProperties: { type: [integer, number] } }", "[String: JSONNumber]?"),
        ("{ type: [integer, number], format: decimal }", "Decimal?"),
        ("{ type: [integer, number], format: double }", "Double?"),
        ("{ allOf: [{ type: integer }, { type: number }] }", "Int?"),
        ("{ const: 9223372036854775808 }", "JSONNumber?"), ("{ type: number, const: 1.5 }", "Double?"),
        ("{ type: integer, enum: [1, -9223372036854775809] }", "JSONNumber?"),
        ("{ type: [integer, number], enum: [1, 1.5] }", "JSONNumber?"),
        ("{ oneOf: [{ type: string, format: date }, { type: string }] }", "String?"),
        ("{ oneOf: [{ type: string }] }", "String?"), ("{ anyOf: [{ type: string }, {}] }", "JSONValue?"),
    ])
    func types(schema: String, type: String) {
        #expect(declared(schema) == type)
    }

    @Test(arguments: [
        "{ $ref: '#/components/schemas/Other' }", "{ allOf: [{ $ref: '#/components/schemas/Other' }] }",
        "{ allOf: [{ $ref: '#/components/schemas/Other' }, { description: for you }] }",
        "{ description: d, $ref: '#/components/schemas/Other' }",
        "{ type: object, allOf: [{ $ref: '#/components/schemas/Other' }] }",
        "{ oneOf: [{ $ref: '#/components/schemas/Other' }] }",
    ])
    func oneReferenceIsThatReference(schema: String) {
        #expect(declared(schema) == "Test.Other?")
    }

    /// Any value that such a schema allows is null.
    @Test(arguments: [
        "{ enum: [null] }", "{ const: null }", "{ type: 'null' }", "{ type: [string, 'null'], enum: [null] }",
    ])
    func nullAloneIsNoEmptyEnum(schema: String) {
        let rendered = Rendered(
            schemas: "A: { type: object, required: [a], properties: { a: \(schema) } }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public var a: JSONValue\n"))
    }

    @Test(arguments: [
        "{ type: string, enum: [a, b] }", "{ enum: [a, b] }",
        "{ anyOf: [{ type: string }, { type: string, enum: [a, b] }] }",
        "{ anyOf: [{ enum: [a, b] }, { type: string }] }",
        "{ oneOf: [{ const: a, title: A }, { const: b }] }",
        "{ type: string, oneOf: [{ const: a }, { const: b }] }",
        "{ allOf: [{ type: string }, { enum: [a, b] }] }", "{ oneOf: [{ enum: [a] }, { enum: [b] }] }",
    ])
    func spellingsOfAnOpenEnum(schema: String) {
        #expect(declared(schema) == "Test.X.P?")
    }

    @Test func allOfIsFlattened() {
        let rendered = Rendered(
            schemas: """
                Base: { type: object, required: [id], properties: { id: { type: string }, n: { type: number } } }
                Both:
                  allOf:
                    - $ref: '#/components/schemas/Base'
                    - type: object
                      required: [z]
                      properties: { z: { type: string }, a: { type: string }, n: { type: integer } }
                    - required: [a]
                """)
        #expect(
            rendered.contains(
                "public init(id: String, z: String, a: String, n: Int? = nil) {"))
        #expect(rendered.findings.isEmpty)
    }

    @Test func allOfThatContradictsItselfDegrades() {
        let rendered = Rendered(
            schemas: "A: { allOf: [{ type: string }, { type: object, properties: { a: {} } }] }")
        #expect(rendered.rules == ["conflicting-schema"])
        #expect(rendered.contains("public typealias A = JSONValue"))
    }

    @Test func allOfThatLeadsBackToItselfEnds() {
        let rendered = Rendered(
            schemas:
                "A: { allOf: [{ $ref: '#/components/schemas/A' }, { type: object, properties: { a: {} } }] }")
        #expect(rendered.rules == ["circular-reference"])
        #expect(rendered.contains("struct A"))
    }

    @Test func aPropertyInBothMembersIsTheNarrowerOne() {
        let rendered = Rendered(
            schemas: """
                Base: { type: object, required: [kind], properties: { kind: { type: string, description: d } } }
                Cat: { allOf: [{ $ref: '#/components/schemas/Base' }, { type: object, properties: { kind: { const: cat } } }] }
                """)
        #expect(rendered.contains("public init(kind: String = \"cat\") {"))
    }

    @Test func additionalPropertiesBesideOthersAreKept() {
        let rendered = Rendered(
            schemas: """
                A: { type: object, properties: { b: { type: string }, additionalProperties: { type: string } }, additionalProperties: { type: integer } }
                """)
        #expect(rendered.contains("public var additionalProperties2: [String: Int]"))
        #expect(rendered.contains(#"try _o.additional(["additionalProperties", "b"])"#))
        #expect(
            rendered.contains(#"_w.additional(self.additionalProperties2, ["additionalProperties", "b"])"#))
    }

    @Test func aRequiredNameThatNobodyDescribesHasAnyValue() {
        let rendered = Rendered(
            schemas: """
                A: { type: object, required: [b, c], properties: { b: { type: string } } }
                D: { type: object, required: [e], properties: { f: { type: string } }, additionalProperties: true }
                """)
        #expect(rendered.contains("public var c: JSONValue?"))
        #expect(!rendered.contains("public var e:"))
    }

    @Test func readOnlyAndWriteOnlyFollowTheDirection() {
        let rendered = Rendered(
            paths: """
                /a:
                  post:
                    operationId: post
                    requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/In' } } } }
                    responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/Out' } } } } }
                  put:
                    operationId: put
                    requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Both' } } } }
                    responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/Both' } } } } }
                """,
            rest: """
                components:
                  schemas:
                    In: &s
                      type: object
                      required: [r, w]
                      properties: { r: { type: string, readOnly: true }, w: { type: string, writeOnly: true } }
                    Out: *s
                    Both: *s
                """)
        #expect(rendered.contains("struct In: JSONObjectEncodable"))
        #expect(rendered.contains("public init(w: String) {"))
        #expect(rendered.contains("struct Out: JSONObjectDecodable"))
        #expect(rendered.contains("public init(r: String) {"))
        #expect(rendered.contains("struct Both: JSONObjectCodable"))
        #expect(rendered.contains("public init(r: String? = nil, w: String? = nil) {"))
    }

    @Test func recursionIsBoxedAndOnlyWhereNeeded() {
        let rendered = Rendered(
            schemas: """
                Node: { type: object, properties: { next: { $ref: '#/components/schemas/Node' }, all: { type: array, items: { $ref: '#/components/schemas/Node' } } } }
                A: { type: object, required: [b], properties: { b: { $ref: '#/components/schemas/B' } } }
                B: { type: object, properties: { a: { oneOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] } } }
                """)
        #expect(rendered.contains("private var _next: Boxed<Test.Node>?"))
        #expect(rendered.contains("public var all: [Test.Node]?"))
        #expect(rendered.contains("private var _b: Boxed<Test.B>\n"))
        #expect(rendered.contains("private var _a: Field<Boxed<Test.A>>"))
    }

    @Test func aliasesThatContainThemselvesDegrade() {
        let rendered = Rendered(schemas: "A: { type: array, items: { $ref: '#/components/schemas/A' } }")
        #expect(rendered.rules == ["circular-reference"])
        #expect(rendered.contains("public typealias A = [JSONValue]"))
    }

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

    /// Properties that only conditional schemas have are optional members.
    @Test func propertiesOfConditionalSchemasAreMembers() {
        let rendered = Rendered(
            schemas: """
                A:
                  type: object
                  properties: { kind: { type: string } }
                  if: { properties: { kind: { const: a } } }
                  then: { required: [b, c], properties: { b: { type: integer }, c: { type: string } } }
                  else: { properties: { c: { type: boolean } }, if: {}, then: { $ref: '#/components/schemas/D' } }
                  dependentSchemas: { kind: { properties: { e: { type: string } } } }
                D: { type: object, properties: { d: { type: integer } } }
                """)
        for member in ["b: Int?", "d: Int?", "e: String?", "kind: String?", "c: Test.A.C?"] {
            #expect(rendered.contains("public var \(member)\n"))
        }
    }

    /// All schemas of elements and values apply.
    @Test(arguments: [
        "allOf: [{ type: array, items: { $x: a } }, { type: array, items: { $x: b } }]",
        "type: array, items: { $x: a }, allOf: [{ items: { $x: b } }]",
        "allOf: [{ type: object, additionalProperties: { $x: a } }, { type: object, additionalProperties: { $x: b } }]",
        "type: object, additionalProperties: { $x: a }, allOf: [{ additionalProperties: { $x: b } }]",
        "type: array, prefixItems: [{ $x: a }], allOf: [{ items: { $x: b } }]",
        "allOf: [{ type: array, prefixItems: [{ type: string }], items: { $x: a } }, { prefixItems: [{ type: string }], items: { $x: b } }]",
        "type: object, properties: { p: { $x: a } }, allOf: [{ additionalProperties: { $x: b } }]",
        "type: object, patternProperties: { '^p': { $x: a } }, allOf: [{ additionalProperties: { $x: b } }]",
        "type: object, properties: { p: { type: array, items: { $x: a } } }, allOf: [{ properties: { p: { items: { $x: b } } } }]",
    ])
    func schemasOfElementsAndValuesAreMerged(schema: String) {
        for isReferenced in [false, true] {
            func object(_ name: String) -> String {
                isReferenced
                    ? "$ref: '#/components/schemas/\(name)'"
                    : "type: object, properties: { \(name): { type: integer } }"
            }
            let text = schema.replacing("$x: a", with: object("a")).replacing("$x: b", with: object("b"))
            let rendered = Rendered(
                schemas: """
                    A: { \(text) }
                    a: { type: object, properties: { a: { type: integer } } }
                    b: { type: object, properties: { b: { type: integer } } }
                    """)
            #expect(rendered.findings.isEmpty)
            #expect(rendered.source.contains("public init(a: Int? = nil, b: Int? = nil)"), "\(text)")
        }
    }

    /// A schema for the rest does not replace the type of a scalar, and `unevaluatedProperties` does not apply to it.
    @Test(arguments: [
        "type: object, properties: { p: { type: integer } }, allOf: [{ additionalProperties: { type: string } }]",
        "properties: { p: { type: integer } }, allOf: [{ properties: { p: {} } }], additionalProperties: { type: string }",
        "allOf: [{ properties: { p: { type: integer } } }], unevaluatedProperties: { type: object, properties: { a: {} } }",
    ])
    func schemasOfTheRestKeepScalars(schema: String) {
        let rendered = Rendered(schemas: "A: { \(schema) }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public var p: Int?\n"))
    }

    /// The schemas beside a union apply to each of its branches.
    @Test(arguments: [
        "type: array, items: { $x: a }, anyOf: [{ items: { $x: b } }, { items: { $x: c } }]",
        "type: object, additionalProperties: { $x: a }, anyOf: [{ additionalProperties: { $x: b } }, { additionalProperties: { $x: c } }]",
        "type: array, prefixItems: [{ $x: a }], anyOf: [{ prefixItems: [{ $x: b }] }, { prefixItems: [{ $x: c }] }]",
    ])
    func elementsAndValuesBesideAUnionApplyToItsBranches(schema: String) {
        let text = ["a", "b", "c"].reduce(schema) { text, name in
            text.replacing("$x: \(name)", with: "type: object, properties: { \(name): { type: integer } }")
        }
        let rendered = Rendered(schemas: "A: { \(text) }")
        #expect(rendered.rules.allSatisfy { $0 == "ambiguous-union" })
        for name in ["b", "c"] {
            #expect(rendered.source.contains("public init(a: Int? = nil, \(name): Int? = nil"), "\(text)")
        }
    }

    /// A schema that extends a union has branches of its own, whatever is read first.
    @Test(arguments: ["A", "Z"])
    func extendingAUnionDoesNotChangeIt(base: String) {
        let rendered = Rendered(
            schemas: """
                \(base): { oneOf: [{ type: object, properties: { k: { type: integer } } }, { $ref: '#/components/schemas/L' }] }
                L: { type: object, properties: { l: { type: integer } } }
                M: { allOf: [{ $ref: '#/components/schemas/\(base)' }, { properties: { m: { type: integer } } }] }
                """)
        for line in [
            "case variant1(Test.\(base).Variant1)", "case l(Test.L)", "public init(k: Int? = nil)",
            "case variant1(Test.M.Variant1)", "public init(k: Int? = nil, m: Int? = nil)",
            "public init(l: Int? = nil, m: Int? = nil)",
        ] {
            #expect(rendered.source.contains(line), "\(line)")
        }
    }

    /// Conditional schemas add properties to what the schema itself describes.
    @Test(arguments: [
        "properties: { o: { $a } }, then: { properties: { o: { $b } } }",
        "properties: { o: { $a } }, dependentSchemas: { k: { properties: { o: { $b } } } }",
        "properties: { o: { $ref: '#/components/schemas/O' } }, else: { properties: { o: { $b } } }",
        "properties: { o: { type: array, items: { $a } } }, then: { properties: { o: { items: { $b } } } }",
        "additionalProperties: { $a }, then: { additionalProperties: { $b } }",
        "additionalProperties: { $a }, then: { properties: { o: { $b } } }",
        "properties: { o: { type: array, prefixItems: [{ $a }] } }, then: { properties: { o: { prefixItems: [{ $b }] } } }",
        "properties: { o: { oneOf: [{ type: string }, { $a }] } }, then: { properties: { o: { $b } } }",
        "properties: { o: { $a } }, oneOf: [{ required: [p], properties: { p: {} } }, { required: [q], properties: { q: {} } }], then: { properties: { o: { $b } } }",
        "allOf: [{ properties: { o: { $a } } }, { if: {}, then: { properties: { o: { $b } } } }]",
    ])
    func conditionalSchemasAddPropertiesToNestedObjects(schema: String) {
        let text = schema.replacing("$a", with: "type: object, properties: { a: { type: integer } }")
            .replacing("$b", with: "type: object, properties: { b: { type: integer } }")
        let rendered = Rendered(
            schemas: """
                A: { type: object, if: { required: [k] }, \(text) }
                O: { type: object, properties: { a: { type: integer } } }
                """)
        #expect(rendered.source.contains("public init(a: Int? = nil, b: Int? = nil"), "\(schema)")
    }

    /// Conditional schemas that only restrict leave the types as they are; those of other properties keep these.
    @Test func conditionalSchemasKeepTypesAndOtherProperties() {
        let rendered = Rendered(
            schemas: """
                A:
                  type: object
                  properties: { kind: { type: string }, o: { $ref: '#/components/schemas/O' } }
                  if: { properties: { kind: { const: a } } }
                  then: { properties: { kind: { minLength: 2 }, o: { required: [a], properties: { a: { minimum: 3 } } } } }
                B:
                  type: object
                  properties: { kind: { type: string } }
                  if: { properties: { kind: { const: a } } }
                  then: { patternProperties: { '^x': { type: integer } } }
                O: { type: object, properties: { a: { type: integer } } }
                """)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public var o: Test.O?\n"))
        #expect(rendered.contains("public var additionalProperties: [String: JSONValue]\n"))
    }

    /// A schema that is combined with another one inside of itself.
    @Test(arguments: [
        "allOf: [{ properties: { o: { $r } } }, { properties: { o: { type: object, properties: { b: {} } } } }]",
        "allOf: [{ properties: { o: { $r } } }, { additionalProperties: { type: object, properties: { b: {} } } }]",
        "properties: { o: { $r } }, if: {}, then: { properties: { o: { type: object, properties: { b: {} } } } }",
        "allOf: [{ additionalProperties: { $r } }, { properties: { b: {} }, additionalProperties: { type: object, properties: { c: {} } } }]",
    ])
    func combinationsInsideThemselvesEnd(schema: String) {
        let text = schema.replacing("$r", with: "$ref: '#/components/schemas/A'")
        let rendered = Rendered(schemas: "A: { type: object, \(text) }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.source.utf8.count < 50_000)
    }

    /// A branch is never the union itself: decoding would not end.
    @Test func aPropertyOfSeveralConditionalSchemasIsAUnion() {
        let rendered = Rendered(
            schemas: """
                A:
                  type: object
                  properties: { kind: { type: string } }
                  if: { properties: { kind: { const: a } } }
                  then: { properties: { v: { type: integer }, w: { type: object, properties: { x: { type: integer } } } } }
                  else: { properties: { v: { type: string }, w: { type: object, properties: { y: { type: integer } } } } }
                """)
        for line in [
            "public var v: Test.A.V?", "case integer(Int)", "case string(String)", "public var w: Test.A.W?",
            "case variant1(Test.A.W.Variant1)", "case variant2(Test.A.W.Variant2)",
        ] {
            #expect(rendered.contains(line + "\n"))
        }
        #expect(!rendered.contains("indirect case"))
    }

    @Test(arguments: [
        "{ enum: [] }", "{ enum: [{ a: 1 }, b] }", "{ type: strange }",
        "{ allOf: [{ oneOf: [{ type: string }, { type: array }] }, { oneOf: [{ type: string }, { type: boolean }] }] }",
    ])
    func whatIsNotSupportedIsAnyValueWithAWarning(schema: String) {
        let rendered = Rendered(schemas: "A: " + schema)
        #expect(rendered.rules == ["unsupported-schema"])
        #expect(rendered.contains("public typealias A = JSONValue"))
    }
}
