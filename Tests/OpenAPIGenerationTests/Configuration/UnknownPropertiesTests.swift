import Testing

@testable import OpenAPIGeneration

/// `unknownProperties` in the configuration.
@Suite struct UnknownPropertiesTests {
    private static let document = """
        openapi: 3.1.0
        info: { title: T, version: '1' }
        paths:
          /pets:
            put:
              operationId: put
              requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
              responses:
                '200': { description: d, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
                '404':
                  description: d
                  content: { application/json: { schema: { type: object, properties: { code: { type: string } } } } }
          /forms:
            post:
              operationId: form
              requestBody: { content: { multipart/form-data: { schema: { $ref: '#/components/schemas/Form' } } } }
              responses: { '204': { description: d } }
        components:
          schemas:
            Pet:
              type: object
              required: [id]
              properties:
                id: { type: string }
                home: { $ref: '#/components/schemas/Home' }
                closed: { $ref: '#/components/schemas/Closed' }
                open: { $ref: '#/components/schemas/Open' }
                typed: { $ref: '#/components/schemas/Typed' }
                kind: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { type: string }] }
            Home: { type: object, properties: { unknownProperties: { type: string }, a\\"b: { type: string } } }
            Closed: { type: object, properties: { x: { type: string } }, additionalProperties: false }
            Open: { type: object, properties: { x: { type: string } }, additionalProperties: true }
            Typed: { type: object, properties: { x: { type: string } }, additionalProperties: { type: integer } }
            Cat: { allOf: [{ $ref: '#/components/schemas/Animal' }, { type: object, properties: { lives: { type: integer } } }] }
            Animal: { type: object, properties: { name: { type: string } } }
            Form: { type: object, properties: { file: { type: string, format: binary }, x: { type: string } } }
        """

    private func run(_ configuration: String?, lock: String? = nil) -> Rendered {
        Rendered(Self.document, configuration: configuration, lock: lock)
    }

    @Test func byDefaultThereIsNoCodeForThem() {
        let rendered = run(nil)
        #expect(rendered.findings == [])
        #expect(!rendered.contains("UnknownProperties"))
        #expect(!rendered.contains("unknown("))
        #expect(run("unknownProperties: drop").source == rendered.source)
    }

    @Test func everyModelKeepsThem() {
        let rendered = run("unknownProperties: keep")
        #expect(rendered.findings == [])
        // Pet, Home, Cat, Animal and the failure's body.
        #expect(rendered.source.ranges(of: ": UnknownProperties\n").count == 5)
        #expect(rendered.contains("public var unknownProperties: UnknownProperties\n"))
        #expect(
            rendered.contains(
                """
                self.unknownProperties = try _o.unknown(["id", "closed", "home", "kind", "open", "typed"])
                """))
        #expect(
            rendered.contains(
                """
                _w.unknown(self.unknownProperties, ["id", "closed", "home", "kind", "open", "typed"])
                """))
        #expect(
            rendered.contains(
                "typed: Test.Typed? = nil, unknownProperties: UnknownProperties = UnknownProperties()) {"))
        // Where the document says something about other properties, the key has no effect.
        #expect(rendered.contains("public var additionalProperties: [String: JSONValue]"))
        #expect(rendered.contains("public var additionalProperties: [String: Int]"))
        #expect(rendered.contains("public init(x: String? = nil) {"))
        // A file is read once, and a form is only sent.
        #expect(rendered.contains("struct Form: MultipartBody"))
        #expect(rendered.contains("public init(file: MultipartFile? = nil, x: String? = nil) {"))
    }

    @Test func aPropertyOfTheDocumentKeepsItsName() {
        let rendered = run("unknownProperties: keep")
        #expect(rendered.contains("public var unknownProperties: String?\n"))
        #expect(rendered.contains("public var unknownProperties2: UnknownProperties\n"))
        #expect(
            rendered.contains(
                #"self.unknownProperties2 = try _o.unknown(["a\\\"b", "unknownProperties"])"#))
        #expect(
            rendered.output.names["property #/components/schemas/Home/unknownProperties"]
                == "unknownProperties2")
        let lock = """
            {"version": 1, "documents": {"Test.openapi.yaml": {"property #/components/schemas/Pet": {"unknownProperties": "rest"}}}}
            """
        #expect(run("unknownProperties: keep", lock: lock).contains("public var rest: UnknownProperties\n"))
    }

    @Test func aTypeOfTheDocumentGetsAnotherName() {
        let rendered = Rendered(
            schemas: "UnknownProperties: { type: object, properties: { x: { type: string } } }")
        #expect(rendered.contains("struct UnknownProperties_: JSONObjectCodable"))
    }

    @Test func oneSchemaWithTheTypesThatItUses() {
        let rendered = run("unknownProperties: { '#/components/schemas/Cat': keep }")
        #expect(rendered.findings == [])
        #expect(rendered.source.ranges(of: ": UnknownProperties\n").count == 1)
        let pet = run("unknownProperties: { /components/schemas/Pet: keep }")
        // Pet, Home and Cat.
        #expect(pet.source.ranges(of: ": UnknownProperties\n").count == 3)
    }

    @Test func equalInlineTypesStayApartWhereOneKeepsThem() {
        let schema = "{ type: object, properties: { x: { type: string } } }"
        let text = """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a:
                get:
                  operationId: a
                  responses: { '200': { description: d, content: { application/json: { schema: \(schema) } } } }
              /b:
                get:
                  operationId: b
                  responses: { '200': { description: d, content: { application/json: { schema: \(schema) } } } }
            """
        let place = "#/paths/~1b/get/responses/200/content/application~1json/schema"
        let rendered = Rendered(text, configuration: "unknownProperties: { '\(place)': keep }")
        #expect(rendered.findings == [])
        #expect(rendered.contains("struct BResponse"))
        #expect(rendered.source.ranges(of: ": UnknownProperties\n").count == 1)
        #expect(Rendered(text).contains("typealias BResponse"))
    }

    @Test func theyCompareLikeOtherProperties() {
        let rendered = run("unknownProperties: keep\nequality: hashable")
        #expect(rendered.contains("struct Pet: JSONObjectCodable, Hashable, Sendable"))
    }

    @Test(arguments: [
        (
            "unknownProperties: kept",
            "1:20: error: \"unknownProperties\" must be one of drop, keep, not \"kept\"; did you mean \"keep\"? [configuration]"
        ),
        (
            "unknownProperties: true",
            "1:20: error: \"unknownProperties\" must be a string or a mapping, found a boolean [configuration]"
        ),
        (
            "unknownProperties: { '#/components/schemas/Pet': drop }",
            "1:50: error: \"#/components/schemas/Pet\" must be one of keep, not \"drop\" [configuration]"
        ),
        (
            "unknownProperties: { '#/components/schemas/Pat': keep }",
            "1:22: warning: no generated type at \"#/components/schemas/Pat\" [configuration]"
        ),
        (
            "unknownProperties: { '#/components/schemas/Open': keep }",
            "1:22: warning: \"unknownProperties\" has no effect on \"#/components/schemas/Open\": it has no JSON object without \"additionalProperties\" [configuration]"
        ),
        (
            "unknownProperties: { '#/components/schemas/Form': keep }",
            "1:22: warning: \"unknownProperties\" has no effect on \"#/components/schemas/Form\": it has no JSON object without \"additionalProperties\" [configuration]"
        ),
    ])
    func wrongValuesHaveAPlace(text: String, expected: String) {
        #expect(run(text).printed == "c.yaml:\(expected)\n")
    }
}
