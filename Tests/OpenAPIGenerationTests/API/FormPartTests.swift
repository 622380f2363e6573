import Testing

@testable import OpenAPIGeneration

/// Parts of forms whose names match patterns, and files whose schemas have no type.
@Suite struct FormPartTests {
    private func rendered(_ schema: String, encoding: String = "", version: String = "3.1.0") -> Rendered {
        Rendered(
            paths: """
                /a:
                  post:
                    operationId: op
                    requestBody: { required: true, content: { multipart/form-data: { schema: \(schema)\(encoding) } } }
                    responses: { '204': { description: done } }
                """, version: version)
    }

    @Test func partsOfPatternsAreChecked() throws {
        let rendered = rendered(
            "{ type: object, properties: { p: { type: string } }, patternProperties: { '^f': { type: string, format: binary }, '^n': { type: integer } }, additionalProperties: { type: boolean } }"
        )
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        #expect(rendered.contains("public var patternProperties: [String: MultipartFile]\n"))
        #expect(rendered.contains("public var patternProperties2: [String: Int]\n"))
        #expect(rendered.contains("public var additionalProperties: [String: Bool]\n"))
        #expect(rendered.contains(#"private static let _patterns = NamePatterns("^f\n^n")"#))
        for (call, write) in [
            (#"_p.matching(self.patternProperties, ["p"], Self._patterns, 0)"#, "_p.file(_name, _value)"),
            (#"_p.matching(self.patternProperties2, ["p"], Self._patterns, 1)"#, "_p.text(_name, _value)"),
            (#"_p.unmatched(self.additionalProperties, ["p"], Self._patterns)"#, "_p.text(_name, _value)"),
        ] {
            let loops = rendered.source.split(separator: "for (_name, _value) in \(call) {")
            let loop = try #require(loops.dropFirst().first)
            #expect(loop.drop { $0.isWhitespace }.hasPrefix(write))
        }
    }

    @Test func aFormCanHavePatternsAlone() {
        let rendered = rendered(
            "{ type: object, patternProperties: { '^f': { type: string, format: binary } }, additionalProperties: false }"
        )
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        #expect(rendered.contains("_request.multipartBody(body)"))
        #expect(rendered.contains("_p.matching(self.patternProperties, [], Self._patterns, 0)"))
    }

    @Test(arguments: [
        ("{ contentMediaType: image/png }", "MultipartFile?", #"_p.file("p", self.p, "image/png")"#),
        ("{ $ref: '#/components/schemas/Image' }", "MultipartFile?", #"_p.file("p", self.p, "image/png")"#),
        (
            "{ type: array, items: { contentMediaType: application/pdf } }", "[MultipartFile]?",
            #"_p.files("p", self.p, "application/pdf")"#
        ),
        // Text and JSON are not bytes.
        ("{ contentMediaType: application/json }", "JSONValue?", #"_p.value("p", self.p)"#),
        ("{ type: string, contentMediaType: text/html }", "String?", #"_p.text("p", self.p)"#),
        (
            "{ type: string, contentMediaType: image/png, contentEncoding: base64 }", "Base64Data?",
            #"_p.text("p", self.p, "image/png")"#
        ),
    ])
    func aMediaTypeWithoutATypeIsAFile(schema: String, type: String, call: String) {
        let rendered = Rendered(
            paths: """
                /a:
                  post:
                    operationId: op
                    requestBody: { required: true, content: { multipart/form-data: { schema: { type: object, properties: { p: \(schema) } } } } }
                    responses: { '204': { description: done } }
                """, rest: "components: { schemas: { Image: { contentMediaType: image/png } } }")
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        #expect(rendered.contains("public var p: \(type)\n"), "\(rendered.source)")
        #expect(rendered.contains(call), "\(rendered.source)")
    }

    @Test func theEncodingOfAFileHasItsMediaType() {
        let rendered = rendered(
            "{ type: object, properties: { p: { contentMediaType: image/png } } }",
            encoding: ", encoding: { p: { contentType: image/jpeg } }")
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        #expect(rendered.contains(#"_p.file("p", self.p, "image/jpeg")"#))
    }

    /// The default of `contentType` of such a text, and its transfer encoding.
    @Test(arguments: [
        ("{ type: string, contentEncoding: base64 }", "", "text", "application/octet-stream"),
        ("{ $ref: '#/components/schemas/Bytes' }", "", "text", "application/octet-stream"),
        ("{ type: [string, 'null'], contentEncoding: base64 }", "", "text", "application/octet-stream"),
        (
            "{ type: array, items: { type: string, contentEncoding: base64 } }", "", "texts",
            "application/octet-stream"
        ),
        (
            "{ type: string, contentEncoding: base64 }", ", encoding: { p: { contentType: image/png } }",
            "text", "image/png"
        ),
        (
            "{ type: string, contentEncoding: base64 }",
            ", encoding: { p: { headers: { X-A: { schema: { const: a } } } } }", "text",
            "application/octet-stream"
        ),
    ])
    func anEncodedTextHasItsTransferEncoding(
        schema: String, encoding: String, method: String, type: String
    ) {
        func rendered(_ version: String) -> Rendered {
            Rendered(
                paths: """
                    /a:
                      post:
                        operationId: op
                        requestBody: { required: true, content: { multipart/form-data: { schema: { type: object, properties: { p: \(schema) } }\(encoding) } } }
                        responses: { '204': { description: done } }
                    """,
                rest: "components: { schemas: { Bytes: { type: string, contentEncoding: base64 } } }",
                version: version)
        }
        for version in ["3.1.0", "3.2.0"] {
            let rendered = rendered(version)
            #expect(rendered.findings.isEmpty, "\(rendered.printed)")
            #expect(rendered.contains(#"_p.field("p", "Content-Transfer-Encoding", "base64")"#))
            #expect(rendered.contains(#"_p.\#(method)("p", self.p, "\#(type)")"#), "\(rendered.source)")
        }
        #expect(!rendered("3.0.3").contains("Content-Transfer-Encoding"))
    }

    @Test(arguments: ["base16", "base32", "base64", "base64url", "quoted-printable"])
    func eachEncodingOfTextIsATransferEncoding(name: String) {
        let rendered = Rendered(
            paths: """
                /a:
                  post:
                    operationId: op
                    requestBody: { required: true, content: { multipart/form-data: { schema: { type: object, properties: { p: { type: string, contentEncoding: \(name) } } } } } }
                    responses: { '204': { description: done } }
                """, version: "3.2.0")
        #expect(rendered.contains("_p.field(\"p\", \"Content-Transfer-Encoding\", \"\(name)\")"))
        #expect(rendered.contains("(\"p\", self.p, \"application/octet-stream\")"))
    }

    /// A file can contain any of the texts; a string cannot have the bytes of a file.
    @Test(arguments: [
        "{ type: string }", "{ type: string, format: date }", "{ type: string, enum: [none] }",
        "{ const: none }",
    ])
    func aFileOrATextIsAFile(other: String) {
        let rendered = rendered(
            "{ type: object, properties: { p: { oneOf: [{ type: string, format: binary }, \(other)] } } }")
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        #expect(rendered.contains("public var p: MultipartFile?\n"))
        #expect(rendered.contains(#"_p.file("p", self.p)"#))
    }

    @Test func requiredHeadersAndHeadersInJSON() {
        let header = "required: true, schema: { type: integer }"
        let json =
            "content: { application/json: { schema: { type: object, properties: { a: { type: integer } } } } }"
        let rendered = rendered(
            "{ type: object, required: [r], properties: { r: { type: string, format: binary }, p: { type: string, format: binary } } }",
            encoding:
                ", encoding: { r: { headers: { X-A: { \(header) }, X-J: { \(json) } } }, p: { headers: { X-A: { \(header) }, X-J: { required: true, \(json) } } } }"
        )
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        #expect(rendered.contains("public var rXA: Int\n"))
        #expect(rendered.contains("public var pXA: Int?\n"))
        #expect(rendered.contains(#"_p.field("r", "X-A", self.rXA)"#))
        // The part itself is optional.
        #expect(rendered.contains(#"_p.field("p", "X-A", self.pXA, isRequired: true)"#))
        #expect(rendered.contains(#"_p.fieldJSON("r", "X-J", self.rXJ)"#))
        #expect(rendered.contains(#"_p.fieldJSON("p", "X-J", self.pXJ, isRequired: true)"#))
        #expect(!rendered.contains("public var rXJ: String?"))
    }
}
