import Testing

@testable import OpenAPIGeneration

/// Changes of documents and unions, each verdict with its reason; and what is no change.
@Suite struct DocumentDiffTests {
    // MARK: - Whole documents

    static let documents: [DiffCase] = [
        .init("operation-added", "paths: {}", "paths: { /a: { get: { responses: {} } } }", ""),
        // The call is answered with 404, and there is no method for it.
        .init("operation-removed", "paths: { /a: { get: { responses: {} } } }", "paths: {}", "request swift"),
        // The wire sees no name; the argument's label is one.
        .init(
            "path-parameter-renamed",
            "paths: { '/a/{x}': { get: { operationId: a, parameters: [{ name: x, in: path, required: true, schema: { type: string } }], responses: {} } } }",
            "paths: { '/a/{y}': { get: { operationId: a, parameters: [{ name: y, in: path, required: true, schema: { type: string } }], responses: {} } } }",
            "swift"),
        // The machine may be gone, and so is its name.
        .init(
            "server-removed", "servers: [{ url: 'https://a.com' }]\npaths: {}",
            "servers: [{ url: 'https://b.com' }]\npaths: {}", "request swift"),
        // The case of the enum is gone.
        .init(
            "server-variable-value-removed",
            "servers: [{ url: 'https://{r}.a.com', variables: { r: { enum: [eu, us], default: eu } } }]\npaths: {}",
            "servers: [{ url: 'https://{r}.a.com', variables: { r: { enum: [eu], default: eu } } }]\npaths: {}",
            "request swift"),
        // Old clients send their own default.
        .init(
            "server-variable-default-changed",
            "servers: [{ url: 'https://{r}.a.com', variables: { r: { default: eu } } }]\npaths: {}",
            "servers: [{ url: 'https://{r}.a.com', variables: { r: { default: us } } }]\npaths: {}", ""),
        // The member of `Server` is named by the description.
        .init(
            "server-renamed", "servers: [{ url: 'https://a.com', description: Live }]\npaths: {}",
            "servers: [{ url: 'https://a.com', description: Main }]\npaths: {}", "swift"),
        // The old client asks for tokens where none are issued.
        .init(
            "security-scheme-changed",
            "paths: {}\ncomponents: { securitySchemes: { l: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://a.com', scopes: {} } } } } }",
            "paths: {}\ncomponents: { securitySchemes: { l: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://b.com', scopes: {} } } } } }",
            "request"),
        .init(
            "server-added", "servers: [{ url: 'https://a.com' }]\npaths: {}",
            "servers: [{ url: 'https://a.com' }, { url: 'https://b.com' }]\npaths: {}", ""),
        .init(
            "schema-added", "components: { schemas: {} }", "components: { schemas: { A: { type: string } } }",
            ""),
        // No operation uses it; code may.
        .init(
            "schema-removed", "components: { schemas: { A: { type: string } } }",
            "components: { schemas: {} }", "swift"),
        .init(
            "type-changed", "components: { schemas: { A: { type: string } } }",
            "components: { schemas: { A: { type: boolean } } }", "swift"),
        // The newcomer takes the name.
        .init(
            "swift-name-changed", "components: { schemas: { a_b: { type: object, properties: { x: {} } } } }",
            "components: { schemas: { a_b: { type: object, properties: { x: {} } }, a-b: { type: object, properties: { y: {} } } } }",
            "swift"),
        .init(
            "security-scheme-changed",
            "components: { securitySchemes: { k: { type: apiKey, in: header, name: A } } }",
            "components: { securitySchemes: { k: { type: apiKey, in: header, name: B } } }", "request"),
        // Only names of header fields are the same in both cases of letters.
        .init(
            "security-scheme-changed",
            "components: { securitySchemes: { k: { type: apiKey, in: query, name: A } } }",
            "components: { securitySchemes: { k: { type: apiKey, in: query, name: a } } }", "request"),
        .init(
            "security-scheme-removed",
            "components: { securitySchemes: { k: { type: apiKey, in: header, name: A } } }",
            "components: { securitySchemes: {} }", "request swift"),
        .init(
            "security-scheme-added", "components: { securitySchemes: {} }",
            "components: { securitySchemes: { k: { type: apiKey, in: header, name: A } } }", ""),
        .init("webhook-added", "webhooks: {}", "webhooks: { w: { post: { responses: {} } } }", ""),
        .init("webhook-removed", "webhooks: { w: { post: { responses: {} } } }", "webhooks: {}", "swift"),
        // What arrives is read: null where none was cannot be.
        .init(
            "nullable-added",
            "webhooks: { w: { post: { requestBody: { content: { application/json: { schema: { type: string } } } }, responses: {} } } }",
            "webhooks: { w: { post: { requestBody: { content: { application/json: { schema: { type: [string, 'null'] } } } }, responses: {} } } }",
            "response swift"),
    ]

    @Test(arguments: documents)
    func documentsAreJudged(item: DiffCase) throws {
        try item.expect(item.old, item.new)
    }

    // MARK: - Discriminators

