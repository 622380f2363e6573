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
