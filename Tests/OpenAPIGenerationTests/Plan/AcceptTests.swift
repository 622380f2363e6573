import Testing

@testable import OpenAPIGeneration

/// The `Accept` field of generated calls.
@Suite struct AcceptTests {
    private func rendered(_ responses: String, body: String = "") -> Rendered {
        Rendered(
            paths: "/a:\n  post:\n    operationId: op\n    \(body)\n    responses: { \(responses) }",
            version: "3.2.0")
    }

    @Test(arguments: [
        ("image/png: {}, image/jpeg: {}", "image/jpeg, image/png;q=0.9"),
        ("text/x-markdown: {}, text/plain: {}", "text/plain, text/x-markdown;q=0.9"),
        ("application/xml: {}, application/json: { schema: { type: string } }", "application/json"),
        ("application/json: {}, text/plain: {}", "application/json, text/plain"),
        ("application/json: {}, application/cbor: {}, text/json: {}", "application/json"),
        (
            "application/json: { schema: { type: object } }, text/plain: { schema: { type: object } }",
            "application/json"
        ),
        (
            "application/vnd.a+json: { schema: { type: string, minLength: 1 } }, application/json: { schema: { minLength: 1, type: string } }",
            "application/json, application/vnd.a+json;q=0.9"
        ),
        (
            "application/vnd.a+json: { schema: { type: string } }, application/json: { schema: { type: integer } }",
            "application/json, application/vnd.a+json"
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
                #"accept: "text/csv, text/plain;q=0.9, application/json;q=0.5, application/problem+json;q=0.5", "#
            ))
    }

    /// A service must not prefer them for a success.
    @Test(arguments: [
        (
            "'200': { description: d, content: { application/json: {}, text/csv: {}, text/plain: {} } }",
            "application/json, text/csv, application/problem+json, text/plain;q=0.9, text/html;q=0.5, */*;q=0.5"
        ),
        (
            "'200': { description: d, content: { image/png: {} } }",
            "image/png, application/problem+json;q=0.5, text/html;q=0.5, */*;q=0.5"
        ),
        ("'204': { description: d }", "application/problem+json, text/html, */*"),
    ])
    func typesOfFailuresHaveTheLowestWeight(success: String, accept: String) {
        let rendered = rendered(
            success
                + """
                , '404': { description: d, content: { application/problem+json: {} } },
                      '4XX': { description: d, content: { text/html: {} } },
                      default: { description: d, content: { '*/*': {} } }
                """)
        #expect(rendered.contains(#"accept: "\#(accept)", "#), "\(rendered.source)")
    }

    @Test(arguments: [
        ("application/json: {}, application/octet-stream: {}", ["json(JSONValue)", "bytes([UInt8])"]),
        (
            "application/zip: {}, application/json: { schema: { type: string } }",
            ["json(String)", "zip([UInt8])"]
        ),
        ("application/json: {}, image/png: {}, image/jpeg: {}", ["json(JSONValue)", "bytes([UInt8])"]),
        ("text/csv: {}, application/pdf: {}", ["csv(String)", "pdf([UInt8])"]),
        // In JSON, a string has quotes.
        (
            "application/json: { schema: { type: string } }, text/plain: { schema: { type: string } }",
            ["json(String)", "text(String)"]
        ),
    ])
    func typesThatAreReadDifferentlyAreCases(content: String, cases: [String]) {
        let rendered = rendered("'200': { description: d, content: { \(content) } }")
        #expect(rendered.findings.isEmpty)
        for item in cases { #expect(rendered.contains("case " + item)) }
        #expect(rendered.contains("accept: Test.OpSuccess.Accept? = nil"))
    }

    @Test func aSchemaThatIsNotRequestedIsReported() {
        let rendered = rendered(
            "'200': { description: d, content: { application/json: {}, application/xml: { schema: { type: object } } } }"
        )
        #expect(rendered.rules == ["unsupported-media-type"])
        #expect(rendered.contains("_reply.json(JSONValue.self"))
    }

    /// An event has texts, and the data of all events of a stream have one type.
    @Test(arguments: [
        (
            "{ type: object, properties: { data: { type: string, contentSchema: { type: integer } } } }",
            "Int", true
        ),
        ("{ allOf: [{ properties: { data: { contentSchema: { type: integer } } } }] }", "Int", true),
        (
            "{ $defs: { T: { $anchor: text, type: string } }, properties: { data: { $ref: '#text', contentSchema: { type: integer } } } }",
            "Int", true
        ),
        ("{ type: object, properties: { data: { type: object } } }", "String", false),
        ("{ type: object, properties: { price: { type: integer } } }", "String", false),
        ("{ type: array, items: { type: string } }", "String", false),
        (
            "{ oneOf: [{ properties: { data: { contentSchema: { type: integer } } } }, { properties: { data: { type: string } } }] }",
            "String", false
        ),
    ])
    func anItemSchemaThatEventsCannotHaveIsReported(schema: String, element: String, isFine: Bool) {
        let rendered = rendered(
            "'200': { description: d, content: { text/event-stream: { itemSchema: \(schema) } } }")
        #expect(rendered.contains("-> EventStream<\(element), "))
        #expect(rendered.rules == (isFine ? [] : ["unsupported-schema"]))
    }

    @Test func aStreamComesBeforeFailures() {
        let rendered = rendered(
            "'200': { description: d, content: { application/x-ndjson: {}, application/jsonl: {} } }, '400': { description: d, content: { application/json: {} } }"
        )
        #expect(
            rendered.contains(
                #"accept: "application/jsonl, application/x-ndjson;q=0.9, application/json;q=0.5", "#))
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
