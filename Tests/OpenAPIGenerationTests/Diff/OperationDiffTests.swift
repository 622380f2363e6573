import Testing

@testable import OpenAPIGeneration

/// Changes of operations, each verdict with its reason.
@Suite struct OperationDiffTests {
    // MARK: - Operations

    /// What stands below `/a`'s `get`.
    static let operations: [DiffCase] = [
        // Calls stay as they are: the new argument has a default.
        .init("parameter-added", "", "parameters: [{ name: p, in: query, schema: { type: string } }]", ""),
        // The old client does not send it.
        .init(
            "required-parameter-added", "",
            "parameters: [{ name: p, in: query, required: true, schema: { type: string } }]", "request swift"),
        // A filter that is no longer heard answers more than was asked for.
        .init(
            "parameter-removed", "parameters: [{ name: p, in: query, schema: { type: string } }]", "",
            "request swift"),
        .init(
            "parameter-became-required", "parameters: [{ name: p, in: query, schema: { type: string } }]",
            "parameters: [{ name: p, in: query, required: true, schema: { type: string } }]", "request swift"),
        // Optional arguments stand behind the body and other required ones.
        .init(
            "parameter-became-optional",
            "parameters: [{ name: p, in: query, required: true, schema: { type: string } }]",
            "parameters: [{ name: p, in: query, schema: { type: string } }]", "swift"),
        .init(
            "type-narrowed", "parameters: [{ name: p, in: query, schema: { type: number } }]",
            "parameters: [{ name: p, in: query, schema: { type: integer } }]", "request swift"),
        .init(
            "default-changed", "parameters: [{ name: p, in: query, schema: { type: integer, default: 1 } }]",
            "parameters: [{ name: p, in: query, schema: { type: integer, default: 2 } }]", "request"),
        // The same value is written otherwise.
        .init(
            "parameter-style-changed",
            "parameters: [{ name: p, in: query, schema: { type: array, items: { type: string } } }]",
            "parameters: [{ name: p, in: query, explode: false, schema: { type: array, items: { type: string } } }]",
            "request"),
        .init(
            "parameter-deprecated", "parameters: [{ name: p, in: query, schema: { type: string } }]",
            "parameters: [{ name: p, in: query, deprecated: true, schema: { type: string } }]", ""),
        // Swift has an order of arguments.
        .init(
            "arguments-reordered",
            "parameters: [{ name: p, in: query, schema: { type: string } }, { name: q, in: query, schema: { type: string } }]",
            "parameters: [{ name: q, in: query, schema: { type: string } }, { name: p, in: query, schema: { type: string } }]",
            "swift"),
        // The old client goes on to call a server that no longer has the operation.
        .init(
            "operation-server-removed", "servers: [{ url: 'https://a.com' }]",
            "servers: [{ url: 'https://b.com' }]", "request"),
        .init(
            "operation-server-added", "servers: [{ url: 'https://a.com' }]",
            "servers: [{ url: 'https://a.com' }, { url: 'https://b.com' }]", ""),
        // It moved from the query to a header: the server looks for it elsewhere.
        .init(
            "parameter-removed", "parameters: [{ name: p, in: query, schema: { type: string } }]",
            "parameters: [{ name: p, in: header, schema: { type: string } }]", "request swift"),
        // The wire knows no operationId; methods are named by it.
        .init("operation-id-changed", "operationId: a", "operationId: b", "swift"),
        // Groups are named by the first tag.
        .init("operation-tag-changed", "tags: [x]", "tags: [y]", "swift"),
        // It still works; a deprecation is no error.
        .init("operation-deprecated", "", "deprecated: true", ""),
        .init("body-added", "", "requestBody: { content: { text/plain: {} } }", ""),
        .init(
            "required-body-added", "", "requestBody: { required: true, content: { text/plain: {} } }",
            "request swift"),
        // The fields are written otherwise.
        .init("encoding-changed", form(""), form("a: { explode: false }"), "request"),
        .init("encoding-changed", form(""), form("a: { contentType: application/json }"), "request"),
        .init("encoding-changed", parts(""), parts("a: { contentType: text/csv }"), "request"),
        // The part is refused without it.
        .init(
            "part-header-added", parts(""),
            parts("a: { headers: { X-Id: { required: true, schema: { type: string } } } }"), "request swift"),
        .init(
            "part-header-added", parts(""), parts("a: { headers: { X-Id: { schema: { type: string } } } }"),
            ""),
        .init(
            "type-changed", parts("a: { headers: { X-Id: { schema: { type: string } } } }"),
            parts("a: { headers: { X-Id: { schema: { type: integer } } } }"), "request swift"),
        .init(
            "part-header-changed", parts("a: { headers: { X-Id: { schema: { type: object } } } }"),
            parts("a: { headers: { X-Id: { explode: true, schema: { type: object } } } }"), "request"),
        .init("encoding-changed", querystring(""), querystring("a: { explode: false }"), "request"),
        .init(
            "encoding-changed", parts("a: { contentType: 'image/png, image/jpeg' }"),
            parts("a: { contentType: image/png }"), "request"),
        // To `String`, both spellings of the letter are equal.
        .init("operation-tag-changed", "tags: [\u{e9}]", "tags: [e\u{301}]", "swift"),
        .init(
            "security-tightened", "security: [{ login: [\u{e9}] }]", "security: [{ login: [e\u{301}] }]",
            "request"),
        .init("body-removed", "requestBody: { content: { text/plain: {} } }", "", "request swift"),
        .init(
            "body-became-required", "requestBody: { content: { text/plain: {} } }",
            "requestBody: { required: true, content: { text/plain: {} } }", "request swift"),
        .init(
            "body-became-optional", "requestBody: { required: true, content: { text/plain: {} } }",
            "requestBody: { content: { text/plain: {} } }", ""),
        // The old client sends JSON, which is refused.
        .init(
            "media-type-removed", "requestBody: { content: { application/json: { schema: {} } } }",
            "requestBody: { content: { text/plain: {} } }", "request swift"),
        // JSON is still what is sent.
        .init(
            "media-type-added", "requestBody: { content: { application/json: { schema: {} } } }",
            "requestBody: { content: { application/json: { schema: {} }, text/plain: {} } }", ""),
        // The client goes on to send text.
        .init(
            "media-type-added", "requestBody: { content: { text/plain: {} } }",
            "requestBody: { content: { application/pdf: {}, text/plain: {} } }", ""),
        // Each media type has a method.
        .init(
            "media-type-removed", "requestBody: { content: { application/pdf: {}, text/plain: {} } }",
            "requestBody: { content: { text/plain: {} } }", "request swift"),
        .init(
            "media-type-removed", "requestBody: { content: { application/json: {}, text/json: {} } }",
            "requestBody: { content: { application/json: {} } }", "request"),
        // Credentials that sufficed do no longer; they are handed over as before.
        .init("security-tightened", "security: []", "security: [{ key: [] }]", "request"),
        .init(
            "security-tightened", "security: [{ key: [] }]", "security: [{ key: [], login: [] }]", "request"),
        .init("security-tightened", "security: [{ login: [a] }]", "security: [{ login: [a, b] }]", "request"),
        .init("security-loosened", "security: [{ key: [] }]", "security: [{ key: [] }, {}]", ""),
        .init("security-loosened", "security: [{ login: [a, b] }]", "security: [{ login: [a] }]", ""),
        // Undefined schemes are skipped by clients.
        .init("security-tightened", "security: [{ ghost: [] }]", "security: [{ key: [] }]", "request"),
    ]

