import Testing

@testable import OpenAPIGeneration

/// What readers of schemas ask of a shape.
@Suite struct ShapeTests {
    @Test(arguments: [
        ("type: boolean", "bool", "bool", true), ("type: string", "string", "string", true),
        ("type: integer", "integer", "number", true), ("type: number", "number", "number", true),
        ("type: array, items: { type: string }", "array", "array", false),
        ("type: object, additionalProperties: { type: string }", "object", "object", false),
        ("{ }", "value", "", false),
    ])
    func eachShapeIsDescribed(schema: String, word: String, kind: String, isPrimitive: Bool) throws {
        let shape = try shape(of: schema)
        #expect(shape.word == word)
        #expect(shape.kind?.rawValue ?? "" == kind)
        #expect(shape.isPrimitive == isPrimitive)
        #expect((shape.inner != nil) == ["array", "object"].contains(word))
        #expect(shape.target == nil)
    }

    @Test func aDeclaredTypeIsKnownByItsPlace() throws {
        let shape = try shape(of: "type: object, properties: { a: { type: string } }")
        #expect(shape.target?.text == "#/components/schemas/A")
        #expect(shape.word == nil && shape.kind == nil && !shape.isPrimitive && shape.inner == nil)
    }

    private func shape(of schema: String) throws -> Schema.Shape {
        let schema = schema.hasPrefix("{") ? schema : "{ \(schema) }"
        let root = try node(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            components: { schemas: { A: \(schema) } }
            """)
        let document = DocumentTranslator(root: root, version: .v3_1, sink: DiagnosticSink()).read()
        return try #require(document.components.first).schema.shape
    }
}
