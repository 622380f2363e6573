import Testing

@testable import OpenAPIGeneration

/// What OpenAPI 3.2 adds and clients need.
@Suite struct Version32Tests {
    private func run(_ rest: String) -> Rendered {
        Rendered("openapi: 3.2.0\ninfo: { title: T, version: '1' }\n" + rest)
    }

    @Test func queryIsAMethod() {
        let rendered = run(
            """
            paths:
              /search:
                query:
                  operationId: search
                  requestBody: { required: true, content: { application/json: { schema: { type: string } } } }
                  responses: { '200': { description: d, content: { application/json: { schema: { type: string } } } } }
                additionalOperations:
                  COPY: { responses: {} }
            """)
        #expect(rendered.findings == ["10:7 warning unsupported-operation"])
        #expect(rendered.contains("method: \"QUERY\""))
        #expect(rendered.contains("func search(_ body: String"))
    }

    @Test func theQueryAsAWholeIsAForm() {
        let rendered = run(
            """
            paths:
              /a:
                get:
                  operationId: a
                  parameters:
                    - name: q
                      in: querystring
                      content:
                        application/x-www-form-urlencoded:
                          schema: { type: object, properties: { x: { type: string }, y: { type: integer } } }
                  responses: {}
              /b:
                get:
                  operationId: b
                  parameters: [{ name: q, in: querystring, content: { application/jsonpath: { schema: { type: string } } } }]
                  responses: {}
            """)
        #expect(rendered.findings == ["17:20 warning unsupported-parameter"])
        #expect(rendered.contains("queryValue(\"q\", q, .formExploded)"))
    }

    @Test func newKeywordsAreKnown() {
        let rendered = run(
            """
            $self: https://example.com/api.yaml
            tags: [{ name: a, summary: s, parent: b, kind: nav }, { name: b }]
            paths: {}
            components:
              mediaTypes: { events: { itemSchema: { type: string } } }
              responses: { R: { summary: s, description: d } }
              securitySchemes:
                o:
                  type: oauth2
                  oauth2MetadataUrl: https://example.com/.well-known
                  deprecated: true
                  flows:
                    deviceAuthorization: { deviceAuthorizationUrl: 'https://e.com/d', tokenUrl: 'https://e.com/t', scopes: {} }
              schemas:
                U:
                  oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }]
                  discriminator: { propertyName: k, mapping: { a: A }, defaultMapping: B }
                A: { type: object, properties: { k: { type: string } } }
                B: { type: object, properties: { k: { type: string } } }
                C: { $ref: 'https://example.com/api.yaml#/components/schemas/A' }
            """)
        #expect(rendered.findings == [])
    }
}
