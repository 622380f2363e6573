import Testing

@testable import OpenAPIGeneration

/// `directions` in the configuration.
@Suite struct DirectionTests {
    private static let document = """
        openapi: 3.1.0
        info: { title: T, version: '1' }
        paths:
          /a:
            post:
              operationId: post
              requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/In' } } } }
              responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/Out' } } } } }
            put:
              operationId: put
              requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Both' } } } }
              responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/Both' } } } } }
          /form:
            post:
              operationId: form
              requestBody: { content: { multipart/form-data: { schema: { $ref: '#/components/schemas/Form' } } } }
              responses: { '204': { description: d } }
        components:
          schemas:
            In: &s
              type: object
              required: [r, w]
              properties: { r: { type: string, readOnly: true }, w: { type: string, writeOnly: true } }
            Out:
              type: object
              required: [r, w]
              properties:
                r: { type: string, readOnly: true }
                w: { type: string, writeOnly: true }
                union: { oneOf: [{ $ref: '#/components/schemas/Left' }, { type: string }] }
            Left: { type: object, properties: { x: { type: string } } }
            Both: *s
            Form: { type: object, properties: { file: { type: string, format: binary }, part: { $ref: '#/components/schemas/Part' } } }
            Part: { type: object, properties: { x: { type: string } } }
        """

    private func run(_ configuration: String?) -> Rendered {
        Rendered(Self.document, configuration: configuration)
    }

    @Test(arguments: [nil, "directions: pruned"])
    func typesArePrunedByDefault(configuration: String?) {
        let rendered = run(configuration)
        #expect(rendered.findings == [])
        #expect(rendered.contains("struct In: JSONObjectEncodable"))
        #expect(rendered.contains("struct Out: JSONObjectDecodable"))
        #expect(rendered.contains("struct Left: JSONObjectDecodable"))
        #expect(rendered.contains("enum Union: JSONDecodable"))
        #expect(rendered.contains("struct Both: JSONObjectCodable"))
        #expect(rendered.contains("struct Part: JSONObjectEncodable"))
    }

    @Test func aReferenceStandsForItsTarget() {
        let place = "'#/components/schemas/Form/properties/part'"
        let rendered = run("directions: { \(place): both }")
        #expect(rendered.findings == [])
        #expect(rendered.contains("struct Part: JSONObjectCodable"))
        #expect(rendered.contains("struct Out: JSONObjectDecodable"))
        #expect(
            run("names: { \(place): Piece }").printed
                == "c.yaml:1:10: warning: no generated type at \"#/components/schemas/Form/properties/part\": "
                + "it is a \"$ref\"; name \"#/components/schemas/Part\" [configuration]\n")
    }

    @Test func everyTypeIsReadAndWritten() {
        let rendered = run("directions: both")
        #expect(rendered.findings == [])
        for name in ["In", "Out", "Left", "Both", "Part"] {
            #expect(rendered.contains("struct \(name): JSONObjectCodable"), "\(name)")
        }
        #expect(rendered.contains("enum Union: JSONCodable"))
        // It has files.
        #expect(rendered.contains("struct Form: MultipartBody"))
    }

    /// What is required of a type is what its operations require: switching the key on changes no type of a property.
    @Test func propertiesOfOneDirectionAreOptionalWhereTheOtherIsUsed() {
        let rendered = run("directions: both")
        #expect(rendered.contains("public init(w: String, r: String? = nil) {"))
        #expect(rendered.contains("public init(r: String, union: Test.Out.Union? = nil, w: String? = nil) {"))
        #expect(rendered.contains("public init(r: String? = nil, w: String? = nil) {"))
    }

    @Test func oneSchemaWithTheTypesThatItUses() {
        let rendered = run("directions: { '#/components/schemas/Out': both }")
        #expect(rendered.findings == [])
        #expect(rendered.contains("struct Out: JSONObjectCodable"))
        #expect(rendered.contains("struct Left: JSONObjectCodable"))
        #expect(rendered.contains("enum Union: JSONCodable"))
        #expect(rendered.contains("struct In: JSONObjectEncodable"))
        let inner = run("directions: { /components/schemas/Out/properties/union: both }")
        #expect(inner.findings == [])
        #expect(inner.contains("enum Union: JSONCodable"))
        #expect(inner.contains("struct Out: JSONObjectDecodable"))
    }

    @Test func equalInlineTypesOfDifferentDirectionsStayApart() {
        let schema = "{ type: object, required: [r], properties: { r: { type: string, readOnly: true } } }"
        let paths = """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a:
                post:
                  operationId: a
                  requestBody: { content: { application/json: { schema: \(schema) } } }
                  responses: { '200': { description: d, content: { application/json: { schema: \(schema) } } } }
            """
        let rendered = Rendered(paths, configuration: "directions: both")
        #expect(rendered.contains("struct ABody: JSONObjectCodable"))
        #expect(rendered.contains("struct AResponse: JSONObjectCodable"))
        #expect(rendered.contains("public init(r: String? = nil) {"))
        #expect(rendered.contains("public init(r: String) {"))
    }

    @Test(arguments: [
        (
            "directions: all",
            "1:13: error: \"directions\" must be one of pruned, both, not \"all\" [configuration]"
        ),
        (
            "directions: bth",
            "1:13: error: \"directions\" must be one of pruned, both, not \"bth\"; did you mean \"both\"? [configuration]"
        ),
        (
            "directions: true",
            "1:13: error: \"directions\" must be a string or a mapping, found a boolean [configuration]"
        ),
        (
            "directions: [both]",
            "1:13: error: \"directions\" must be a string or a mapping, found an array [configuration]"
        ),
        (
            "directions:\n  '#/components/schemas/In': pruned",
            "2:30: error: \"#/components/schemas/In\" must be one of both, not \"pruned\" [configuration]"
        ),
        (
            "directions: { '#/components/schemas/Im': both }",
            "1:15: warning: no generated type at \"#/components/schemas/Im\" [configuration]"
        ),
    ])
    func wrongValuesHaveAPlace(text: String, expected: String) {
        #expect(run(text).printed == "c.yaml:\(expected)\n")
    }
}
