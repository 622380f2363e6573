import Testing

@testable import OpenAPIGeneration

@Suite struct OperationTests {
    private static let ok = "responses: { '204': { description: done } }"

    @Test func methodsDropTheirTagsWords() {
        let rendered = Rendered(
            paths: """
                /a: { get: { operationId: listBooks, tags: [books], \(Self.ok) } }
                /b: { get: { operationId: showBookById, tags: [books], \(Self.ok) } }
                /c: { get: { operationId: get_categories, tags: [category], \(Self.ok) } }
                /d: { get: { operationId: listUserBooks, tags: [books], \(Self.ok) } }
                /e: { get: { operationId: listUser, tags: [books], \(Self.ok) } }
                /f/{x-y}: { get: { \(Self.ok), parameters: [{ name: x-y, in: path, required: true, schema: { type: string } }] } }
                """)
        for method in ["list(", "showById(", "get(", "listUserBooks(", "listUser(", "getFByXY(xY: String"] {
            #expect(rendered.contains("public func \(method)"), "\(method)")
        }
        #expect(rendered.contains("public var books: Books {"))
        #expect(rendered.contains("nonisolated extension TestClient.Category.WithResponse {"))
    }

    /// One for each method, also with several media types of the body; none is built in a call.
    @Test func descriptorsAreConstants() {
        let rendered = Rendered(
            paths: """
                /a: { post: { operationId: send, requestBody: { required: true, content: {
                  application/json: { schema: { type: string } }, text/plain: { schema: { type: string } } } },
                  responses: { '200': { description: d, content: {
                    application/json: { schema: { type: string } }, text/event-stream: {} } } } } }
                """)
        for (name, accept) in [("send", "application/json"), ("sendStream", "text/event-stream")] {
            let value =
                #"OperationDescriptor(id: "send", method: "POST", path: "/a", accept: "\#(accept)", security: nil, idempotencyKey: nil)"#
            #expect(rendered.contains("    static let _\(name)Descriptor = \(value)\n"))
            let use = "RequestBuilder(self.client, Self._\(name)Descriptor, options)\n"
            #expect(rendered.source.split(separator: use).count == 3, "\(name)")
        }
        #expect(rendered.source.split(separator: " OperationDescriptor(").count == 3)
    }

