import Testing

@testable import OpenAPIGeneration

/// Each keyword of the Schema, Encoding, Media Type, Parameter and Response Objects of OpenAPI 3.0, 3.1 and 3.2 changes
/// what is generated, is reported at its place, or is an annotation. The lists are from the specifications.
@Suite struct KeywordEffectTests {
    /// One keyword with a value that has an effect, by object.
    static let keywords: [(object: String, lines: String)] = [
        (
            "object",
            """
            required: [a]
            properties: { b: { type: string } }
            patternProperties: { '^x': { type: string } }
            propertyNames: { pattern: '^a' }
            dependentRequired: { a: [b] }
            dependentSchemas: { a: { required: [b] } }
            minProperties: 1
            maxProperties: 3
            allOf: [{ properties: { b: { type: string } } }]
            oneOf: [{ $ref: '#/components/schemas/One' }, { type: string }]
            anyOf: [{ $ref: '#/components/schemas/One' }, { type: string }]
            not: { required: [b] }
            nullable: true
            $dynamicRef: '#node'
            discriminator: { propertyName: a, mapping: { x: One } }
            """
        ),
        (
            "string",
            """
            type: integer
            enum: [x, y]
            const: x
            format: uuid
            minLength: 1
            maxLength: 3
            pattern: '^a'
            contentEncoding: base64
            description: Words.
            deprecated: true
            readOnly: true
            writeOnly: true
            default: x
            $ref: '#/components/schemas/One'
            """
        ),
        (
            "number",
            """
            multipleOf: 2
            minimum: 1
            maximum: 3
            exclusiveMinimum: 1
            exclusiveMaximum: 3
            """
        ),
        (
            "array",
            """
            items: { type: integer }
            prefixItems: [{ type: integer }]
            contains: { type: integer }
            unevaluatedItems: false
            minItems: 1
            maxItems: 3
            uniqueItems: true
            """
        ),
        (
            "mediaType",
            """
            schema: { $ref: '#/components/schemas/One' }
            itemSchema: { type: string }
            encoding: { a: { contentType: text/plain } }
            prefixEncoding: [{ contentType: text/plain }]
            itemEncoding: { contentType: text/plain }
            """
        ),
        (
            "encoding",
            """
            contentType: application/xml
            headers: { X-A: { schema: { type: string } } }
            style: spaceDelimited
            explode: false
            allowReserved: true
            encoding: { b: { contentType: text/plain } }
            prefixEncoding: [{ contentType: text/plain }]
            itemEncoding: { contentType: text/plain }
            """
        ),
        (
            "parameter",
            """
            description: Words.
            required: true
            deprecated: true
            style: spaceDelimited
            explode: false
            allowReserved: true
            """
        ),
        (
            "response",
            """
            headers: { X-A: { schema: { type: string } } }
            content: { application/json: { schema: { type: string } } }
            links: { next: { operationId: none } }
            """
        ),
    ]

    /// Keywords that change no value and no call, with the reason.
    static let annotations: [(object: String, lines: String, reason: String)] = [
        ("object", "additionalProperties: false", "more members of a response are read over"),
        ("object", "unevaluatedProperties: false", "more members of a response are read over"),
        ("string", "contentMediaType: application/octet-stream", "the text is kept; in a form, it is a file"),
        ("string", "title: Words", "for readers; a branch is named by it"),
        ("response", "description: Words.", "for readers; a failure is described by it"),
        ("object", "$schema: https://example.com/s", "the dialect of the document is used"),
        ("object", "$vocabulary: {}", "for authors of dialects"),
        ("object", "$comment: Words.", "for authors"), ("object", "$id: https://example.com/i", "a name"),
        ("object", "$anchor: node", "a name"), ("object", "$dynamicAnchor: node", "a name"),
        ("object", "$defs: {}", "what is in it is used by reference"),
        ("object", "example: {}", "for readers"), ("object", "examples: [{}]", "for readers"),
        ("object", "externalDocs: { url: https://example.com }", "for readers"),
        ("object", "xml: { name: a }", "XML is not decoded; it is sent as text or bytes"),
        ("object", "if: { required: [b] }", "without effect without \"then\" and \"else\""),
        ("object", "then: { required: [b] }", "without effect without \"if\", which is reported"),
        ("object", "else: { required: [b] }", "without effect without \"if\", which is reported"),
        ("array", "minContains: 1", "without effect without \"contains\", which is reported"),
        ("array", "maxContains: 3", "without effect without \"contains\", which is reported"),
        ("string", "contentSchema: { type: object }", "the text is kept as it is"),
        ("mediaType", "example: {}", "for readers"), ("mediaType", "examples: {}", "for readers"),
        ("parameter", "allowEmptyValue: true", "an empty value can be sent with and without it"),
        ("parameter", "example: x", "for readers"), ("parameter", "examples: {}", "for readers"),
        ("response", "summary: Words.", "for readers; the description is generated"),
    ]

    static func document(_ object: String, _ line: String) -> String {
        func own(_ name: String) -> String { object == name ? ", " + line : "" }
        func schema(_ name: String, _ text: String) -> String {
            // The keyword replaces the same one.
            let isOwn = object == name
            let key = line.prefix { $0 != ":" }
            let kept = text.split(separator: "; ").filter { !isOwn || $0.prefix { $0 != ":" } != key }
            return "{ " + (kept.map { String($0) } + (isOwn ? [line] : [])).joined(separator: ", ") + " }"
        }
        let form = object == "encoding" ? "application/x-www-form-urlencoded" : "application/json"
        let kind =
            ["prefixEncoding", "itemEncoding"].contains { line.hasPrefix($0) } ? "multipart/mixed" : form
        return """
            openapi: 3.2.0
            info: { title: T, version: '1' }
            paths:
              /a:
                post:
                  operationId: send
                  parameters: [\(schema("parameter", "name: q; in: query; schema: { type: array, items: { type: string } }"))]
                  requestBody: { required: true, content: { \(kind): \(schema("mediaType", "schema: { $ref: '#/components/schemas/Form' }\(object == "encoding" ? "; encoding: { a: { \(line) } }" : "")")) } }
                  responses: { '200': \(schema("response", "description: Done.")) }
              /b:
                put:
                  operationId: put
                  requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }
                  responses: { '200': { description: Done., content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } } }
            components:
              schemas:
                One: { type: object, required: [c], properties: { c: { type: string } } }
                Form: { type: object, properties: { a: { type: array, items: { type: string } } } }
                O: \(schema("object", "type: object; properties: { a: { type: string } }"))
                A: { type: object, required: [o, s, n, l], properties: { o: { $ref: '#/components/schemas/O' }, s: \(schema("string", "type: string")), n: \(schema("number", "type: integer")), l: \(schema("array", "type: array")) } }
            """
    }

    private func rendered(_ object: String, _ line: String) -> Rendered {
        Rendered(Self.document(object, line), configuration: "validation: requests")
    }

    @Test(arguments: keywords)
    func aKeywordHasAnEffectOrIsReported(object: String, lines: String) {
        let plain = rendered("", "")
        for line in lines.split(separator: "\n").map({ String($0) }) {
            let own = rendered(object, line)
            let isReported = own.rules.count > plain.rules.count
            #expect(own.source != plain.source || isReported, "\(object): \(line)")
        }
    }

    @Test(arguments: annotations)
    func anAnnotationChangesNothing(object: String, line: String, reason: String) {
        #expect(!rendered(object, line).output.hasErrors, "\(line): \(reason)")
    }
}
