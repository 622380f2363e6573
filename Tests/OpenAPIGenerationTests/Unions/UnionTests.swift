import Testing

@testable import OpenAPIGeneration

/// What unions become, and their branches that the JSON type or a value selects.
@Suite struct UnionTests {
    static let cats = """

        Cat: { type: object, required: [kind, purr], properties: { kind: { type: string }, purr: { type: boolean } } }
        Dog: { type: object, required: [kind, bark], properties: { kind: { type: string }, bark: { type: boolean } } }
        """

    @Test func byJSONType() {
        let rendered = Rendered(
            schemas:
                "A: { oneOf: [{ type: string }, { type: array, items: { type: string } }, { $ref: '#/components/schemas/Cat' }, { type: boolean }] }"
                + Self.cats)
        #expect(rendered.contains("case JSONType.string: self = .string(try String(json: _json))"))
        #expect(rendered.contains("case JSONType.array: self = .array(try [String](json: _json))"))
        #expect(rendered.contains("case JSONType.object: self = .cat(try Test.Cat(json: _json))"))
        #expect(rendered.contains("case JSONType.bool: self = .bool(try Bool(json: _json))"))
    }

    @Test func byTypeList() {
        let rendered = Rendered(
            schemas:
                "A: { type: [string, integer, 'null'] }\nB: { type: object, properties: { a: { $ref: '#/components/schemas/A' } } }"
        )
        #expect(rendered.contains("case JSONType.number: self = .integer(try Int(json: _json))"))
        #expect(rendered.contains("public var a: Field<Test.A>"))
    }

    @Test(arguments: [
        "{ oneOf: [{ type: string }, { type: integer }, { type: number }] }",
        "{ anyOf: [{ type: number, format: double }, { type: string }, { type: integer, format: int64 }] }",
        "{ type: [string, integer, number] }",
    ])
    func anIntegerBesideANumberIsAnExactNumber(schema: String) {
        let rendered = Rendered(schemas: "A: " + schema)
        #expect(rendered.contains("case number(JSONNumber)"))
        #expect(!rendered.contains("case integer"))
        #expect(rendered.findings.isEmpty)
    }

    @Test(arguments: [
        "{ oneOf: [{ type: integer, enum: [1, 2] }, { type: number }] }", "{ enum: [1, 2, 0.5, a] }",
    ])
    func aNumberBesideAnIntegerEnumIsExact(schema: String) {
        #expect(Rendered(schemas: "A: " + schema).contains("case number(JSONNumber)"))
    }

    /// Such a name is the same for a case and for a type in the enum.
    @Test(arguments: [("\u{732B}", "\u{72AC}"), ("0", "1"), ("\u{5D0}", "\u{5D1}")])
    func titlesWithoutLetterCase(first: String, second: String) {
        func object(_ title: String, _ name: String) -> String {
            "{ title: '\(title)', type: object, required: [\(name)], properties: { \(name): { type: string } } }"
        }
        let rendered = Rendered(
            schemas: "A: { oneOf: [\(object(first, "a")), \(object(second, "b"))] }")
        #expect(rendered.findings.isEmpty)
        for title in [first, second] {
            let type = title == "0" || title == "1" ? "_" + title : title
            #expect(rendered.contains("struct \(type):"))
            #expect(rendered.contains("case \(type)_(Test.A.\(type))"))
        }
    }

    @Test func nestedEnumsAreOne() {
        let rendered = Rendered(
            schemas: """
                A: { anyOf: [{ $ref: '#/components/schemas/B' }, { type: string, enum: [z] }, { type: 'null' }] }
                B: { anyOf: [{ type: string }, { type: string, enum: [x, y] }] }
                C: { oneOf: [{ $ref: '#/components/schemas/D' }, { type: integer, enum: [9] }] }
                D: { type: integer, oneOf: [{ title: ONE, const: 1 }, { title: TWO, const: 2 }] }
                E: { enum: [1, low, true] }
                """)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public nonisolated enum A: OpenEnum"))
        #expect(rendered.contains("public nonisolated enum C: OpenEnum"))
        #expect(rendered.contains("case 9: self = .value9"))
        #expect(rendered.contains("case JSONType.bool: self = .bool(try Bool(json: _json))"))
    }