    static let discriminators: [DiffCase] = [
        // Unknown values are unrecognised, and are the server's to send.
        .init(
            "discriminator-value-added", "propertyName: k, mapping: { a: A }",
            "propertyName: k, mapping: { a: A, c: B }", "swift"),
        .init(
            "discriminator-value-removed", "propertyName: k, mapping: { a: A, c: B }",
            "propertyName: k, mapping: { a: A }", "request swift"),
        // The same word means another shape, both ways.
        .init(
            "discriminator-value-moved", "propertyName: k, mapping: { a: A }",
            "propertyName: k, mapping: { a: B }", "request response swift"),
        .init("discriminator-changed", "propertyName: k", "propertyName: j", "request response swift"),
        .init("discriminator-removed", "propertyName: k", "", "response swift"),
    ]

    @Test(arguments: discriminators)
    func discriminatorsAreJudged(item: DiffCase) throws {
        func document(_ text: String) -> String {
            let discriminator = text.isEmpty ? "" : ", discriminator: { \(text) }"
            return """
                paths:
                  /a:
                    put:
                      operationId: a
                      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/U' } } } }
                      responses: { '200': { description: d, content: { application/json: { schema: { $ref: '#/components/schemas/U' } } } } }
                components:
                  schemas:
                    U: { oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }]\(discriminator) }
                    A: { type: object, required: [k, j], properties: { k: { type: string }, j: { type: string } } }
                    B: { type: object, required: [k, j], properties: { k: { type: string }, j: { type: string }, n: { type: integer } } }
                """
        }
        try item.expect(document(item.old), document(item.new))
    }

    /// Each spelling of one meaning is no change.
    @Test(arguments: [
        ("{ type: [string, 'null'] }", "{ anyOf: [{ type: string }, { type: 'null' }] }"),
        ("{ $ref: '#/components/schemas/S' }", "{ type: string, maxLength: 3 }"),
        ("{ allOf: [{ $ref: '#/components/schemas/O' }] }", "{ $ref: '#/components/schemas/O' }"),
        (
            "{ allOf: [{ type: object, properties: { a: { type: string } } }, { required: [a] }] }",
            "{ type: object, required: [a], properties: { a: { type: string } } }"
        ),
    ])
    func spellingsAreNoChange(old: String, new: String) throws {
        func document(_ schema: String) -> String {
            """
            paths: { /a: { put: { operationId: a, requestBody: { content: { application/json: { schema: { type: object, properties: { x: \(schema) } } } } }, responses: {} } } }
            components: { schemas: { S: { type: string, maxLength: 3 }, O: { type: object, properties: { a: { type: integer } } } } }
            """
        }
        let found = try DiffCase.report(document(old), document(new)).changes.filter {
            $0.rule != "swift-name-changed"
        }
        #expect(found.isEmpty, "\(found)")
    }

    /// The types of branches with titles are named by these.
    @Test func theOrderOfNamedBranchesIsNoChange() throws {
        func document(_ names: [String]) -> String {
            let branches = names.map {
                "{ title: \($0), type: object, required: [\($0)], properties: { \($0): { type: string } } }"
            }
            return """
                paths: { /a: { put: { operationId: a, requestBody: { content: { application/json: { schema: { oneOf: [\(branches.joined(separator: ", "))] } } } }, responses: {} } } }
                """
        }
        #expect(try DiffCase.report(document(["One", "Two"]), document(["Two", "One"])).changes.isEmpty)
        let renamed = try DiffCase.report(document(["One", "Two"]), document(["One", "Three"])).changes
        #expect(renamed.contains { $0.swift == .breaking })
    }

    @Test func recursionEnds() throws {
        func document(_ type: String) -> String {
            "components: { schemas: { A: { type: object, properties: { next: { $ref: '#/components/schemas/A' }, x: { type: \(type) } } } } }"
        }
        #expect(
            try DiffCase.report(document("string"), document("boolean")).changes.map(\.rule) == [
                "type-changed"
            ])
    }

    @Test func reportsAreStable() throws {
        let report = try DiffCase.report(
            "paths:\n  /a: { get: { responses: {} } }", "paths:\n  /b: { get: { responses: {} } }")
        #expect(
            report.text == """
                v.yaml:4:14: breaking: GET /a was removed, at #/paths/~1a/get (request breaking, response compatible, Swift breaking) [operation-removed]
                v.yaml:4:14: compatible: GET /b was added, at #/paths/~1b/get (request compatible, response compatible, Swift compatible) [operation-added]
                2 changes, 1 breaking

                """)
        #expect(
            report.json == """
                {
                  "compatible": false,
                  "changes": [
                    {"rule": "operation-removed", "place": "#/paths/~1a/get", "message": "GET /a was removed", "request": "breaking", "response": "compatible", "swift": "breaking", "document": "old", "file": "v.yaml", "line": 4, "column": 14},
                    {"rule": "operation-added", "place": "#/paths/~1b/get", "message": "GET /b was added", "request": "compatible", "response": "compatible", "swift": "compatible", "document": "new", "file": "v.yaml", "line": 4, "column": 14}
                  ]
                }

                """)
    }
}
