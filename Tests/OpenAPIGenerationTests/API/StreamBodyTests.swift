import Testing

@testable import OpenAPIGeneration

/// Bodies that are streams of values or bytes.
@Suite struct StreamBodyTests {
    @Test func eventsAreAStreamOfTheirOwn() {
        let rendered = Rendered.operation(
            body:
                "application/json: { schema: { type: object, properties: { stream: { type: [boolean, 'null'] }, x: { type: string } } } }",
            responses:
                "'200': { description: done, content: { application/json: { schema: { type: string } }, text/event-stream: { schema: { type: object, properties: { a: { type: integer } } } } } }"
        )
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("async throws(APIError<Test.OpFailure>) -> String"))
        #expect(
            rendered.contains(
                "func opStream(_ body: Test.OpBody, options: CallOptions = CallOptions()) -> EventStream<Test."
            ))
        #expect(rendered.contains("_body.stream = .value(true)"))
        #expect(rendered.contains(#"_request.jsonBody(_body, "application/json")"#))
        #expect(rendered.contains(#"accept: "application/json", security"#))
        #expect(rendered.contains(#"accept: "text/event-stream", security"#))
    }

    @Test(arguments: [
        ("application/jsonl", ".lines"), ("application/x-ndjson", ".lines"), ("text/event-stream", ".events"),
        ("application/json-seq", ".sequence"),
    ])
    func anOperationThatOnlyStreamsHasOneMethod(type: String, framing: String) {
        let rendered = Rendered.operation(
            responses: "'200': { description: done, content: { \(type): { schema: { type: integer } } } }")
        #expect(
            rendered.contains(
                "func op(options: CallOptions = CallOptions()) -> EventStream<Int, Test.OpFailure>"))
        #expect(rendered.contains("return EventStream(_request, \(framing), from: 200, through: 200)"))
        #expect(!rendered.contains("async throws"))
    }

    /// The schema of all values is an array; `itemSchema` is that of one, as any other schema is.
    @Test(arguments: [
        ("schema: { type: array, items: { type: integer } }", "Int"),
        ("itemSchema: { type: array, items: { type: integer } }", "[Int]"),
        ("schema: { type: [array, string], items: { type: integer } }", "Test.OpResponse"),
        ("schema: { type: object, additionalProperties: { type: integer } }", "[String: Int]"),
    ])
    func anArrayDescribesAllValuesOfAStream(schema: String, element: String) {
        for type in ["application/jsonl", "application/json-seq"] {
            let rendered = Rendered.operation(
                responses: "'200': { description: done, content: { \(type): { \(schema) } } }")
            #expect(rendered.contains("-> EventStream<\(element), "))
        }
    }

    @Test func eventsThatNobodyDescribesAreText() {
        let rendered = Rendered.operation(
            responses: "'200': { description: done, content: { text/event-stream: {} } }")
        #expect(rendered.contains("-> EventStream<String, "))
    }

    @Test func bytesAreReadAsTheyCome() {
        let rendered = Rendered.operation(
            responses:
                "'200': { description: done, content: { application/octet-stream: {} } }, '400': { description: x, content: { image/png: {} } }"
        )
        #expect(rendered.contains("async throws(APIError<Test.OpFailure>) -> ResponseBody"))
        #expect(rendered.contains("await _request.open(from: 200, through: 200)"))
        #expect(rendered.contains("return try _reply.stream(Test.OpFailure.self)"))
        #expect(rendered.contains("case badRequest([UInt8])"))
    }
}
