import Testing

@testable import OpenAPIGeneration

@Suite struct IdempotencyKeyTests {
    private func rendered(_ schema: String, required: Bool = false) -> Rendered {
        Rendered(
            paths: """
                /a:
                  post:
                    operationId: op
                    parameters: [{ in: header, name: Idempotency-Key, required: \(required), description: Yours, schema: \(schema) }]
                    responses: { '204': { description: d } }
                """,
            rest: "components: { schemas: { Key: { type: string, minLength: 40 } } }")
    }

    private static let hex = "0123456789abcdef"

    @Test(arguments: [
        ("{ type: string }", #".text("\(hex)", 32)"#), ("{ type: string, format: uuid }", ".uuid"),
        ("{ type: string, maxLength: 255 }", #".text("\(hex)", 32)"#),
        ("{ type: string, minLength: 64 }", #".text("\(hex)", 64)"#),
        ("{ $ref: '#/components/schemas/Key' }", #".text("\(hex)", 40)"#),
        ("{ allOf: [{ $ref: '#/components/schemas/Key' }, { maxLength: 41 }] }", #".text("\(hex)", 40)"#),
        (
            "{ type: string, maxLength: 20 }",
            #".text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 20)"#
        ),
        ("{ type: string, pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }", ".uuid"),
        ("{ type: string, pattern: '^[0-9a-f]{24}$' }", #".text("\(hex)", 24)"#),
        (
            "{ type: string, pattern: '^[A-Z0-9]{26}$' }",
            #".text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", 26)"#
        ),
        ("{ type: string, pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' }", #".text("01234567", 26)"#),
        (
            "{ type: string, pattern: '^[A-Za-z]+$' }",
            #".text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 32)"#
        ),
    ])
    func aKeyHasTheFormOfTheDocument(schema: String, form: String) {
        let form = form.replacing(#"\(hex)"#, with: Self.hex)
        for isRequired in [false, true] {
            let rendered = rendered(schema, required: isRequired)
            #expect(rendered.contains("idempotencyKey: \(form)"))
            let type = schema.contains("uuid") ? "UUID" : "String"
            #expect(
                rendered.contains("op(idempotencyKey: \(type)? = nil, options: CallOptions = CallOptions())"))
            #expect(rendered.contains("_request.idempotencyKey(\"Idempotency-Key\", idempotencyKey)"))
            #expect(rendered.findings.isEmpty)
        }
    }

    /// The caller passes the key.
    @Test(arguments: [
        "{ type: string, pattern: '^key-[a-z]{9}$' }", "{ type: string, maxLength: 4 }", "{ type: integer }",
        "{ type: string, enum: [a, b] }", "{ type: string, format: uuid, maxLength: 20 }", "{}",
        "{ type: string, minLength: 300 }", "{ type: string, minLength: 9, maxLength: 8 }",
    ])
    func whatCannotBeGeneratedIsReported(schema: String) {
        #expect(rendered(schema).rules == ["unsupported-parameter"])
        #expect(rendered(schema).contains("idempotencyKey: nil"))
        #expect(rendered(schema).contains("? = nil, options:"))
        #expect(!rendered(schema, required: true).contains("? = nil, options:"))
    }

    /// `Regex` would not end with these.
    @Test(arguments: [
        "^([0-9a-f]+)+!$", ".*.*.*.*.*.*.*.*.*.*!$", "^(([0-9a-f])+.)+[!]$",
        String(repeating: "(", count: 25) + "a?" + String(repeating: ")+", count: 25) + "!",
    ])
    func aPatternThatBacktracksEnds(pattern: String) {
        #expect(rendered("{ type: string, pattern: '\(pattern)' }").rules == ["unsupported-parameter"])
    }

    /// A configuration that asks for keys keeps the form of a key that the document has.
    @Test(arguments: [("true", 1), ("false", 0)])
    func aConfigurationKeepsTheFormOfTheDocument(value: String, count: Int) {
        let rendered = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a:
                post:
                  operationId: op
                  parameters: [{ $ref: '#/components/parameters/Key' }]
                  responses: { '204': { description: d } }
            components:
              parameters:
                Key: { name: Idempotency-Key, in: header, schema: { type: string, format: uuid } }
            """, configuration: "idempotency: { op: \(value) }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.source.split(separator: "idempotencyKey: .uuid").count == count + 1)
        #expect(rendered.contains("idempotencyKey: UUID?") == (count == 1))
    }
}
