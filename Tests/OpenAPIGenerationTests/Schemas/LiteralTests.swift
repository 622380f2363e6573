import Testing

@testable import OpenAPIGeneration

/// The values of `enum` and `const` have the declared type, whatever their form in the document is.
@Suite struct LiteralTests {
    @Test(arguments: [
        ("{ type: string, enum: [regular, false, dead-end] }", "string regular|false|dead-end"),
        ("{ type: string, enum: [DK, NO, on, off, Y, n] }", "string DK|NO|on|off|Y|n"),
        ("{ type: string, enum: [1, 2, 3] }", "string 1|2|3"),
        (
            "{ type: string, enum: [1.10, 2.0, 007, 0x1F, +5, 1e3, .5, True, true] }",
            "string 1.10|2.0|007|0x1F|+5|1e3|.5|True|true"
        ),
        ("{ type: string, enum: [true, false] }", "string true|false"),
        ("{ type: string, enum: [2024] }", #"string "2024""#),
        ("{ type: string, const: 7 }", #"string "7""#),
        ("{ type: [string, 'null'], enum: [a, 1, null] }", "string a|1"),
        ("{ allOf: [{ type: string }, { enum: [1, 2] }] }", "string 1|2"),
        ("{ allOf: [{ type: string, enum: [1, 2, 3] }, { enum: [3, '1'] }] }", "string 1|3"),
        ("{ type: string, oneOf: [{ const: 1 }, { const: true }] }", "string 1|true"),
        ("{ anyOf: [{ type: string }, { type: string, enum: [1, b] }] }", "string 1|b"),
        ("{ type: integer, enum: [1.0, 2, 3e0] }", "integer 1|2|3"),
        ("{ type: boolean, const: true }", "bool true"), ("{ type: number, const: 1.5 }", "number 1.5"),
        ("{ type: [string, integer], enum: [a, 1] }", "declared"), ("{ enum: [1, 2] }", "integer 1|2"),
    ])
    func formsInYAML(schema: String, expected: String) throws {
        let read = try read("A: \(schema)")
        #expect(read.literals == expected)
        #expect(read.rules.isEmpty)
    }

    /// The type applies to what has a value of it with the same text; a warning says so.
    @Test(arguments: [
        ("{ type: integer, enum: ['1', '2'] }", "integer 1|2"),
        ("{ type: number, const: '1.5' }", "number 1.5"), ("{ type: boolean, const: 'true' }", "bool true"),
        ("{ type: string, enum: ['1', !!int 2] }", "string 1|2"),
        ("{ type: integer, enum: [a, b] }", "string a|b"),
        ("{ type: string, enum: [a, b, null] }", "string a|b"),
        ("{ allOf: [{ type: integer }, { enum: ['1', '2'] }] }", "integer 1|2"),
        ("{ type: integer, oneOf: [{ const: '1' }, { const: '2' }] }", "integer 1|2"),
    ])
    func contradictionsAreReported(schema: String, expected: String) throws {
        let read = try read("A: \(schema)")
        #expect(read.literals == expected)
        #expect(Set(read.rules) == ["conflicting-schema"])
    }

    /// In JSON the author has written a number.
    @Test func aNumberInJSONIsNoString() throws {
        let read = try read(#"{ "A": { "type": "string", "enum": [1, 2.50] } }"#)
        #expect(read.literals == "string 1|2.50")
        #expect(read.rules == ["conflicting-schema"])
    }

    @Test func defaultsHaveTheDeclaredType() {
        let rendered = Rendered(
            paths: """
                /a:
                  get:
                    operationId: op
                    parameters:
                      - { name: q, in: query, description: Code, schema: { type: string, default: 007 } }
                    responses: { '204': { description: d } }
                """)
        #expect(rendered.contains("Code. Default: 007."))
        #expect(rendered.findings.isEmpty)
    }

    @Test func rulesCompareValuesOfTheDeclaredType() {
        let rendered = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a:
                post:
                  operationId: op
                  requestBody: { content: { application/json: { schema: { type: string, enum: [1.10, no] } } } }
                  responses: { '204': { description: d } }
            """, configuration: "validation: requests")
        #expect(rendered.contains(#"enum [\"1.10\",\"no\"]"#))
    }

    /// Names without quotes are those that are written.
    @Test func namesMayHaveTheFormOfNumbers() {
        let rendered = Rendered(
            """
            openapi: 3.1.0
            info: { title: 2024, version: 1.10 }
            paths:
              /a/{1}:
                get:
                  operationId: 404
                  tags: [1.0]
                  parameters:
                    - { name: 1, in: path, required: true, schema: { type: string } }
                    - { name: 007, in: query, schema: { type: string } }
                  responses: { '204': { description: d } }
            components:
              schemas:
                A:
                  type: object
                  title: 1
                  required: [1, true, 007]
                  properties: { 1: { type: string }, true: { type: string }, 007: { type: string }, x: { type: string } }
            """)
        #expect(rendered.contains(#"OperationDescriptor(id: "404","#))
        #expect(rendered.contains(#"path("1", "#))
        #expect(rendered.contains(#"query("007", "#))
        #expect(rendered.contains("public var _1: String\n"))
        #expect(rendered.contains("public var `true`: String\n"))
        #expect(rendered.contains("public var _007: String\n"))
        #expect(rendered.contains("public var x: String?\n"))
        #expect(rendered.findings.isEmpty)
    }

    /// The values of an enum after its type, otherwise the word for the schema and its only value.
    private func read(_ schemas: String) throws -> (literals: String, rules: [String]) {
        let isJSON = schemas.hasPrefix("{")
        let head =
            isJSON
            ? #"{ "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "components": { "schemas": "#
            : "openapi: 3.1.0\ninfo: { title: T, version: '1' }\ncomponents:\n  schemas:\n    "
        let sink = DiagnosticSink()
        let root = try node(head + schemas + (isJSON ? " } }" : "\n"))
        let document = DocumentTranslator(root: root, version: .v3_1, sink: sink).read()
        let schema = try #require(document.components.first).schema
        let rules = sink.all.map(\.rule.name)
        if case .enumeration(let own)? = document.declarations.kind(of: schema) {
            return ((own.isInteger ? "integer " : "string ") + own.values.joined(separator: "|"), rules)
        }
        let constant = schema.annotations.constant.map { " " + json($0) } ?? ""
        return ((schema.shape.word ?? "declared") + constant, rules)
    }
}
