import Testing

@testable import OpenAPIGeneration

/// The `Accept` field of generated calls.
@Suite struct AcceptTests {
    private func rendered(_ responses: String, body: String = "") -> Rendered {
        Rendered(paths: "/a:\n  post:\n    operationId: op\n    \(body)\n    responses: { \(responses) }")
    }

    @Test(arguments: [
        ("image/png: {}, image/jpeg: {}", "image/jpeg, image/png;q=0.9"),
        ("text/x-markdown: {}, text/plain: {}", "text/plain, text/x-markdown;q=0.9"),
        ("application/xml: {}, application/json: { schema: { type: string } }", "application/json"),
        ("application/json: {}, text/plain: {}", "application/json"),
        (
            "application/vnd.a+json: { schema: { type: string, minLength: 1 } }, application/json: { schema: { minLength: 1, type: string } }",
            "application/json, application/vnd.a+json;q=0.9"
        ),
        (
            "application/vnd.a+json: { schema: { type: string } }, application/json: { schema: { type: integer } }",
            "application/json"
        ),
        (
            "application/octet-stream: {}, image/*: {}, text/plain: {}, text/event-stream: {}",
            "application/octet-stream, text/plain;q=0.9, image/*;q=0.9"
        ),
        ("image/png: {}, application/*+xml: {}, '*/*': {}, '*/png': {}", "*/*, image/png;q=0.9"),
    ])
    func whatIsReadInTheSameWayIsAccepted(content: String, accept: String) {
        let rendered = rendered("'200': { description: d, content: { \(content) } }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains(#"accept: "\#(accept)", "#), "\(rendered.source)")
    }

    @Test func successesComeBeforeFailures() {
        let rendered = rendered(
            """
            '200': { description: d, content: { text/csv: {}, text/plain: {} } },
                  '400': { description: d, content: { application/json: {}, text/plain: {} } },
                  default: { description: d, content: { application/problem+json: {} } }
            """)
        #expect(
            rendered.contains(
                #"accept: "text/csv, application/json, application/problem+json, text/plain;q=0.9", "#))
    }

    @Test func aStreamComesBeforeFailures() {
        let rendered = rendered(
            "'200': { description: d, content: { application/x-ndjson: {}, application/jsonl: {} } }, '400': { description: d, content: { application/json: {} } }"
        )
        #expect(
            rendered.contains(
                #"accept: "application/jsonl, application/json, application/x-ndjson;q=0.9", "#))
    }

    @Test func textsAreStrings() {
        let rendered = rendered(
            "'200': { description: d, content: { text/x-markdown: {}, text/plain: {} } }",
            body: "requestBody: { required: true, content: { text/x-markdown: {}, text/plain: {} } }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("func op(_ body: String, options: CallOptions = CallOptions())"))
        #expect(rendered.contains("func op(markdown body: String, options: CallOptions = CallOptions())"))
        #expect(rendered.contains(#"textBody(body, "text/x-markdown")"#))
        #expect(rendered.contains("-> String {"))
    }
}