    private static func form(_ encoding: String) -> String {
        body("application/x-www-form-urlencoded", encoding)
    }

    private static func querystring(_ encoding: String) -> String {
        "parameters: [{ name: q, in: querystring, content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { a: { type: array, items: { type: string } } } }, encoding: { \(encoding) } } } }]"
    }

    private static func parts(_ encoding: String) -> String { body("multipart/form-data", encoding) }

    private static func body(_ type: String, _ encoding: String) -> String {
        "requestBody: { required: true, content: { \(type): { schema: { type: object, properties: { a: { type: array, items: { type: string } } } }, encoding: { \(encoding) } } } }"
    }

    @Test(arguments: operations)
    func operationsAreJudged(item: DiffCase) throws {
        func document(_ lines: String) -> String {
            """
            paths:
              /a:
                put:
                  \(lines.isEmpty ? "summary: s" : lines)
                  responses: { '204': { description: d } }
            components:
              securitySchemes:
                key: { type: apiKey, in: header, name: K }
                login: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://e.com', scopes: {} } } }
            """
        }
        try item.expect(document(item.old), document(item.new))
    }

    /// Further media types of a part, and encodings of properties that do not exist.
    @Test(arguments: [
        ("a: { contentType: image/png }", "a: { contentType: 'image/png, image/jpeg' }"),
        ("", "b: { contentType: image/png }"),
    ])
    func encodingsThatRefuseNothingAreNoChange(old: String, new: String) throws {
        func document(_ encoding: String) -> String {
            "paths: { /a: { put: { \(Self.parts(encoding)), responses: {} } } }"
        }
        #expect(try DiffCase.report(document(old), document(new)).changes.isEmpty)
    }

