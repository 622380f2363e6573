import Testing

@testable import OpenAPIGeneration

@Suite struct KeywordCheckTests {
    /// The fixed fields of each object, from the tables of OpenAPI 3.0.4 and 3.1.1.
    static let specification: [(ObjectKind, String)] = [
        (
            .document,
            "openapi info jsonSchemaDialect servers paths webhooks components security tags externalDocs"
        ),
        (.info, "title summary description termsOfService contact license version"),
        (.server, "url description variables"), (.serverVariable, "enum default description"),
        (
            .components,
            "schemas responses parameters examples requestBodies headers securitySchemes links callbacks pathItems"
        ),
        (.tag, "name description externalDocs"),
        (
            .pathItem,
            "$ref summary description get put post delete options head patch trace servers parameters"
        ),
        (
            .operation,
            """
            tags summary description externalDocs operationId parameters requestBody responses callbacks \
            deprecated security servers
            """
        ),
        (
            .parameter,
            """
            name in description required deprecated allowEmptyValue style explode allowReserved schema example \
            examples content
            """
        ),
        (.requestBody, "description content required"), (.mediaType, "schema example examples encoding"),
        (.encoding, "contentType headers style explode allowReserved"),
        (.response, "description headers content links"),
        (.header, "description required deprecated style explode schema example examples content"),
        (.link, "operationRef operationId parameters requestBody description server"),
        (.discriminator, "propertyName mapping"),
        (
            .securityScheme,
            "type description name in scheme bearerFormat flows openIdConnectUrl oauth2MetadataUrl deprecated"
        ),
        (.flows, "implicit password clientCredentials authorizationCode deviceAuthorization"),
        (.flow, "authorizationUrl deviceAuthorizationUrl tokenUrl refreshUrl scopes"),
        (
            .schema,
            """
            $schema $vocabulary $id $ref $anchor $dynamicRef $dynamicAnchor $defs $comment allOf anyOf oneOf \
            not if then else dependentSchemas prefixItems items contains properties patternProperties \
            additionalProperties propertyNames unevaluatedItems unevaluatedProperties type enum const \
            multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems \
            minItems uniqueItems maxContains minContains maxProperties minProperties required \
            dependentRequired title description default deprecated readOnly writeOnly examples format \
            contentEncoding contentMediaType contentSchema nullable discriminator xml externalDocs example
            """
        ),
    ]

    @Test(arguments: specification)
    func everyKeywordOfTheSpecificationHasAUse(kind: ObjectKind, words: String) {
        let known = KeywordTable.keywords(of: kind)
        for word in words.split(separator: " ") {
            #expect(known[String(word)] != nil, "\(kind.name): \(word)")
        }
    }

    @Test func keywordsThatAreReadAreNotIgnored() {
        let known = KeywordTable.keywords(of: .schema)
        let words = Applicator.allCases.map(\.rawValue) + Bound.allCases.map(\.rawValue)
        for word in words + ["contentEncoding", "contentMediaType"] {
            #expect(known[word]?.isRead == true, "\(word)")
        }
    }

    @Test func everyKindHasATable() {
        #expect(Self.specification.count == ObjectKind.allCases.count)
        for kind in ObjectKind.allCases { #expect(!KeywordTable.keywords(of: kind).isEmpty) }
    }

    @Test(arguments: [("$dynamicRef", "'#node'")])
    func schemaKeywordsWithoutAShapeAreReported(keyword: String, value: String) {
        let rendered = Rendered(schemas: "A:\n  type: object\n  \(keyword): \(value)")
        #expect(rendered.findings == ["7:7 warning unsupported-schema"])
        #expect(rendered.output.diagnostics.first?.message.contains("\"\(keyword)\"") == true)
    }

    /// It is read as `items`, unless it is not known which elements other schemas evaluate.
    @Test func unevaluatedItemsAreItemsOrReported() {
        let plain = Rendered(
            schemas:
                "A: { type: object, properties: { a: { type: array, unevaluatedItems: { type: string } } } }")
        #expect(plain.findings.isEmpty, "\(plain.printed)")
        #expect(plain.contains("public var a: [String]?\n"))
        for other in ["allOf: [{ minItems: 1 }]", "contains: { type: string }"] {
            let rendered = Rendered(schemas: "A:\n  type: array\n  \(other)\n  unevaluatedItems: false")
            #expect(rendered.findings == ["8:25 warning unsupported-schema"], "\(rendered.printed)")
        }
    }

    @Test(arguments: ["unevaluatedItems: true", "dependentRequired: {}", "prefixItems: []", "x-own: 1"])
    func whatSaysNothingIsNotReported(line: String) {
        #expect(Rendered(schemas: "A:\n  type: object\n  \(line)").findings.isEmpty)
    }

    @Test func aMisspelledKeywordIsReportedWithTheOneThatWasMeant() {
        let rendered = Rendered(schemas: "A:\n  type: object\n  propertys: { b: { typ: string } }")
        #expect(rendered.findings == ["7:7 warning unknown-keyword"])
        #expect(
            rendered.output.diagnostics.first?.message
                == "unknown keyword \"propertys\" in a schema; did you mean \"properties\"?")
    }

