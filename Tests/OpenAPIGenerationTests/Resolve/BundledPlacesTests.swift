import Testing

@testable import OpenAPIGeneration

/// Places other than schemas that may be in other files.
@Suite struct BundledPlacesTests {
    private let head = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\n"

    private func run(_ files: [String: String]) -> Rendered {
        Rendered(files["api.yaml"] ?? "", path: "api.yaml", documents: MemoryDocuments(files: files))
    }

    @Test func callbacksAndWebhooks() {
        let rendered = run([
            "api.yaml": head + """
                paths:
                  /a:
                    post:
                      operationId: a
                      callbacks: { done: { $ref: callbacks/done.yml } }
                      responses: { '204': { description: d } }
                webhooks:
                  ping: { $ref: ping.yml }
                """,
            "callbacks/done.yml": """
            '{$request.body#/url}':
              post:
                requestBody: { required: true, content: { application/json: { schema: { $ref: event.yml } } } }
                responses: { '204': { description: d } }
            """,
            "callbacks/event.yml": "type: object\nproperties: { at: { type: string } }",
            "ping.yml": """
            post:
              requestBody: { required: true, content: { application/json: { schema: { $ref: callbacks/event.yml } } } }
              responses: { '204': { description: d } }
            """,
        ])
        #expect(!rendered.output.hasErrors, "\(rendered.printed)")
        #expect(
            !rendered.rules.contains("unresolved-reference") && !rendered.rules.contains("external-reference")
        )
        #expect(rendered.contains("struct Event: JSONObject"))
    }

    @Test func securitySchemesHeadersAndPathItems() {
        let rendered = run([
            "api.yaml": head + """
                security: [{ key: [] }]
                paths:
                  /a:
                    $ref: a.yml
                    description: its own words
                    parameters: [{ name: own, in: query, schema: { type: string } }]
                components: { securitySchemes: { key: { $ref: 'shared.yml#/key' } } }
                """,
            "a.yml": """
            get:
              operationId: a
              responses: { '204': { description: d, headers: { X-N: { $ref: 'shared.yml#/n' } } } }
            """,
            "shared.yml":
                "key: { type: apiKey, in: header, name: X-Key }\nn: { schema: { type: integer } }",
        ])
        #expect(rendered.findings == [])
        #expect(rendered.contains("func a(own: String? = nil"))
        #expect(rendered.contains("\"X-Key\""))
        #expect(rendered.contains("public var xN: Int?"))
    }
}
