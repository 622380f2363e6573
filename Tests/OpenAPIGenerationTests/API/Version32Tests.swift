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

    @Test(arguments: [
        ("in: path, name: p, required: true, schema: { type: string }", #"pathReserved("p", p)"#),
        (
            "in: path, name: p, required: true, style: label, schema: { type: string }",
            #"pathStyled("p", p, .label, isReserved: true)"#
        ),
        (
            "in: path, name: p, required: true, explode: true, schema: { type: array, items: { type: string } }",
            #"pathArray("p", p, .simple, isReserved: true)"#
        ),
        (
            "in: path, name: p, required: true, style: matrix, schema: { type: object }",
            #"pathValue("p", p, .matrix, isReserved: true)"#
        ),
        ("in: query, name: q, schema: { type: string }", #"queryReserved("q", q)"#),
        ("in: cookie, name: c, schema: { type: string }", #"cookieReserved("c", c)"#),
        (
            "in: cookie, name: c, explode: false, schema: { type: array, items: { type: string } }",
            #"cookieValue("c", c, .form, isReserved: true)"#
        ),
    ])
    func reservedCharactersAreNotEncoded(parameter: String, call: String) {
        func parameters(_ version: String) -> Rendered {
            Rendered(
                """
                openapi: \(version)
                info: { title: T, version: '1' }
                paths:
                  /a/{p}:
                    get:
                      operationId: op
                      parameters: [{ \(parameter), allowReserved: true }]
                      responses: { '204': { description: d } }
                """)
        }
        #expect(parameters("3.2.0").contains("_request." + call))
        #expect(!parameters("3.2.0").rules.contains("ignored-keyword"))
        // Before, only in the query.
        for version in ["3.0.3", "3.1.0"] {
            let isQuery = parameter.hasPrefix("in: query")
            #expect(parameters(version).contains("eserved") == isQuery)
            #expect(parameters(version).rules.contains("ignored-keyword") != isQuery)
        }
    }

    @Test(arguments: [
        "in: header, name: h, schema: { type: string }",
        "in: cookie, name: c, style: cookie, schema: { type: string }",
        "in: query, name: q, content: { application/json: { schema: { type: string } } }",
    ])
    func reservedCharactersWithoutAnEffectAreReported(parameter: String) {
        let rendered = run(
            """
            paths:
              /a:
                get:
                  operationId: op
                  parameters: [{ \(parameter), allowReserved: true }]
                  responses: { '204': { description: d } }
            """)
        #expect(rendered.rules == ["ignored-keyword"])
        #expect(!rendered.contains("eserved"))
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
        #expect(rendered.contains("_request.queryForm(\"q\", q)"))
    }

    @Test func theQueryAsAWholeHasEncodings() {
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
                          schema: { type: object, properties: { x: { type: array, items: { type: string } } } }
                          encoding: { x: { explode: false } }
                  responses: {}
            """)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains(#"queryForm("q", q, "x\tform")"#))
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