    /// The styles that are exploded by default, with a location.
    @Test(arguments: [("query", "form"), ("query", "deepObject"), ("cookie", "form"), ("cookie", "cookie")])
    func writtenDefaultOfExplodeIsNoChange(location: String, style: String) throws {
        func document(_ explode: String) -> String {
            """
            paths:
              /a:
                get:
                  parameters:
                    - { name: p, in: \(location), style: \(style)\(explode), schema: { type: object } }
                  responses: { '204': { description: d } }
            """
        }
        func changes(_ explode: Bool) throws -> [String] {
            try DiffCase.report(document(""), document(", explode: \(explode)")).changes.map(\.rule)
        }
        #expect(try changes(true).isEmpty)
        #expect(try changes(false) == ["parameter-style-changed"])
    }

    // MARK: - Responses' statuses and headers

    static let statuses: [DiffCase] = [
        // An undocumented success is an error to the old client; the method now returns one of two.
        .init(
            "status-added", "'200': { description: d, content: { text/plain: {} } }",
            "'200': { description: d, content: { text/plain: {} } }, '202': { description: d }",
            "response swift"),
        .init(
            "status-removed",
            "'200': { description: d, content: { text/plain: {} } }, '202': { description: d }",
            "'200': { description: d, content: { text/plain: {} } }", "swift"),
        // Neither method returns anything.
        .init(
            "status-removed", "'200': { description: d }, '202': { description: d }",
            "'200': { description: d }", ""),
        // An undocumented success is an error to the old client; the method returns the same.
        .init(
            "status-added", "'200': { description: d, content: { text/plain: {} } }",
            "'201': { description: d, content: { text/plain: {} } }", "response"),
        .init(
            "type-changed",
            "'200': { description: d, content: { application/json: { schema: { type: object, properties: { a: { type: string } } } } } }",
            "'201': { description: d, content: { application/json: { schema: { type: object, properties: { a: { type: integer } } } } } }",
            "response swift"),
        // A failure is a failure, documented or not; but a switch over all failures lacks a case.
        .init(
            "status-added", "'204': { description: d }",
            "'204': { description: d }, '404': { description: d }",
            "swift"),
        .init(
            "status-removed", "'204': { description: d }, '404': { description: d }",
            "'204': { description: d }", "swift"),
        .init(
            "status-added", "'204': { description: d }",
            "'204': { description: d }, default: { description: d }",
            "swift"),
        // The old client reads JSON where text comes.
        .init(
            "media-type-removed", "'200': { description: d, content: { application/json: { schema: {} } } }",
            "'200': { description: d, content: { text/plain: {} } }", "response swift"),
        .init(
            "content-removed", "'200': { description: d, content: { text/plain: {} } }",
            "'200': { description: d }", "response swift"),
        // The old client ignores the body; the method returns it now.
        .init(
            "content-added", "'200': { description: d }",
            "'200': { description: d, content: { text/plain: {} } }", "swift"),
        // The method returns one of two now.
        .init(
            "media-type-added",
            "'200': { description: d, content: { application/json: { schema: { type: string } } } }",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, text/csv: {} } }",
            "swift"),
        // What the client gets is still JSON; the cases are gone.
        .init(
            "media-type-removed",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, text/csv: {} } }",
            "'200': { description: d, content: { application/json: { schema: { type: string } } } }",
            "swift"),
        // It reads the text as before.
        .init(
            "media-type-removed",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, text/csv: {} } }",
            "'200': { description: d, content: { text/csv: {} } }",
            "swift"),
        // The same schema is the same type.
        .init(
            "media-type-added",
            "'200': { description: d, content: { application/json: { schema: { type: string } } } }",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, application/hal+json: { schema: { type: string } } } }",
            ""),
        // Nobody asks for XML.
        .init(
            "media-type-added",
            "'200': { description: d, content: { application/json: { schema: { type: string } } } }",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, application/xml: { schema: { type: string } } } }",
            ""),
        // Nor reads it.
        .init(
            "media-type-removed",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, application/xml: { schema: { type: string } } } }",
            "'200': { description: d, content: { application/xml: { schema: { type: string } } } }",
            "response swift"),
        // It reads the other type, too.
        .init(
            "type-changed",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, application/hal+json: { schema: { type: integer } } } }",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, application/hal+json: { schema: { type: boolean } } } }",
            "response swift"),
        // One type becomes two.
        .init(
            "media-types-changed",
            "'200': { description: d, content: { application/json: { schema: { type: object, properties: { a: { type: string } } } }, application/hal+json: { schema: { type: object, properties: { a: { type: string } } } } } }",
            "'200': { description: d, content: { application/json: { schema: { type: object, properties: { a: { type: string } } } }, application/hal+json: { schema: { type: object, properties: { a: { type: string }, b: { type: string } } } } } }",
            "swift"),
        // A stream has a method of its own.
        .init(
            "media-type-added",
            "'200': { description: d, content: { application/json: { schema: { type: string } } } }",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, text/event-stream: {} } }",
            ""),
        // Its method is gone.
        .init(
            "media-type-removed",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, text/event-stream: {} } }",
            "'200': { description: d, content: { application/json: { schema: { type: string } } } }",
            "response swift"),
        // Its items cannot be read.
        .init(
            "type-changed",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, application/jsonl: { itemSchema: { type: string } } } }",
            "'200': { description: d, content: { application/json: { schema: { type: string } }, application/jsonl: { itemSchema: { type: integer } } } }",
            "response swift"),
        .init(
            "header-added", "'204': { description: d }",
            "'204': { description: d, headers: { X-A: { schema: { type: string } } } }", ""),
        // Headers are nil where they are absent.
        .init(
            "header-removed", "'204': { description: d, headers: { X-A: { schema: { type: string } } } }",
            "'204': { description: d }", "swift"),
        .init(
            "header-style-changed",
            "'204': { description: d, headers: { X-A: { schema: { type: object, properties: { a: { type: string } } } } } }",
            "'204': { description: d, headers: { X-A: { explode: true, schema: { type: object, properties: { a: { type: string } } } } } }",
            "response"),
        .init(
            "type-changed", "'204': { description: d, headers: { X-A: { schema: { type: string } } } }",
            "'204': { description: d, headers: { X-A: { schema: { type: integer } } } }", "response swift"),
    ]

    @Test(arguments: statuses)
    func statusesAreJudged(item: DiffCase) throws {
        func document(_ lines: String) -> String {
            "paths: { /a: { put: { operationId: a, responses: { \(lines) } } } }"
        }
        try item.expect(document(item.old), document(item.new))
    }
}
