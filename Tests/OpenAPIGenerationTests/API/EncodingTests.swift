import Testing

@testable import OpenAPIGeneration

/// The `encoding` of forms and multipart bodies.
@Suite struct EncodingTests {
    private let done = "'204': { description: done }"

    /// In OpenAPI 3.0, the style of a part has no effect. Later, it takes precedence over the media type.
    @Test(arguments: [
        ("3.0.3", 2, #"_p.texts("p", self.p, "text/csv")"#), ("3.1.0", 1, #"_p.styled("p", self.p, .form)"#),
        ("3.2.0", 1, #"_p.styled("p", self.p, .form)"#),
    ])
    func theStyleOfAPartIsFollowedByVersion(version: String, findings: Int, call: String) {
        let rendered = Rendered(
            """
            openapi: \(version)
            info: { title: T, version: '1' }
            paths:
              /a:
                post:
                  operationId: op
                  requestBody:
                    content:
                      multipart/form-data:
                        schema: { type: object, properties: { p: { type: array, items: { type: string } } } }
                        encoding: { p: { style: form, explode: false, contentType: text/csv } }
                  responses: { '204': { description: d } }
            """)
        #expect(rendered.rules == Array(repeating: "ignored-keyword", count: findings))
        #expect(rendered.contains(call))
    }

    @Test(arguments: [
        ("{ type: string }", "style: form", #"_p.text("p", self.p)"#),
        ("{ type: integer }", "allowReserved: true", #"_p.text("p", self.p)"#),
        ("{ type: array, items: { type: string } }", "style: form", #"_p.texts("p", self.p)"#),
        (
            "{ type: array, items: { type: string } }", "explode: false",
            #"_p.styled("p", self.p, .form)"#
        ),
        (
            "{ type: array, items: { type: integer } }", "style: pipeDelimited",
            #"_p.styled("p", self.p, .pipeDelimited)"#
        ),
        (
            "{ type: array, items: { type: object } }", "style: form",
            #"_p.styled("p", self.p, .formExploded)"#
        ),
        (
            "{ type: object, properties: { a: { type: string } } }", "style: deepObject, explode: true",
            #"_p.styled("p", self.p, .deepObject)"#
        ),
        (
            "{ type: object, additionalProperties: { type: string } }", "allowReserved: false",
            #"_p.styled("p", self.p, .formExploded)"#
        ),
        ("{}", "style: form", #"_p.styled("p", self.p, .formExploded)"#),
        ("{ type: string, format: binary }", "style: form", #"_p.file("p", self.p)"#),
        (
            "{ type: array, items: { type: string, format: binary } }", "style: form",
            #"_p.files("p", self.p)"#
        ),
    ])
    func theStyleOfAPartIsFollowed(property: String, encoding: String, call: String) {
        let rendered = encoded("multipart/form-data", property, "p: { \(encoding) }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains(call))
    }

    @Test func theHeadersOfAPartAreMembers() {
        let rendered = Rendered(
            paths: """
                /a:
                  post:
                    operationId: op
                    requestBody:
                      content:
                        multipart/form-data:
                          schema:
                            type: object
                            required: [file]
                            properties:
                              file: { type: string, format: binary }
                              name: { type: string }
                              fileXId: { type: string }
                          encoding:
                            file:
                              headers:
                                Content-Type: { schema: { type: string } }
                                X-Id: { required: true, description: The number., schema: { type: integer } }
                                X-One: { schema: { type: string, enum: [a b] } }
                                X-Two: { $ref: '#/components/headers/Two' }
                            name:
                              headers:
                                X-Id: { required: true, schema: { type: string } }
                                X-Default: { schema: { type: integer, default: 3 } }
                                X-List: { schema: { type: array, items: { type: string } } }
                                X-Kind: { explode: true, schema: { type: string, enum: [m, n] } }
                                X-Text: { content: { text/plain: { schema: { type: object } } } }
                    responses: { '204': { description: d } }
                """,
            rest: "components: { headers: { Two: { schema: { const: true } } } }")
        #expect(rendered.findings.isEmpty)
        for line in [
            #"_p.field("file", "X-One", "a b")"#, #"_p.field("file", "X-Two", "true")"#,
            #"_p.field("file", "X-Id", self.fileXId2)"#,
            #"_p.field("name", "X-Id", self.nameXId, isRequired: true)"#,
            #"_p.field("name", "X-Default", self.nameXDefault, "3")"#,
            #"_p.fieldValue("name", "X-List", self.nameXList, .simple)"#,
            #"_p.field("name", "X-Kind", self.nameXKind)"#, #"_p.field("name", "X-Text", self.nameXText)"#,
            "public var fileXId2: Int\n", "public var nameXId: String?\n",
            "public var nameXDefault: Int?\n", "public var nameXList: [String]?\n",
            "public var nameXKind: Test.OpBodyNameXKind?\n", "public var nameXText: String?\n",
            "/// The header field `X-Id` of the part `file`. The number.",
        ] {
            #expect(rendered.contains(line), "\(line)")
        }
    }

    @Test func aFormWithoutFilesHasHeadersAndStyles() {
        let rendered = Rendered.operation(
            body:
                "application/json: { schema: { $ref: '#/components/schemas/N' } }, multipart/form-data: { schema: { $ref: '#/components/schemas/N' }, encoding: { p: { style: form, explode: false, headers: { X-A: { schema: { const: b c } }, X-B: { schema: { type: string } } } }, q: { contentType: application/json } } }",
            responses: done,
            rest:
                "components: { schemas: { N: { type: object, properties: { p: { type: array, items: { type: string } }, q: { type: string } } } } }"
        )
        #expect(rendered.rules == ["unsupported-media-type"])
        #expect(rendered.contains(#"_request.multipartFields(body, "p\tform\np\tfield\tX-A\tb c\nq")"#))
    }

    /// A type is written in one way.
    @Test func differentEncodingsOfOneSchemaAreReported() {
        func operation(_ id: String, _ encoding: String) -> String {
            "/\(id): { post: { operationId: \(id), requestBody: { content: { multipart/form-data: { schema: { $ref: '#/components/schemas/N' }, encoding: { \(encoding) } } } }, responses: { \(done) } } }\n"
        }
        func rules(_ one: String, _ other: String) -> [String] {
            Rendered(
                paths: operation("a", one) + operation("b", other),
                rest:
                    "components: { schemas: { N: { type: object, properties: { p: { type: array, items: { type: string } } } } } }"
            ).rules
        }
        #expect(rules("p: { explode: false }", "p: { explode: false }").isEmpty)
        #expect(rules("p: { explode: false }", "p: { explode: true }") == ["unsupported-media-type"])
        #expect(rules("p: { explode: false }", "") == ["unsupported-media-type"])
        #expect(rules("", "p: { explode: false }") == ["unsupported-media-type"])
    }

    private func encoded(_ type: String, _ property: String, _ encoding: String) -> Rendered {
        Rendered.operation(
            body:
                "\(type): { schema: { type: object, properties: { p: \(property) } }, encoding: { \(encoding) } }",
            responses: done)
    }

    private static let form = "application/x-www-form-urlencoded"

    @Test(arguments: [
        ("{ type: array, items: { type: string } }", "contentType: application/json", #", "p\tjson""#),
        ("{ type: string }", "contentType: 'Application/JSON; charset=utf-8'", #", "p\tjson""#),
        // Objects are JSON anyway.
        ("{ type: object }", "contentType: application/json", ""),
        ("{ type: string }", "allowReserved: true", #", "p\tformExploded\treserved""#),
        (
            "{ type: array, items: { type: string } }", "explode: false, allowReserved: true",
            #", "p\tform\treserved""#
        ),
        ("{ type: object }", "style: deepObject", #", "p\tdeepObject""#),
        ("{ type: string }", "contentType: text/plain", ""),
    ])
    func theEncodingOfAFormIsFollowed(property: String, encoding: String, argument: String) {
        let rendered = encoded(Self.form, property, "p: { \(encoding) }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("_request.formBody(body\(argument))\n"))
    }

    @Test func theMediaTypeOfAPartIsSent() {
        let text = encoded("multipart/form-data", "{ type: string }", "p: { contentType: application/sdp }")
        #expect(text.findings.isEmpty)
        #expect(text.contains(#"_p.text("p", self.p, "application/sdp")"#))
        let texts = encoded(
            "multipart/form-data", "{ type: array, items: { type: string } }", "p: { contentType: text/csv }")
        #expect(texts.contains(#"_p.texts("p", self.p, "text/csv")"#))
        let json = encoded(
            "multipart/form-data", "{ type: string }", "p: { contentType: 'application/json; v=1' }")
        #expect(json.contains(#"_p.json("p", self.p)"#))
        let plain = encoded("multipart/form-data", "{ type: string }", "p: { contentType: text/plain }")
        #expect(plain.contains(#"_p.text("p", self.p)"#))
    }

    @Test(arguments: [
        (form, "{ type: string }", "p: { contentType: text/csv }", "unsupported-media-type"),
        (form, "{ type: object }", "p: { contentType: application/xml }", "unsupported-media-type"),
        (form, "{ type: string }", "q: { style: form }", "ignored-keyword"),
        (form, "{ type: string }", "p: { contenttype: application/json }", "unknown-keyword"),
        // A style takes precedence.
        (
            form, "{ type: object }", "p: { style: deepObject, contentType: application/json }",
            "ignored-keyword"
        ),
        (
            form, "{ type: string }", "p: { allowReserved: true, contentType: text/plain }", "ignored-keyword"
        ),
        (
            form, "{ type: string }", "p: { headers: { X-A: { schema: { type: string } } } }",
            "ignored-keyword"
        ),
        ("application/json", "{ type: string }", "p: { contentType: text/plain }", "ignored-keyword"),
        (form, "{ type: string }", "p: { style: matrix }", "unsupported-media-type"),
        (form, "{ type: string }", "p: { style: deepobject }", "unsupported-media-type"),
        (
            "multipart/form-data", "{ type: object }", "p: { contentType: application/xml }",
            "unsupported-media-type"
        ),
        (
            "multipart/form-data", "{ type: string }", "p: { contentType: 'image/*' }",
            "unsupported-media-type"
        ),
        ("multipart/form-data", "{ type: string }", "p: { style: matrix }", "unsupported-media-type"),
        (
            "multipart/form-data", "{ type: string, format: binary }", "p: { style: deepObject }",
            "unsupported-media-type"
        ),
        (
            "multipart/form-data", "{ type: array, items: { type: string, format: binary } }",
            "p: { explode: false }", "unsupported-media-type"
        ),
        (
            "multipart/form-data", "{ type: string }", "p: { style: form, contentType: text/csv }",
            "ignored-keyword"
        ),
        (
            "multipart/form-data", "{ type: string }",
            "p: { headers: { Content-Disposition: { schema: { type: string } } } }", "ignored-keyword"
        ),
        (
            "multipart/form-data", "{ type: string }",
            "p: { headers: { 'a b': { schema: { type: string } } } }", "ignored-keyword"
        ),
    ])
    func anEncodingThatIsNotFollowedIsReported(type: String, property: String, encoding: String, rule: String)
    {
        #expect(encoded(type, property, encoding).rules == [rule])
    }

    @Test(arguments: [
        ("{ type: string }", "[String: String]", "_p.text(_name, _value)"),
        ("{ type: [string, 'null'] }", "[String: String]", "_p.text(_name, _value)"),
        ("{ type: array, items: { type: integer } }", "[String: [Int]]", "_p.texts(_name, _value)"),
        (
            "{ type: array, items: { type: object } }", "[String: [[String: JSONValue]]]",
            "_p.jsons(_name, _value)"
        ),
        ("{ type: string, format: binary }", "[String: MultipartFile]", "_p.file(_name, _value)"),
        (
            "{ type: array, items: { type: string, format: binary } }", "[String: [MultipartFile]]",
            "_p.files(_name, _value)"
        ),
        ("true", "[String: JSONValue]", "_p.value(_name, _value)"),
    ])
    func additionalPropertiesAreParts(additional: String, type: String, call: String) {
        let rendered = Rendered.operation(
            body:
                "multipart/form-data: { schema: { type: object, required: [p], properties: { p: { type: string } }, additionalProperties: \(additional) } }",
            responses: done)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public var additionalProperties: \(type)\n"))
        #expect(rendered.contains("init(p: String, additionalProperties: \(type) = [:]) {"))
        #expect(
            rendered.contains(
                #"for (_name, _value) in _p.additional(self.additionalProperties, ["p"]) { \#(call) }"#))
    }

    /// Without a boundary nobody could read it.
    @Test func aMapIsAFormOfParts() {
        let content =
            "multipart/form-data: { schema: { type: object, additionalProperties: { type: integer } } }"
        let required = Rendered.operation(body: content, responses: done)
        #expect(required.findings.isEmpty)
        #expect(required.contains("func op(_ body: [String: Int], options"))
        #expect(required.contains("_request.multipartFields(body)"))
        let optional = Rendered(
            paths:
                "/a: { post: { operationId: op, requestBody: { content: { \(content) } }, responses: { \(done) } } }"
        )
        #expect(optional.contains("func op(_ body: [String: Int]? = nil, options"))
        #expect(optional.contains("_request.multipartFields(body)"))
    }

    @Test func theEncodingOfAnAdditionalPartIsReported() {
        let rendered = Rendered.operation(
            body:
                "multipart/form-data: { schema: { type: object, properties: { p: { type: string } }, additionalProperties: { type: string } }, encoding: { q: { contentType: text/csv } } }",
            responses: done)
        #expect(rendered.rules == ["ignored-keyword"])
    }
}
