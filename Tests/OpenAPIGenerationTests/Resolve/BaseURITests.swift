import Testing

@testable import OpenAPIGeneration

/// What references are relative to: `$self`, `$id`, and the path of the file.
@Suite struct BaseURITests {
    private func run(_ files: [String: String]) -> Rendered {
        Rendered(files["api.yaml"] ?? "", path: "api.yaml", documents: MemoryDocuments(files: files))
    }

    private func head(_ own: String) -> String {
        "openapi: 3.2.0\n$self: \(own)\ninfo: { title: T, version: '1' }\n"
    }

    @Test func referencesAreRelativeToTheURIOfTheDocument() {
        let rendered = run([
            "api.yaml": head("https://example.com/v1/api.yaml") + """
                components:
                  schemas:
                    A:
                      type: object
                      properties:
                        own: { $ref: 'api.yaml#/components/schemas/C' }
                        absolute: { $ref: 'https://example.com/v1/api.yaml#/components/schemas/C' }
                        path: { $ref: '/v1/api.yaml#/components/schemas/C' }
                        identified: { $ref: schemas/b.json }
                    B: { $id: schemas/b.json, type: object, properties: { c: { $ref: '../api.yaml#/components/schemas/C' } } }
                    C: { type: object, properties: { d: { type: string } } }
                """
        ])
        #expect(rendered.findings == [], "\(rendered.printed)")
        for name in ["own", "absolute", "path", "c"] {
            #expect(rendered.contains("public var \(name): Test.C?"), "\(name)")
        }
        #expect(rendered.contains("public var identified: Test.B?"))
    }

    /// The URI of a document cannot be read; its files are where they were.
    @Test(arguments: ["https://example.com/v1/api.yaml", "/v1/api.yaml", "api.yaml", "'#'", "''"])
    func filesAreFoundBesideTheDocument(own: String) {
        let rendered = run([
            "api.yaml": head(own) + "components: { schemas: { A: { $ref: models/a.yml } } }",
            "models/a.yml": "type: object\nproperties: { b: { $ref: b.yml } }",
            "models/b.yml": "type: object\nproperties: { a: { $ref: '../api.yaml#/components/schemas/A' } }",
        ])
        #expect(rendered.findings == [], "\(rendered.printed)")
        #expect(rendered.contains("public var a: Test.A?"))
    }

    @Test func aRelativeURILeadsToFiles() {
        let rendered = run([
            "api.yaml": head("v2/api.yaml")
                + "components: { schemas: { A: { $ref: a.yml }, B: { $ref: b.yml } } }",
            "v2/a.yml": "type: object\nproperties: { second: { type: string } }",
            "a.yml": "type: object\nproperties: { first: { type: string } }",
            "b.yml": "type: object\nproperties: { beside: { type: string } }",
        ])
        #expect(rendered.findings == [], "\(rendered.printed)")
        #expect(rendered.contains("public var second: String?"))
        #expect(!rendered.contains("public var first: String?"))
        #expect(rendered.contains("public var beside: String?"))
    }

    @Test func otherFilesHaveURIs() {
        let rendered = run([
            "api.yaml": head("https://example.com/api.yaml") + """
                components:
                  schemas:
                    A: { $ref: models.yaml#/A }
                    B: { $ref: 'https://models.example/all#/B' }
                """,
            "models.yaml": """
            $self: https://models.example/all
            A: { type: object, properties: { b: { $ref: 'all#/B' }, c: { $ref: '#c' } } }
            B: { type: object, properties: { text: { type: string } } }
            C: { $anchor: c, type: object, properties: { number: { type: integer } } }
            """,
        ])
        #expect(rendered.findings == [], "\(rendered.printed)")
        #expect(rendered.contains("public var b: Test.B?"))
        #expect(rendered.contains("public var c: Test.C?"))
    }

    @Test(arguments: [
        "a", "schemas/a", "/schemas/a", "/schemas/a#", "https://example.com/a", "urn:example:a",
    ])
    func aSchemaWithAnIdentifierIsTheRootOfItsReferences(identifier: String) {
        let rendered = Rendered(
            schemas: """
                A:
                  $id: '\(identifier)'
                  type: object
                  properties: { i: { $ref: '#/$defs/I' }, n: { $ref: '#n' } }
                  $defs:
                    I: { type: object, properties: { a: { type: string } } }
                    N: { $anchor: n, type: object, properties: { b: { type: string } } }
                B: { $ref: '\(identifier)' }
                """)
        #expect(rendered.findings == [], "\(rendered.printed)")
        #expect(rendered.contains("public var i: Test.A.I?"))
        #expect(rendered.contains("public var n: Test.A.N?"))
        #expect(rendered.contains("typealias B = Test.A"))
    }

    /// JSON Schema 2020-12, section 8.2.2: a dynamic anchor is an anchor, too.
    @Test(arguments: ["", "$id: https://example.com/other"])
    func aDynamicAnchorIsAnAnchor(other: String) {
        let rendered = Rendered(
            schemas: """
                A: { type: object, properties: { b: { $ref: '#node' }, c: { $ref: '#both' } } }
                B: { $dynamicAnchor: node, $anchor: both, type: object, properties: { x: { type: string } } }
                C: { \(other) }
                """)
        #expect(rendered.findings == [], "\(rendered.printed)")
        #expect(rendered.contains("public var b: Test.B?"))
        #expect(rendered.contains("public var c: Test.B?"))
    }
}