    /// What the service may send as well cannot be decoded.
    @Test(arguments: [
        ("date-time", "2024-01-31 12:00"), ("date-time", "31.01.2024"), ("date-time", "2024-01-31"),
        ("date-time", "2024-01-31T12:00:00"), ("date", "2024-1-31"), ("date", "2024-01-31T00:00:00Z"),
    ])
    func anExampleOfADateInAnotherFormIsReported(format: String, text: String) {
        for keyword in ["example: '\(text)'", "examples: ['\(text)']", "default: '\(text)'"] {
            let schema = "A: { type: [string, 'null'], format: \(format), \(keyword) }"
            let rendered = Rendered(schemas: schema)
            #expect(rendered.rules == ["unsupported-schema"])
            #expect(rendered.printed.contains("set \"formats: { \(format): String }\" in the configuration"))
            let configured = Rendered(
                "openapi: 3.1.0\ninfo: { title: T, version: '1' }\ncomponents: { schemas: { \(schema) } }",
                configuration: "formats: { \(format): String }")
            #expect(configured.findings.isEmpty)
        }
    }

    @Test(arguments: [
        ("date-time", "2024-01-31T12:00:00Z"), ("date-time", "2024-01-31t12:00:00.123456789+02:00"),
        ("date-time", "2024-01-31 12:00:00z"), ("date", "2024-01-31"), ("time", "noon"),
    ])
    func anExampleOfADateIsNotReported(format: String, text: String) {
        #expect(
            Rendered(schemas: "A: { type: string, format: \(format), example: '\(text)' }").findings.isEmpty)
    }

    @Test func aPropertyMayHaveAnyName() {
        let rendered = Rendered(
            schemas: "A:\n  type: object\n  properties: { x-a: { typ: string }, not: { type: string } }")
        #expect(rendered.findings == ["7:28 warning unknown-keyword"])
    }

    @Test func linksAreReported() {
        let rendered = Rendered(
            paths: """
                /a:
                  x-own: 1
                  post:
                    callbacks: { done: { '{$request.body#/url}': { post: { responses: {} } } } }
                    requestBody:
                      required: true
                      content:
                        application/x-www-form-urlencoded:
                          schema: { type: object, properties: { b: { type: string } } }
                          encoding: { b: { style: deepObject } }
                    responses:
                      x-own: 1
                      '204': { description: Done., links: { next: { operationId: a } } }
                """)
        #expect(
            rendered.findings == [
                "16:47 warning unsupported-operation"
            ])
        #expect(
            rendered.output.diagnostics.last?.message
                == "the link \"next\" cannot be resolved: no such operation \"a\"")
    }

    @Test func whatStandsBesideAReferenceIsReported() {
        let text =
            "A: { type: string }\nB: { type: object, properties: { a: { $ref: '#/components/schemas/A', "
        let nullable = text + "description: Words., nullable: true } } }"
        #expect(Rendered(schemas: nullable, version: "3.0.3").rules == ["ignored-keyword"])
        // OpenAPI 3.1 reads a schema's, and does not define this one.
        #expect(Rendered(schemas: nullable).rules == ["unknown-keyword"])
        let paths = Rendered(
            paths: "/a: { $ref: '#/components/pathItems/P', get: { responses: {} } }",
            rest: "components: { pathItems: { P: { } } }")
        #expect(paths.rules == ["ignored-keyword"])
    }

    @Test func aLessPreferredMediaTypeIsNotAWarning() {
        let rendered = Rendered(
            paths: """
                /a:
                  get:
                    operationId: listA
                    responses:
                      '200':
                        description: All.
                        content:
                          application/xml: { schema: { type: string } }
                          application/json: { schema: { type: string } }
                """)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("\"application/json\""))
        #expect(!rendered.contains("application/xml"))
    }

    @Test func headersThatCannotBeReadAreReported() {
        let rendered = Rendered(
            paths: """
                /a:
                  get:
                    responses:
                      '204': { description: Done. }
                      '429':
                        description: Too many.
                        headers:
                          X-Deep: { schema: { type: array, items: { type: array, items: { type: string } } } }
                """)
        #expect(rendered.findings == ["11:31 warning unsupported-parameter"])
    }

    @Test(arguments: ["/ä", "/a b", "/a/{b", "/a/b}"])
    func aPathThatCannotBeSentIsReported(path: String) {
        let rendered = Rendered(paths: "'\(path)':\n  get: { responses: { '204': { description: Done. } } }")
        #expect(rendered.findings == ["4:3 warning unsupported-operation"])
        #expect(!rendered.contains("func get"))
    }

    @Test func aStyleOfAnotherPlaceIsReported() {
        let rendered = Rendered(
            paths: """
                /a:
                  get:
                    parameters:
                      - { name: q, in: query, style: matrix, schema: { type: string } }
                    responses: { '204': { description: Done. } }
                """)
        #expect(rendered.findings == ["7:40 warning unsupported-parameter"])
        #expect(rendered.contains("query(\"q\", q)"))
    }
}
