import Testing

@testable import OpenAPIGeneration

@Suite struct TypeInternerTests {
    private static func operation(_ name: String, _ body: String) -> String {
        """
        /\(name):
          post:
            operationId: \(name)
            requestBody: { content: { application/json: { schema: \(body) } } }
            responses: { '204': { description: done } }

        """
    }

    private static let address =
        "{ type: object, properties: { address: { type: object, properties: { city: { type: string }, kind: { type: string, enum: [a, b] } } } } }"

    @Test func whatSaysTheSameIsOneType() {
        let rendered = Rendered(paths: Self.operation("b", Self.address) + Self.operation("a", Self.address))
        #expect(rendered.contains("public nonisolated struct ABody: JSONObjectEncodable"))
        #expect(rendered.contains("public typealias BBody = Test.ABody"))
        #expect(!rendered.contains("struct BBody"))
        #expect(rendered.contains("func b(_ body: Test.BBody? = nil"))
    }

    /// The name of one property can look like a list of properties.
    @Test func aNameIsNotAListOfNames() {
        let text = #"{ "type": "string" }"#
        func operation(_ properties: String) -> String {
            let schema = #"{ "type": "object", "properties": { \#(properties) } }"#
            return
                #"{ "post": { "requestBody": { "content": { "application/json": { "schema": \#(schema) } } } } }"#
        }
        let nul = #"\u0000"#
        let name = "p\(nul)?" + String(repeating: nul, count: 8) + "string plain\(nul)q"
        let rendered = Rendered(
            """
            { "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "paths": {
              "/a": \(operation(#""p": \#(text), "q": \#(text)"#)), "/b": \(operation(#""\#(name)": \#(text)"#)) } }
            """, path: "Test.openapi.json")
        #expect(!rendered.output.files.isEmpty)
        #expect(rendered.contains("struct PostBBody: JSONObjectEncodable"))
    }

    @Test func partsOfDifferentTypesAreSharedToo() {
        let more = Self.address.replacing("properties: { address", with: "properties: { extra: {}, address")
        let rendered = Rendered(paths: Self.operation("a", Self.address) + Self.operation("b", more))
        #expect(rendered.contains("public nonisolated struct BBody"))
        #expect(rendered.contains("    public typealias Address = Test.ABody.Address"))
    }

    @Test(arguments: [
        ("city", "town"), ("type: string, enum: [a, b]", "type: string, enum: [a, c]"),
        ("{ type: string }", "{ type: integer }"), ("{ type: string }", "{ type: [string, 'null'] }"),
        ("{ type: string }", "{ type: string, description: Where. }"),
        ("{ type: string }", "{ type: string, deprecated: true }"),
        ("{ type: string }", "{ type: string, default: x }"),
        ("{ type: string }", "{ type: string, format: date }"),
        ("type: object, properties: { city", "type: object, required: [city], properties: { city"),
        ("type: object, properties: { city", "type: object, additionalProperties: true, properties: { city"),
    ])
    func anyDifferenceKeepsThemApart(old: String, new: String) {
        let other = Self.address.replacing(old, with: new, maxReplacements: 1)
        let rendered = Rendered(paths: Self.operation("a", Self.address) + Self.operation("b", other))
        #expect(rendered.contains("struct BBody"))
    }

    @Test func componentsAndDirectionsKeepTheirOwn() {
        let rendered = Rendered(
            schemas:
                "A: { type: object, properties: { x: { type: string } } }\nB: { type: object, properties: { x: { type: string } } }"
        )
        #expect(!rendered.contains("typealias"))
        let both = Rendered(
            paths: """
                /a:
                  post:
                    operationId: a
                    requestBody: { content: { application/json: { schema: { type: object, properties: { x: { type: string } } } } } }
                    responses: { '200': { description: done, content: { application/json: { schema: { type: object, properties: { x: { type: string } } } } } } }
                """)
        #expect(both.contains("struct ABody: JSONObjectEncodable"))
        #expect(both.contains("struct AResponse: JSONObjectDecodable"))
    }
}
