import Testing

@testable import OpenAPIGeneration

@Suite struct BodyAlternativeTests {
    private func rendered(_ content: String, rest: String = "", isRequired: Bool = true) -> Rendered {
        Rendered(
            paths:
                "/a:\n  post:\n    operationId: op\n    requestBody: { required: \(isRequired), content: { \(content) } }\n    responses: { '204': { description: done } }",
            rest: rest)
    }

    @Test func oneMediaTypeMakesOneMethod() {
        let one = rendered("application/json: { schema: { type: string } }")
        #expect(one.source.split(separator: "func op(").count == 3)
        #expect(!one.contains("sent as"))
    }

    @Test func eachOtherMediaTypeHasAMethodWithItsLabel() {
        let several = rendered(
            "image/png: {}, application/octet-stream: {}, text/plain: {}, application/json: { schema: { type: string } }",
            isRequired: false)
        #expect(several.findings.isEmpty)
        for line in [
            "func op(_ body: String? = nil, options", "func op(text body: String, options",
            "func op(bytes body: HTTPBody, options", "func op(png body: HTTPBody, options",
            "/// `POST /a`, sent as `image/png`", #"_request.rawBody(body, "image/png")"#,
        ] {
            #expect(several.contains(line), "\(line)")
        }
    }

    @Test func whatSaysNothingMoreIsLeftOut() {
        let several = rendered(
            "application/json: { schema: { type: string } }, text/json: { schema: { type: string } }, '*/*': {}, application/*+json: {}"
        )
        #expect(several.findings.isEmpty)
        #expect(several.source.split(separator: "func op(").count == 3)
    }

    @Test func inlineFormsHaveNamesOfTheirOwn() {
        let several = rendered(
            "application/json: { schema: { type: object, properties: { a: { type: string } } } }, multipart/form-data: { schema: { type: object, properties: { a: { type: string, format: binary } } } }"
        )
        #expect(several.contains("struct OpBody: JSONObjectEncodable"))
        #expect(several.contains("struct OpMultipartBody: MultipartBody"))
        #expect(several.contains("/// The body in `multipart/form-data` of `op`."))
    }

    @Test func aLabelIsNoParametersName() {
        let text = rendered("application/json: {}, text/plain: {}")
        #expect(text.contains("func op(text body: String, options"))
        let taken = Rendered(
            paths:
                "/a:\n  post:\n    operationId: op\n    parameters: [{ name: text, in: query, schema: { type: string } }]\n    requestBody: { content: { application/json: {}, text/plain: {} } }\n    responses: { '204': { description: done } }"
        )
        #expect(taken.contains("func op(text2 body: String, text: String? = nil, options"))
    }

    @Test func aUnionWithFilesTakesBytes() {
        let several = rendered(
            "application/json: { schema: { type: string } }, multipart/form-data: { schema: { anyOf: [{ type: object, required: [a], properties: { a: { type: string, format: binary } } }, { type: object, required: [b], properties: { b: { type: string } } }] } }"
        )
        #expect(several.rules == ["unsupported-media-type"])
        #expect(several.contains("func op(multipart body: HTTPBody, options"))
    }

    @Test func eachBodyAsksForTheStreamItself() {
        let streaming = Rendered(
            paths:
                "/a:\n  post:\n    operationId: op\n    requestBody: { required: true, content: { application/json: { schema: { type: object, properties: { stream: { type: boolean } } } }, text/plain: {} } }\n    responses: { '200': { description: done, content: { application/json: { schema: { type: string } }, text/event-stream: {} } } }"
        )
        #expect(streaming.contains("func opStream(_ body: Test.OpBody, options"))
        #expect(streaming.contains("func opStream(text body: String, options"))
        #expect(streaming.source.split(separator: "_body.stream = true").count == 2)
    }
}
