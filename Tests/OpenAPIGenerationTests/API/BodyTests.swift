import Testing

@testable import OpenAPIGeneration

@Suite struct BodyTests {
    private let done = "'204': { description: done }"

    @Test func formsWithFilesAreTyped() {
        let rendered = Rendered.operation(
            body:
                "multipart/form-data: { schema: { type: object, required: [file], properties: { file: { type: string, format: binary }, more: { type: array, items: { type: string, format: binary } }, either: { anyOf: [{ type: string, format: binary }, { type: array, items: { type: string, format: binary } }] }, name: { type: string }, tags: { type: array, items: { type: string } }, meta: { type: object, properties: { a: { type: integer } } }, list: { type: array, items: { type: object } }, maybe: { type: [string, 'null'] } } }, encoding: { file: { contentType: 'image/png, image/jpeg' }, name: { contentType: application/json } } }",
            responses: done)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("func op(_ body: Test.OpBody, options"))
        #expect(rendered.contains("_request.multipartBody(body)"))
        #expect(rendered.contains("public nonisolated struct OpBody: MultipartBody, Sendable"))
        for line in [
            #"_p.file("file", self.file, "image/png")"#, #"_p.files("more", self.more)"#,
            #"_p.files("either", self.either)"#, #"_p.json("name", self.name)"#,
            #"_p.texts("tags", self.tags)"#,
            #"_p.json("meta", self.meta)"#, #"_p.jsons("list", self.list)"#, #"_p.text("maybe", self.maybe)"#,
            "public var file: MultipartFile", "public var more: [MultipartFile]?",
            "public var maybe: String?",
        ] {
            #expect(rendered.contains(line), "\(line)")
        }
    }

    @Test func aPartMayBeAFileOrAValue() {
        let rendered = Rendered.operation(
            body:
                "multipart/form-data: { schema: { type: object, required: [a], properties: { a: { oneOf: [{ type: string, format: binary }, { type: object, required: [id], properties: { id: { type: string } } }] } } }, encoding: { a: { contentType: video/mp4 } } }",
            responses: done)
        #expect(rendered.contains("public var a: MultipartFileOr<Test.OpBody.A>"))
        #expect(rendered.contains(#"_p.fileOr("a", self.a, "video/mp4")"#))
    }

    @Test func partsThatMayBeTextsAreToldApartAsTheyAreSent() {
        let union = "{ oneOf: [{ type: string }, { type: object, properties: { a: { type: integer } } }] }"
        let rendered = Rendered.operation(
            body:
                "multipart/form-data: { schema: { type: object, properties: { one: \(union), many: { type: array, items: \(union) }, any: {}, said: \(union) } }, encoding: { said: { contentType: application/json } } }",
            responses: done)
        for line in [
            #"_p.value("one", self.one)"#, #"_p.values("many", self.many)"#, #"_p.value("any", self.any)"#,
            #"_p.json("said", self.said)"#,
        ] {
            #expect(rendered.contains(line), "\(line)")
        }
    }

    /// Real documents put `examples` one level too high.
    @Test func whatIsNoMediaTypeIsLeftOut() {
        let rendered = Rendered.operation(
            body: "application/json: { schema: { type: string } }, examples: {}", responses: done)
        #expect(rendered.rules == ["structure"])
        #expect(rendered.printed.contains("warning: \"examples\" is not a media type; it is skipped"))
        #expect(rendered.contains("func op(_ body: String, options"))
    }

    private static let object = "{ schema: { type: object, properties: { a: { type: string } } } }"

    /// A schema that is not followed is a warning, however its media type is written.
    @Test(arguments: [
        ("'application/xml; charset=utf-8'", "generating a raw body", "falling back to bytes"),
        ("application/soap+xml", "generating a raw body", "falling back to bytes"),
        ("application/cbor", "generating a raw body", "falling back to bytes"),
        ("'*/*'", "generating a raw body", "falling back to bytes"),
        ("text/xml", "falling back to String", "falling back to String"),
        ("text/csv", "falling back to String", "falling back to String"),
    ])
    func aSchemaThatIsNotFollowedIsReported(type: String, sent: String, received: String) {
        let name = type.filter { $0 != "'" }
        let request = Rendered.operation(body: "\(type): \(Self.object)", responses: done)
        #expect(
            request.output.diagnostics.map(\.message) == [
                "\"\(name)\" with this schema is not supported; \(sent)"
            ])
        for status in ["'200'", "default"] {
            let response = Rendered.operation(
                responses: "\(status): { description: d, content: { \(type): \(Self.object) } }")
            #expect(response.rules == ["unsupported-media-type"])
            #expect(
                response.output.diagnostics.map(\.message) == [
                    "\"\(name)\" with this schema is not supported; \(received)"
                ])
        }
    }

    @Test(arguments: ["multipart/form-data", "application/x-www-form-urlencoded"])
    func formsAreNotDecoded(type: String) {
        let response = Rendered.operation(
            responses: "'200': { description: d, content: { \(type): \(Self.object) } }")
        #expect(response.rules == ["unsupported-media-type"])
    }

    /// Text and files are what they are.
    @Test(arguments: [
        "text/plain: { schema: { type: string } }", "text/html: {}",
        "image/png: { schema: { type: string, format: binary } }",
        "application/pdf: {}", "application/xml: { schema: { type: string } }", "'*/*': { schema: {} }",
        "'*/*': { schema: { type: [string, 'null'] } }",
        "text/csv: { schema: { oneOf: [{ type: string }, { type: string, format: uuid }] } }",
    ])
    func textAndBytesAreNotReported(content: String) {
        #expect(
            Rendered.operation(responses: "'200': { description: d, content: { \(content) } }").findings
                .isEmpty)
    }

    /// The schema of what is not decoded has no errors of its own.
    @Test func aReferenceThatIsNotFollowedIsNoError() {
        let schema = "{ schema: { $ref: '#/components/schemas/Nowhere' } }"
        let response = Rendered.operation(
            responses: "'200': { description: d, content: { application/xml: \(schema) } }")
        #expect(response.findings.isEmpty)
    }

    @Test func parametersAndHeadersInOtherMediaTypesAreText() {
        let xml = "content: { application/xml: \(Self.object) }"
        let rendered = Rendered(
            paths: """
                /a:
                  get:
                    operationId: op
                    parameters: [{ name: p, in: query, \(xml) }]
                    responses: { '204': { description: d, headers: { X-Own: { \(xml) } } } }
                """)
        #expect(rendered.rules == ["unsupported-parameter", "unsupported-parameter"])
        #expect(
            rendered.output.diagnostics.last?.message
                == "\"application/xml\" of the header \"X-Own\" is not supported; falling back to String")
    }
}
