import Testing

@testable import OpenAPIGeneration

/// Keywords that the version of a document does not define.
@Suite struct KeywordVersionTests {
    private static let later: [(line: String, subject: String, effect: String)] = [
        ("const: x", "\"const\"", "it is applied"),
        ("type: [string, 'null']", "\"type\" with an array", "it is applied"),
        ("oneOf: [{ type: string }, { type: 'null' }]", "\"type\" with \"null\"", "it is applied"),
        ("exclusiveMinimum: 5", "\"exclusiveMinimum\" with a number", "it is applied"),
        ("prefixItems: [{ type: string }]", "\"prefixItems\"", "it is applied"),
        ("if: { required: [a] }", "\"if\"", "it is applied"),
        ("contains: { type: string }", "\"contains\"", "it is applied"),
        ("patternProperties: { '^x': { type: string } }", "\"patternProperties\"", "it is applied"),
        ("unevaluatedProperties: false", "\"unevaluatedProperties\"", "it is applied"),
        ("$defs: { a: { type: string } }", "\"$defs\"", "it is applied"),
        ("$id: https://example.com/a", "\"$id\"", "it is ignored"),
        ("examples: [a]", "\"examples\"", "it does not affect the generated code"),
    ]

    @Test(arguments: later)
    func aKeywordOfALaterVersionIsReported(line: String, subject: String, effect: String) {
        let schemas = "A: { properties: { b: { \(line) } } }"
        let rendered = Rendered(schemas: schemas, version: "3.0.3")
        #expect(
            rendered.output.diagnostics.map(\.message) == [
                "\(subject) requires OpenAPI 3.1 or later, and the document declares 3.0; \(effect)"
            ])
        #expect(rendered.rules == ["unknown-keyword"])
        #expect(Rendered(schemas: schemas).findings.isEmpty)
        #expect(Rendered(schemas: schemas, version: "3.2.0").findings.isEmpty)
    }

    @Test(arguments: ["3.1.0", "3.2.0"])
    func aKeywordOfAnEarlierVersionIsReported(version: String) {
        for (line, subject) in [
            ("nullable: true", "\"nullable\""),
            ("minimum: 1, exclusiveMinimum: true", "\"exclusiveMinimum\" with true"),
            ("maximum: 1, exclusiveMaximum: true", "\"exclusiveMaximum\" with true"),
        ] {
            let schemas = "A: { properties: { b: { type: integer, \(line) } } }"
            let rendered = Rendered(schemas: schemas, version: version)
            #expect(
                rendered.output.diagnostics.map(\.message) == [
                    "\(subject) requires OpenAPI 3.0 or earlier, and the document declares \(version.prefix(3)); it is applied"
                ])
            #expect(Rendered(schemas: schemas, version: "3.0.3").findings.isEmpty)
        }
    }

    @Test(arguments: [
        "nullable: false", "exclusiveMinimum: false", "exclusiveMaximum: false",
    ])
    func aFlagThatIsNotSetIsNotReported(line: String) {
        #expect(Rendered(schemas: "A: { type: integer, \(line) }").findings.isEmpty)
    }

    @Test func aKeywordIsReportedOnceWithTheNumberOfItsPlaces() {
        let rendered = Rendered(
            schemas: """
                A: { type: object, properties: { a: { type: string, nullable: true } } }
                B: { type: string, nullable: true }
                C: { type: array, items: { type: string, nullable: true } }
                """)
        #expect(rendered.findings == ["5:57 warning unknown-keyword"])
        #expect(rendered.printed.contains("it is applied; found in 3 places"))
        #expect(rendered.contains("public var a: Field<String>"))
    }

    @Test func keywordsOfOtherObjectsHaveVersions() {
        let paths = """
            /a:
              query: { operationId: op, responses: { '200': { summary: s, description: d, content: { text/event-stream: { itemSchema: { type: object } } } } } }
            """
        let rendered = Rendered(paths: paths)
        #expect(rendered.rules == ["unknown-keyword", "unknown-keyword", "unknown-keyword"])
        #expect(rendered.printed.contains("\"query\" requires OpenAPI 3.2 or later"))
        #expect(rendered.contains("func op("))
        #expect(Rendered(paths: paths, version: "3.2.0").findings.isEmpty)
    }

    @Test func aKeywordOfSeveralObjectsIsReportedForEachEffect() {
        let rendered = Rendered(
            "openapi: 3.0.3\ninfo: { title: T, version: '1', summary: s }\ntags: [{ name: a, summary: s }]\npaths: {}\n"
        )
        #expect(rendered.findings == ["2:33 warning unknown-keyword", "3:19 warning unknown-keyword"])
        #expect(rendered.printed.contains("3.0; it is applied"))
        #expect(rendered.printed.contains("3.0; it does not affect the generated code"))
    }

    /// Names of properties and values of examples are not keywords.
    @Test func namesAreNotKeywords() {
        let rendered = Rendered(
            schemas: "A: { properties: { const: { type: string } }, example: { const: 1, nullable: true } }",
            version: "3.0.3")
        #expect(rendered.findings.isEmpty)
    }
}