    @Test func stringsAreToldApartByTheirValue() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ type: string, format: uuid }, { type: string, enum: [a] }, { type: string }, { type: boolean }] }
                """)
        #expect(rendered.contains("switch _json.stringOrNil {"))
    }

    @Test func propertiesBesideAUnionAreInEachBranch() {
        let rendered = Rendered(
            schemas: """
                A:
                  type: object
                  required: [id]
                  properties: { id: { type: string } }
                  oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
                """ + Self.cats)
        #expect(
            rendered.contains("public init(kind: String, purr: Bool, id: String)")
                || rendered.contains("public init(id: String, kind: String, purr: Bool)"))
        #expect(rendered.contains("case cat("))
    }

    @Test func branchesThatOnlyRequireKeepTheObject() {
        let rendered = Rendered(
            schemas:
                "A: { type: object, properties: { a: { type: string }, b: { type: string } }, anyOf: [{ required: [a] }, { required: [b] }] }"
        )
        #expect(rendered.contains("public init(a: String? = nil, b: String? = nil)"))
        #expect(rendered.findings.isEmpty)
    }

    @Test func inlineBranchesAreNamedByTheirPlace() {
        let rendered = Rendered(
            schemas:
                "A: { oneOf: [{ type: object, required: [x], properties: { x: {} } }, { title: Second one, type: object, required: [y], properties: { y: {} } }] }"
        )
        #expect(rendered.contains("case variant1(Test.A.Variant1)"))
        #expect(rendered.contains("case secondOne(Test.A.SecondOne)"))
    }

    @Test func recursiveUnionsAreIndirect() {
        let rendered = Rendered(
            schemas: """
                Tree: { oneOf: [{ type: string }, { $ref: '#/components/schemas/Branch' }] }
                Branch: { type: object, required: [left], properties: { left: { $ref: '#/components/schemas/Tree' } } }
                """)
        #expect(rendered.contains("indirect case branch(Test.Branch)"))
        #expect(rendered.contains("private var _left: Boxed<Test.Tree>"))
    }

    /// Decoding a branch that is the union itself would not end.
    @Test(arguments: [
        ("A: { oneOf: [{ $ref: '#/components/schemas/A' }, { type: string }] }", ["case string(String)"]),
        (
            """
            A: { oneOf: [{ $ref: '#/components/schemas/B' }, { type: string }] }
            B: { anyOf: [{ type: integer }, { $ref: '#/components/schemas/C' }] }
            C: { allOf: [{ $ref: '#/components/schemas/A' }] }
            """, ["case integer(Int)", "case string(String)"]
        ),
        (
            """
            A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }], discriminator: { propertyName: t, mapping: { b: B, c: C } } }
            B: { oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/D' }] }
            C: { type: object, required: [t], properties: { t: { const: c } } }
            D: { type: object, required: [t], properties: { t: { const: b } } }
            """, ["case b(Test.B)", "case c(Test.C)", "case d(Test.D)"]
        ),
    ])
    func aUnionIsNotABranchOfItself(schemas: String, cases: [String]) {
        let rendered = Rendered(schemas: schemas)
        #expect(rendered.rules.contains("circular-reference"))
        #expect(!rendered.source.contains("indirect case"))
        for line in cases { #expect(rendered.contains(line + "\n")) }
    }

    /// A recursive type that contains itself in an object or array ends.
    @Test func aUnionCanContainItself() {
        let rendered = Rendered(
            schemas:
                "A: { oneOf: [{ type: string }, { type: array, items: { $ref: '#/components/schemas/A' } }] }"
        )
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("case array([Test.A])\n"))
    }

    /// The number of ways through 40 levels of unions is 2 to the power of 40.
    @Test(arguments: [
        "{ type: string }", "{ type: string, enum: [a, b] }", "{ type: object, properties: { a: {} } }",
    ])
    func aUnionIsReadOnceHoweverManyLeadToIt(last: String) {
        let unions = (0..<40).map { level in
            let next = "{ $ref: '#/components/schemas/L\(level + 1)' }"
            return "L\(level): { anyOf: [\(next), { oneOf: [\(next), \(next)] }] }\n"
        }
        let rendered = Rendered(schemas: unions.joined() + "L40: \(last)")
        #expect(!rendered.source.isEmpty)
    }

    /// Types are nested as deeply as inline schemas.
    @Test(arguments: [
        ("{ type: object, properties: { p: ", " } }"),
        ("{ oneOf: [{ type: string }, { type: object, properties: { p: ", " } }] }"),
    ])
    func inlineSchemasAreNestedDeeply(start: String, end: String) {
        let (open, close) = (String(repeating: start, count: 50), String(repeating: end, count: 50))
        let rendered = Rendered(schemas: "A: \(open){ type: string }\(close)")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.source.ranges(of: "public var p:").count == 50)
    }
}