    @Test(arguments: [
        ("in: path, name: p, required: true, schema: { type: string }", #"path("p", p)"#),
        (
            "in: path, name: p, required: true, style: label, schema: { type: string }",
            #"pathStyled("p", p, .label)"#
        ),
        (
            "in: path, name: p, required: true, schema: { type: array, items: { type: string } }",
            #"pathArray("p", p, .simple)"#
        ),
        (
            "in: path, name: p, required: true, style: matrix, explode: true, schema: { type: array, items: { type: integer } }",
            #"pathArray("p", p, .matrixExploded)"#
        ),
        ("in: query, name: q, schema: { type: string, format: date }", #"query("q", q)"#),
        ("in: query, name: q, allowReserved: true, schema: { type: string }", #"queryReserved("q", q)"#),
        (
            "in: query, name: q, schema: { type: array, items: { type: string } }",
            #"queryArray("q", q, .formExploded)"#
        ),
        (
            "in: query, name: q, explode: false, schema: { type: array, items: { type: string } }",
            #"queryArray("q", q, .form)"#
        ),
        (
            "in: query, name: q, style: pipeDelimited, schema: { type: array, items: { type: string } }",
            #"queryArray("q", q, .pipeDelimited)"#
        ),
        (
            "in: query, name: q, style: spaceDelimited, explode: false, schema: { type: array, items: { type: string } }",
            #"queryArray("q", q, .spaceDelimited)"#
        ),
        (
            "in: query, name: q, style: deepObject, schema: { type: object, properties: { a: { type: string } } }",
            #"queryValue("q", q, .deepObject)"#
        ),
        (
            "in: query, name: q, schema: { type: object, additionalProperties: { type: string } }",
            #"queryValue("q", q, .formExploded)"#
        ),
        (
            "in: query, name: q, content: { application/json: { schema: { type: object } } }",
            #"queryJSON("q", q)"#
        ),
        ("in: header, name: X-A, schema: { type: integer }", #"header("X-A", xA)"#),
        (
            "in: header, name: X-A, schema: { type: array, items: { type: integer } }",
            #"headerArray("X-A", xA)"#
        ),
        ("in: cookie, name: c, schema: { type: string }", #"cookie("c", c)"#),
        ("in: query, name: body, schema: { type: string }", #"query("body", bodyParameter)"#),
        ("in: query, name: default, schema: { type: string }", #"query("default", `default`)"#),
    ])
    func parameters(parameter: String, call: String) {
        let rendered = Rendered(
            paths: "/a/{p}:\n  get:\n    operationId: op\n    parameters: [{ \(parameter) }]\n    \(Self.ok)")
        #expect(rendered.contains("_request." + call))
        #expect(rendered.output.diagnostics.allSatisfy { $0.message.contains("is not declared") })
    }

    @Test(arguments: [
        (
            "in: query, name: q, schema: { oneOf: [{ type: string }, { type: array, items: { type: string } }] }",
            #"queryValue("q", q, .formExploded)"#
        ),
        (
            "in: query, name: q, style: deepObject, schema: { anyOf: [{ type: integer }, { type: object, properties: { gt: { type: integer } } }] }",
            #"queryValue("q", q, .deepObject)"#
        ),
        (
            "in: query, name: q, style: deepObject, schema: { type: array, items: { type: string } }",
            #"queryValue("q", q, .deepObject)"#
        ),
        (
            "in: query, name: q, allowReserved: true, explode: false, schema: { type: array, items: { type: string } }",
            #"queryValue("q", q, .form, isReserved: true)"#
        ),
        (
            "in: query, name: q, style: pipeDelimited, explode: false, schema: { type: object }",
            #"queryValue("q", q, .pipeDelimited)"#
        ),
        ("in: query, name: q, schema: {}", #"queryValue("q", q, .formExploded)"#),
        (
            "in: path, name: p, required: true, style: matrix, explode: true, schema: { type: object }",
            #"pathValue("p", p, .matrixExploded)"#
        ),
        ("in: header, name: q, schema: { type: object }", #"headerValue("q", q, .simple)"#),
        (
            "in: header, name: q, explode: true, schema: { type: object }",
            #"headerValue("q", q, .simpleExploded)"#
        ),
        ("in: cookie, name: q, schema: { type: array }", #"cookieValue("q", q, .formExploded)"#),
        (
            "in: cookie, name: q, style: cookie, schema: { type: string }",
            #"cookieValue("q", q, .cookieExploded)"#
        ),
        ("in: cookie, name: q, content: { application/json: { schema: {} } }", #"cookieJSON("q", q)"#),
        ("in: query, name: q, content: { text/csv: { schema: { type: string } } }", #"query("q", q)"#),
        ("in: query, name: q, content: { application/xml: {} }", #"query("q", q)"#),
    ])
    func anyValueCanBeSent(parameter: String, call: String) {
        let rendered = Rendered(
            paths: "/a/{p}:\n  get:\n    operationId: op\n    parameters: [{ \(parameter) }]\n    \(Self.ok)")
        #expect(rendered.contains("_request." + call))
        #expect(rendered.output.diagnostics.allSatisfy { $0.message.contains("is not declared") })
    }

    @Test func aFormsEncodingIsFollowed() {
        let rendered = Rendered(
            paths: """
                /a:
                  post:
                    operationId: op
                    requestBody:
                      content:
                        application/x-www-form-urlencoded:
                          schema: { type: object, properties: { m: { type: object }, l: { type: array, items: { type: string } }, s: { type: string } } }
                          encoding: { m: { style: deepObject, explode: true }, l: { explode: false }, s: { contentType: text/plain } }
                    \(Self.ok)
                """)
        #expect(rendered.contains(#"_request.formBody(body, "l\tform\nm\tdeepObject")"#))
        #expect(rendered.findings.isEmpty)
    }

    @Test func argumentsStandInTheirOrder() {
        let rendered = Rendered(
            paths: """
                /a/{x}/{y}:
                  parameters: [{ in: path, name: y, required: true, schema: { type: integer } }]
                  post:
                    operationId: op
                    parameters:
                      - { in: query, name: o1, schema: { type: string } }
                      - { in: query, name: r1, required: true, schema: { type: string } }
                      - { in: path, name: x, required: true, schema: { type: string } }
                      - { in: header, name: Idempotency-Key, schema: { type: string } }
                      - { in: header, name: Authorization, schema: { type: string } }
                    requestBody: { required: true, content: { application/json: { schema: { type: object } } } }
                    \(Self.ok)
                """)
        #expect(
            rendered.contains(
                "op(x: String, y: Int, r1: String, _ body: [String: JSONValue], o1: String? = nil, idempotencyKey: String? = nil, options: CallOptions = CallOptions())"
            ))
        #expect(rendered.contains("idempotencyKey: .text("))
        #expect(rendered.findings.isEmpty)
    }

    @Test(arguments: [
        ("security: []", "\"\""), ("summary: s", #""a x y\nb""#),
        ("security: [{ b: [], a: [y, x] }]", #""a x y\tb""#),
        ("security: [{}, { b: [] }]", #""\nb""#), ("security: [{}]", "\"\""),
    ])
    func securityIsADisjunction(line: String, literal: String) {
        let rendered = Rendered(
            paths: "/a: { get: { operationId: op, \(line), \(Self.ok) } }",
            rest: """
                security: [{ a: [y, x] }, { b: [] }]
                components: { securitySchemes: { a: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://t.example/', scopes: {} } } }, b: { type: http, scheme: bearer } } }
                """)
        #expect(rendered.contains("security: \(literal), "))
        #expect(rendered.contains(#"_configured.oauth("a", self.a, tokenURL: "https://t.example/""#))
    }

    @Test(arguments: [
        (
            "'200': { content: { application/json: { schema: { type: string } } } }",
            "json(String.self, from: 200, through: 200"
        ),
        (
            "'2XX': { content: { application/json: { schema: { type: string } } } }",
            "json(String.self, from: 200, through: 299"
        ),
        (
            "'200': &r { content: { application/json: { schema: { type: string } } } }, '201': *r",
            "json(String.self, from: 200, through: 201"
        ),
        ("'200': { content: { text/plain: {} } }", "text(from: 200"),
        ("'200': { content: { image/png: {} } }", "stream(Test.OpFailure.self)"),
        ("'204': {}", "empty(from: 204"),
        ("default: { content: { application/json: {} } }", "json(JSONValue.self, from: 200, through: 299"),
        ("'404': {}", "empty(from: 200, through: 299"),
        (
            "'201': { content: { application/json: { schema: { type: string } } } }, '202': {}",
            "success(Test.OpSuccess.self, Test.OpFailure.self)"
        ),
    ])
    func successes(responses: String, reading: String) {
        let rendered = Rendered(paths: "/a: { get: { operationId: op, responses: { \(responses) } } }")
        #expect(rendered.contains("_reply." + reading))
        #expect(rendered.findings.isEmpty)
    }

    /// Whatever is documented (RFC 9110): 1xx, 204, 205 and 304 have none.
    @Test(arguments: [
        ("'204'", "_reply.empty(from: 204, through: 204"), ("'205'", "_reply.empty(from: 205, through: 205"),
        ("'304'", "case 304: self = .status304\n"), ("1XX", "= .informational(status: response.status)\n"),
    ])
    func statusesWithoutContent(status: String, reading: String) {
        let object = "{ type: object, required: [a], properties: { a: { type: string } } }"
        for content in ["application/json: { schema: \(object) }", "text/event-stream: {}", "image/png: {}"] {
            let rendered = Rendered(
                paths: """
                    /a:
                      delete:
                        operationId: op
                        responses:
                          \(status):
                            description: none
                            content: { \(content) }
                    """)
            #expect(rendered.contains(reading))
            #expect(rendered.contains(#"accept: "*/*""#))
            #expect(rendered.findings == ["10:11 warning ignored-keyword"])
        }
    }

    @Test func aSuccessWithoutContentBesideOthers() {
        let content = "content: { application/json: { schema: { type: string } } }"
        let rendered = Rendered(
            paths:
                "/a: { get: { operationId: op, responses: { '200': { \(content) }, '204': { \(content) } } } }"
        )
        #expect(rendered.contains("case 200: self = .ok(try response.json(String.self))"))
        #expect(rendered.contains("case 204: self = .noContent\n"))
        #expect(rendered.rules == ["ignored-keyword"])
    }

    /// The header fields are those of GET, and so is `Accept`.
    @Test func aResponseToHEADHasNoContent() {
        let content = "content: { application/json: { schema: { type: string } } }"
        let rendered = Rendered(
            paths:
                "/a: { head: { operationId: op, responses: { '200': { \(content) }, '404': { \(content) } } } }"
        )
        #expect(rendered.contains("_reply.empty(from: 200, through: 200"))
        #expect(rendered.contains("case 404: self = .notFound\n"))
        #expect(rendered.contains(#"accept: "application/json""#))
        #expect(rendered.findings.isEmpty)
    }

    /// `Shop.PetShop.Error` and `Shop.PetError` are two types in the namespace `Shop`.
    @Test func failuresOfDifferentTypesAreNotShared() {
        func operation(_ name: String, _ schema: String) -> String {
            let body = "{ application/json: { schema: { $ref: '#/components/schemas/\(schema)' } } }"
            return "  /\(name): { get: { operationId: \(name), responses: { '404': { content: \(body) } } } }"
        }
        let rendered = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
            \(operation("one", "PetShop/properties/error"))
            \(operation("two", "PetError"))
            components:
              schemas:
                PetShop: { type: object, properties: { error: { type: object, properties: { a: { type: string } } } } }
                PetError: { type: object, properties: { b: { type: string } } }
            """, namespace: "Shop")
        #expect(rendered.contains("enum OneFailure: DocumentedFailure"))
        #expect(rendered.contains("case notFound(Shop.PetShop.Error)"))
        #expect(rendered.contains("case notFound(Shop.PetError)"))
    }

    @Test func failuresAreMatchedExactlyThenByRange() {
        let rendered = Rendered(
            paths: """
                /a: { get: { operationId: one, responses: { default: { description: rest }, 4XX: {}, '404': { description: gone, content: { text/plain: {} } }, '418': {} } } }
                /b: { get: { operationId: two, responses: { '418': {}, '404': { content: { text/plain: {} } }, 4XX: {}, default: {} } } }
                """)
        #expect(rendered.contains("case 404: self = .notFound(try response.text())"))
        #expect(rendered.contains("case 418: self = .status418"))
        #expect(rendered.contains("case 400...499: self = .clientError(status: response.status)"))
        #expect(rendered.contains("default: self = .other(status: response.status)"))
        #expect(rendered.contains("public typealias OneFailure = Test.NotFoundToDefaultFailure\n"))
        #expect(rendered.contains("public typealias TwoFailure = Test.NotFoundToDefaultFailure\n"))
        // Only one of the two operations has a description.
        #expect(rendered.contains("/// 404.\n"))
    }

    @Test func deprecatedOperationsSaySo() {
        let rendered = Rendered(paths: "/a: { get: { operationId: op, deprecated: true, \(Self.ok) } }")
        #expect(
            rendered.source.split(separator: "\n").filter { $0.contains("@available(*, deprecated)") }.count
                == 2)
    }

    @Test(arguments: [
        ("'0': {}", "structure"), ("'200': { $ref: '#/components/responses/X' }", "unresolved-reference"),
        ("'6XX': {}", "structure"),
    ])
    func faultyResponsesAreErrors(responses: String, rule: String) {
        let rendered = Rendered(paths: "/a: { get: { operationId: op, responses: { \(responses) } } }")
        #expect(rendered.rules == [rule])
        #expect(rendered.output.files.isEmpty)
    }

    @Test func whatIsNotGeneratedIsNamed() {
        let rendered = Rendered(
            paths:
                "/a: { post: { operationId: op, requestBody: { content: { multipart/form-data: { schema: { type: object } } } }, \(Self.ok) } }"
        )
        #expect(rendered.rules == ["unsupported-media-type"])
        #expect(rendered.contains(#"_request.rawBody(body, "multipart/form-data")"#))
    }
}

@Suite struct NullableBodyTests {
    private func rendered(isRequired: Bool) -> Rendered {
        Rendered(
            paths: """
                /a:
                  put:
                    operationId: putA
                    requestBody:
                      required: \(isRequired)
                      content: { application/json: { schema: { type: [string, 'null'] } } }
                    responses: { '204': { description: Done. } }
                """)
    }

    @Test func aRequiredOneIsSentAsNull() {
        let rendered = rendered(isRequired: true)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("_ body: String?, options"))
        #expect(rendered.contains("_request.nullableJSONBody(body, \"application/json\")"))
    }

    @Test func anOptionalOneSaysThatNullIsNotSent() {
        let rendered = rendered(isRequired: false)
        #expect(rendered.rules == ["unsupported-schema"])
        #expect(rendered.contains("_ body: String? = nil"))
        #expect(rendered.contains("_request.jsonBody(body, \"application/json\")"))
    }

    /// What no style defines is sent as JSON.
    @Test(arguments: [
        (
            "in: query, name: q, schema: { type: array, items: { type: array, items: { type: string } } }",
            true
        ),
        (
            "in: query, name: q, schema: { type: object, properties: { o: { type: object, properties: { p: { type: string } } } } }",
            true
        ),
        ("in: header, name: q, schema: { type: array, items: { type: object } }", true),
        (
            "in: query, name: q, style: pipeDelimited, explode: true, schema: { type: object, properties: { a: { type: string } } }",
            true
        ),
        (
            "in: query, name: q, style: pipeDelimited, explode: true, schema: { type: array, items: { type: string } }",
            false
        ),
        (
            "in: query, name: q, style: deepObject, schema: { type: object, properties: { a: { type: array, items: { type: string } } } }",
            false
        ),
        (
            "in: query, name: q, content: { application/json: { schema: { type: array, items: { type: object } } } }",
            false
        ),
        ("in: query, name: q, schema: { type: object, properties: { a: { type: string } } }", false),
        ("in: query, name: q, schema: {}", false),
    ])
    func whatAStyleDoesNotDefineIsReported(parameter: String, isReported: Bool) {
        let rendered = Rendered(
            paths: "/a: { get: { parameters: [{ \(parameter) }], responses: { '204': { description: d } } } }"
        )
        #expect(rendered.rules == (isReported ? ["unsupported-parameter"] : []), "\(rendered.printed)")
    }
}
