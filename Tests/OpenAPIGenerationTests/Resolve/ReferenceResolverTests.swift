import Testing

@testable import OpenAPIGeneration

@Suite struct ReferenceResolverTests {
    private func resolve(_ reference: String) throws -> String {
        let root = try node(
            """
            components:
              schemas:
                a/b: { type: string }
                m~n: { type: integer }
                "per cent": { type: boolean }
                list: { allOf: [{ type: string }, { $anchor: here, type: number }] }
            """)
        let target = try ReferenceResolver(root: root).target(of: reference, at: .start)
        return target.node["type"]?.string ?? "?"
    }

    @Test(arguments: [
        ("#/components/schemas/a~1b", "string"), ("#/components/schemas/m~0n", "integer"),
        ("#/components/schemas/per%20cent", "boolean"), ("#/components/schemas/list/allOf/1", "number"),
        ("#here", "number"),
    ])
    func follows(reference: String, type: String) throws {
        #expect(try resolve(reference) == type)
    }

    @Test(arguments: [
        ("#/components/schemas/Nope", "unresolved-reference"),
        ("#/components/schemas/list/allOf/9", "unresolved-reference"),
        ("#nowhere", "unresolved-reference"), ("#/a%2", "unresolved-reference"),
        ("other.yaml#/X", "external-reference"), ("https://example.com/x", "external-reference"),
    ])
    func refuses(reference: String, rule: String) {
        let error = #expect(throws: Diagnostic.self) { try resolve(reference) }
        #expect(error?.rule.name == rule)
    }

    @Test func aMissingTargetIsAnErrorAtThePlaceOfTheReference() {
        let rendered = Rendered(
            schemas: "A:\n  type: object\n  properties:\n    b: { $ref: '#/components/schemas/B' }")
        #expect(rendered.findings == ["8:20 error unresolved-reference"])
        #expect(rendered.output.files.isEmpty)
        #expect(rendered.output.diagnostics.first?.notes.count == 1)
    }

    @Test func referencesThatLeadToThemselvesEnd() {
        let schemas = Rendered(
            schemas: "A: { $ref: '#/components/schemas/B' }\nB: { $ref: '#/components/schemas/A' }")
        #expect(schemas.rules.contains("circular-reference"))
        let parameters = Rendered(
            paths: "/a:\n  get:\n    parameters: [{ $ref: '#/components/parameters/P' }]\n    responses: {}",
            rest: "components: { parameters: { P: { $ref: '#/components/parameters/P' } } }")
        #expect(parameters.findings == ["6:20 error circular-reference"])
    }

    /// A combining mark after a slash is of one character with it.
    @Test func aStepCanBeginWithACombiningMark() {
        let pointer = JSONPointer(tokens: ["properties", "\u{301}x"])
        #expect(pointer.tokens.map { Array($0.utf8) } == [Array("properties".utf8), Array("\u{301}x".utf8)])
        let rendered = Rendered(
            schemas: """
                A: { type: object, properties: { b: { $ref: "#/components/schemas/\u{301}B" } } }
                "\u{301}B": { type: object, properties: { c: { type: string } } }
                """)
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        #expect(rendered.contains("public var c: String?"))
    }

    @Test func pointersEscapeTheirTokens() {
        let pointer = JSONPointer(tokens: ["paths", "/a/{b}", "x~y"])
        #expect(pointer.text == "#/paths/~1a~1{b}/x~0y")
        #expect(pointer.tokens == ["paths", "/a/{b}", "x~y"])
    }
}
