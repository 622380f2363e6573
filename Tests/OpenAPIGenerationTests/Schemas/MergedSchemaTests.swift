import Testing

@testable import OpenAPIGeneration

/// Schemas that apply together: conditional ones, those of the rest, and those that extend each other.
@Suite struct MergedSchemaTests {
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
    @Test(arguments: [
        "if: { type: object }, then: { type: object, properties: { a: {} } }, else: { type: string }",
        "if: { type: object }, then: { properties: { a: {} } }, else: { oneOf: [{ type: string }, { type: integer }] }",
        "if: { type: string }, then: { type: string }, else: { required: [a], properties: { a: {} } }",
        "if: { type: object }, then: { properties: { a: {} } }",
        "if: { type: [object] }, then: { $ref: '#/components/schemas/O' }",
        "allOf: [{ if: { type: object }, then: { properties: { a: {} } } }, { title: T }]",
        "if: { type: array }, then: { items: { type: integer } }, else: { type: object, properties: { a: {} } }",
        "if: { type: array }, then: { prefixItems: [{}] }, else: { properties: { a: {} } }",
    ])
    func conditionalSchemasOfOtherTypesAreKept(schema: String) {
        let rendered = Rendered(
            schemas: "X: { type: array, items: { \(schema) } }\nO: { type: object, properties: { a: {} } }")
        #expect(rendered.contains("public typealias X = [JSONValue]"))
    }

    /// A condition without a type is about the properties of an object, and a type of the schema remains.
    @Test(arguments: [
        "if: { properties: { k: { const: a } } }, then: { properties: { a: {} } }",
        "type: object, if: { type: object }, then: { properties: { a: {} } }",
        "properties: { k: {} }, if: { type: object }, then: { properties: { a: {} } }",
        "required: [k], if: { type: object }, then: { properties: { a: {} } }",
    ])
    func conditionsOfObjectsAddProperties(schema: String) {
        #expect(Rendered(schemas: "X: { \(schema) }").contains("struct X: "))
    }

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
}
