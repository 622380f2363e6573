import Testing

@testable import OpenAPIGeneration

/// Names and values that `String` finds equal, and JSON does not.
@Suite struct ExactNamesTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"
    private static let literals = ["caf\\u{e9}", "cafe\\u{301}"]

    @Test func textsAreComparedByCodePoints() {
        #expect(Self.composed == Self.decomposed)
        #expect(ExactText(Self.composed) != ExactText(Self.decomposed))
        #expect(Set([ExactText(Self.composed), ExactText(Self.decomposed)]).count == 2)
        #expect(ExactText("K") != ExactText("\u{212A}"))
        // The same length in UTF-8.
        let marks = ["a\u{301}\u{323}", "a\u{323}\u{301}"]
        #expect(marks[0] == marks[1])
        #expect(ExactText(marks[0]) != ExactText(marks[1]))
        #expect((ExactText(marks[0]) < ExactText(marks[1])) != (ExactText(marks[1]) < ExactText(marks[0])))
    }

    @Test(arguments: ["3.0.3", "3.1.0"])
    func equivalentPropertiesAreTwo(version: String) {
        let rendered = Rendered(
            schemas: """
                A:
                  type: object
                  required: [\(Self.decomposed)]
                  properties:
                    \(Self.composed): { type: string }
                    \(Self.decomposed): { type: integer }
                """, version: version)
        #expect(rendered.findings.isEmpty)
        #expect(
            rendered.contains("required(\"\(Self.literals[1])\")")
                || rendered.contains("int(\"\(Self.literals[1])\")"))
        #expect(rendered.contains("optional(\"\(Self.literals[0])\")"))
    }

    @Test func equivalentNamesOfALargeObjectAreTwo() {
        let others = (0..<20).map { "    p\($0): { type: string }" }.joined(separator: "\n")
        let rendered = Rendered(
            schemas: """
                A:
                  type: object
                  properties:
                \(others)
                    \(Self.composed): { type: string }
                    \(Self.decomposed): { type: string }
                """)
        #expect(rendered.findings.isEmpty)
        for literal in Self.literals { #expect(rendered.contains("\"\(literal)\"")) }
    }

    @Test func equivalentValuesOfAnEnumAreTwo() {
        let rendered = Rendered(
            schemas: "A: { type: string, enum: [\(Self.composed), \(Self.decomposed), tea] }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("switch rawValue.exact {"))
        for literal in Self.literals { #expect(rendered.contains("case \"\(literal)\":")) }
    }

    /// A text of ASCII characters is equal only to itself, unless it has one of three.
    @Test(arguments: [("tea", false), ("TEA", false), ("KG", true), ("a;b", true)])
    func onlyTextsWithAnEquivalentAreComparedOtherwise(value: String, isExact: Bool) {
        let rendered = Rendered(schemas: "A: { type: string, enum: ['\(value)', other] }")
        #expect(rendered.contains("switch rawValue.exact {") == isExact)
        #expect(rendered.contains("switch rawValue {") == !isExact)
    }

    @Test func equivalentComponentsAndDiscriminatorValuesAreTwo() {
        let rendered = Rendered(
            schemas: """
                U:
                  oneOf: [{ $ref: '#/components/schemas/\(Self.composed)' }, { $ref: '#/components/schemas/\(Self.decomposed)' }]
                  discriminator: { propertyName: kind }
                \(Self.composed): { type: object, required: [kind, a], properties: { kind: { type: string }, a: { type: string } } }
                \(Self.decomposed): { type: object, required: [kind, b], properties: { kind: { type: string }, b: { type: string } } }
                """)
        #expect(rendered.findings.isEmpty)
        for literal in Self.literals { #expect(rendered.contains("case \"\(literal)\"?:")) }
        #expect(rendered.contains("_json.discriminator(\"kind\")?.exact"))
        #expect(rendered.output.names["#/components/schemas/" + Self.composed] != nil)
        #expect(rendered.output.names["#/components/schemas/" + Self.decomposed] != nil)
    }

    @Test func equivalentParametersAreTwo() {
        let rendered = Rendered(
            paths: """
                /a:
                  get:
                    parameters:
                      - { name: \(Self.composed), in: query, schema: { type: string } }
                      - { name: \(Self.decomposed), in: query, schema: { type: string } }
                    responses: { '204': { description: Done. } }
                """)
        #expect(rendered.findings.isEmpty)
        for literal in Self.literals { #expect(rendered.contains("query(\"\(literal)\"")) }
    }

    /// Equal inline types become one; these are not equal.
    @Test(arguments: [
        "{ type: object, properties: { NAME: { type: integer } } }",
        "{ type: object, required: [k], properties: { k: { const: NAME } } }",
        "{ type: object, properties: { k: { type: string, enum: [NAME, tea] } } }",
        "{ type: object, additionalProperties: false, patternProperties: { '^NAME': { type: integer } } }",
    ])
    func equivalentInlineTypesAreTwo(schema: String) {
        func operation(_ name: String, _ text: String) -> String {
            let schema = schema.replacing("NAME", with: text)
            return """
                /\(name):
                  post:
                    operationId: \(name)
                    requestBody: { content: { application/json: { schema: \(schema) } } }
                    responses: { '204': { description: Done. } }

                """
        }
        let rendered = Rendered(paths: operation("a", Self.composed) + operation("b", Self.decomposed))
        #expect(rendered.contains("struct ABody: JSONObjectEncodable"))
        #expect(rendered.contains("struct BBody: JSONObjectEncodable"))
    }

    @Test func theLockKeepsBothNames() throws {
        let rendered = Rendered(
            schemas: "A: { type: string, enum: [\(Self.composed), \(Self.decomposed)] }")
        var lock = LockFile()
        lock.set(rendered.output.names, of: "api.yaml")
        #expect(try LockFile(Array(lock.text.utf8)).names(of: "api.yaml") == rendered.output.names)
    }

    @Test func anEqualNameIsADuplicate() {
        let text = "{\"\(Self.composed)\": 1, \"\(Self.decomposed)\": 2, \"\(Self.composed)\": 3}"
        #expect(throws: Diagnostic.self) { try JSONReader.read(Array(text.utf8)) }
    }
}
