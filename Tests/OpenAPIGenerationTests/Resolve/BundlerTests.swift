import Testing

@testable import OpenAPIGeneration

/// Files by path, for documents that refer to others.
struct MemoryDocuments: DocumentSource {
    var files: [String: String]

    func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        guard let text = files[path] else {
            throw .error(.unreadableFile, "no such file", at: nil)
        }
        return Array(text.utf8)
    }
}

@Suite struct BundlerTests {
    private func run(_ files: [String: String]) -> Rendered {
        Rendered(files["api.yaml"] ?? "", path: "api.yaml", documents: MemoryDocuments(files: files))
    }

    private let head = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\n"

    @Test func schemasOfOtherFilesAreTypesOfTheirNames() {
        let rendered = run([
            "api.yaml": head + """
                paths:
                  /pets: { $ref: paths/pets.json }
                components:
                  schemas:
                    Owner: { $ref: 'models/owner.yml' }
                """,
            "paths/pets.json": """
            {"get": {"operationId": "listPets", "parameters": [{"$ref": "../common.yml#/parameters/limit"}],
             "responses": {"200": {"description": "d", "content": {"application/json":
              {"schema": {"type": "array", "items": {"$ref": "../models/pet.yml"}}}}},
              "404": {"$ref": "../common.yml#/responses/not%20found"}}}}
            """,
            "common.yml": """
            parameters: { limit: { name: limit, in: query, schema: { type: integer } } }
            responses:
              not found:
                description: gone
                content: { application/json: { schema: { $ref: '#/definitions/a~1b' } } }
            definitions: { a/b: { type: object, properties: { code: { type: integer } } } }
            """,
            "models/pet.yml": """
            type: object
            required: [id]
            properties:
              id: { type: integer }
              owner: { $ref: owner.yml }
              tag: { $ref: './tag.yml#/Tag' }
            """,
            "models/owner.yml":
                "type: object\nproperties: { pets: { type: array, items: { $ref: pet.yml } }, best: { $ref: 'pet.yml#/properties/tag' } }",
            "models/tag.yml": "Tag: { type: object, properties: { name: { type: string } } }",
        ])
        #expect(rendered.findings == [])
        #expect(rendered.contains("struct Pet: JSONObject"))
        #expect(rendered.contains("struct Owner: JSONObject"))
        #expect(!rendered.contains("Owner2"))
        #expect(rendered.contains("public var pets: [Test.Pet]?"))
        #expect(rendered.contains("public var owner: Test.Owner?"))
        #expect(rendered.contains("public var best: Test.Tag?"))
        #expect(rendered.contains("struct AB: JSONObject"))
        #expect(rendered.contains("func listPets(limit: Int? = nil"))
        #expect(rendered.contains("case notFound(Test.AB)"))
    }

    /// The only reference to another file is where a name is that of a keyword.
    @Test(arguments: [
        "paths: { /a: { get: { responses: { default: { $ref: 'e.yaml#/E' } } } } }",
        "components: { responses: { example: { $ref: 'e.yaml#/E' } } }",
        "components: { schemas: { default: { $ref: 'e.yaml#/P' } } }",
        "components: { schemas: { A: { type: object, properties: { const: { $ref: 'e.yaml#/P' } } } } }",
        "webhooks: { examples: { $ref: 'e.yaml#/W' } }",
    ])
    func namesOfKeywordsAreFollowed(text: String) {
        let rendered = run([
            "api.yaml": head + text,
            "e.yaml": """
            E: { description: d, content: { application/json: { schema: { $ref: '#/P' } } } }
            P: { type: object, properties: { message: { type: string } } }
            W: { post: { requestBody: { content: { application/json: { schema: { $ref: '#/P' } } } } } }
            """,
        ])
        #expect(rendered.findings == [])
        #expect(rendered.output.sources.count == 2)
    }

    @Test func anExampleIsNoReference() {
        let rendered = run([
            "api.yaml": head + """
                components:
                  schemas:
                    A: { type: object, example: { $ref: nowhere.yaml, $id: 'b.yaml', $anchor: here } }
                    B: { type: object, $anchor: here, properties: { b: { type: string } } }
                    C: { type: object, properties: { c: { $ref: '#here' } } }
                """
        ])
        #expect(rendered.findings == [])
        #expect(rendered.contains("public var c: Test.B?"))
    }

    @Test func cyclesBetweenFilesAreTypesThatHoldOneAnother() {
        let rendered = run([
            "api.yaml": head + "paths: {}\ncomponents: { schemas: { A: { $ref: a.yml } } }",
            "a.yml": "type: object\nproperties: { b: { $ref: 'sub/b.json' } }",
            "sub/b.json":
                #"{"type": "object", "properties": {"a": {"$ref": "../a.yml"}, "root": {"$ref": "../api.yaml#/components/schemas/A"}}}"#,
        ])
        #expect(rendered.findings == [])
        #expect(rendered.contains("public var root: Test.A?"))
        #expect(rendered.contains("struct B: JSONObject"))
    }

    @Test(arguments: [
        ("../../etc/passwd", "external-reference"), ("models/../../x.yml", "external-reference"),
        ("/etc/passwd", "external-reference"), ("%2e%2e/x.yml", "external-reference"),
        ("file:///etc/passwd", "external-reference"), ("https://example.com/x.yml", "external-reference"),
        ("//example.com/x.yml#/A", "external-reference"), ("none.yml", "unresolved-reference"),
        ("models/pet.yml#/nope", "unresolved-reference"), ("models/pet.yml#nope", "unresolved-reference"),
        ("bad.yml", "yaml-syntax"), ("a%zz.yml", "unresolved-reference"),
    ])
    func refuses(reference: String, rule: String) {
        let rendered = run([
            "api.yaml": head + "components: { schemas: { A: { $ref: '\(reference)' } } }",
            "models/pet.yml": "type: object", "bad.yml": "a: [",
        ])
        #expect(rendered.rules == [rule])
        #expect(rendered.output.files.isEmpty)
    }

    @Test func referencesThatHoldOneAnotherEnd() {
        let paths = run([
            "api.yaml": head + "paths: { /a: { $ref: a.yml } }", "a.yml": "$ref: b.yml",
            "b.yml": "$ref: a.yml",
        ])
        #expect(paths.rules == ["circular-reference"])
        let schemas = run([
            "api.yaml": head + "components: { schemas: { A: { $ref: a.yml } } }", "a.yml": "$ref: b.yml",
            "b.yml": "$ref: a.yml",
        ])
        #expect(schemas.rules == ["circular-reference"])
        let properties = run([
            "api.yaml": head + "components: { schemas: { A: { $ref: a.yml } } }",
            "a.yml": "type: object\nproperties: { $ref: 'a.yml#/properties' }",
        ])
        #expect(properties.rules.contains("circular-reference"))
    }

    @Test func aFindingNamesItsFileAndTheWayThere() {
        let rendered = run([
            "api.yaml": head + "paths:\n  /a:\n    $ref: paths/a.yml",
            "paths/a.yml":
                "get:\n  responses:\n    '200':\n      description: d\n      content: { application/json: { schema: { $ref: ../m.yml } } }",
            "m.yml": "type: object\nproperties:\n  x: { type: strnig }",
        ])
        let printer = DiagnosticPrinter(paths: rendered.output.sources, usesColour: false)
        #expect(
            rendered.output.diagnostics.map { printer.text(of: $0) }.joined() == """
                m.yml:3:14: warning: unknown type "strnig"; falling back to JSONValue [unsupported-schema]
                paths/a.yml:5:54: note: referenced from here
                api.yaml:5:11: note: referenced from here

                """)
    }

    @Test func namesThatCollideAreNumberedByFile() {
        let files = [
            "api.yaml": head + """
                components:
                  schemas:
                    Error: { type: object, properties: { a: { $ref: z/error.yml }, b: { $ref: b/Error.yml } } }
                    Holder: { type: object, properties: { c: { $ref: c/Error.yml } } }
                """,
            "z/error.yml": "type: object\nproperties: { z: { type: string } }",
            "b/Error.yml": "type: object\nproperties: { b: { type: string } }",
            "c/Error.yml": "type: object\nproperties: { c: { type: string } }",
        ]
        let rendered = run(files)
        #expect(rendered.findings == [])
        #expect(rendered.contains("public var b: Test.Error2?"))
        #expect(rendered.contains("public var c: Test.Error3?"))
    }

    @Test func identifiersAndAnchorsAreFollowed() {
        let rendered = run([
            "api.yaml": head + """
                components:
                  schemas:
                    A:
                      $id: https://example.com/schemas/a.json
                      type: object
                      properties:
                        local: { $ref: '#/$defs/inner' }
                        anchored: { $ref: '#named' }
                        other: { $ref: b.json }
                        far: { $ref: 'https://example.com/schemas/b.json#deep' }
                      $defs:
                        inner: { type: object, properties: { i: { type: integer } } }
                        n: { $anchor: named, type: object, properties: { n: { type: integer } } }
                    B:
                      $id: https://example.com/schemas/b.json
                      type: object
                      properties: { x: { $anchor: deep, type: object, properties: { y: { type: string } } } }
                """
        ])
        #expect(rendered.findings == [])
        #expect(rendered.contains("public var local: Test.A.Inner?"))
        #expect(rendered.contains("public var anchored: Test.A.N?"))
        #expect(rendered.contains("public var other: Test.B?"))
        #expect(rendered.contains("public var far: Test.B.X?"))
    }

    @Test func remoteReferencesAreReadFromTheFilesThatStandInForThem() {
        let files = [
            "api.yaml": head + "components: { schemas: { A: { $ref: 'https://example.com/v1/a.yml#/A' } } }",
            "vendor/a.yml": "A: { type: object, properties: { b: { $ref: b.yml } } }",
            "vendor/b.yml": "type: object\nproperties: { c: { type: string } }",
        ]
        let rendered = Rendered(
            files["api.yaml"] ?? "", path: "api.yaml", documents: MemoryDocuments(files: files),
            configuration: "references: { remote: { 'https://example.com/v1/': vendor/ } }")
        #expect(rendered.findings == [])
        #expect(rendered.contains("public var b: Test.B?"))
    }

    @Test func whatStandsBesideAReferenceDependsOnTheVersion() {
        let files = ["m.yml": "type: object\nproperties: { a: { type: string } }"]
        let new = run(
            files.merging([
                "api.yaml": head
                    + "components: { schemas: { A: { $ref: m.yml, properties: { b: { type: integer } } } } }"
            ]) { $1 })
        #expect(new.contains("public var a: String?") && new.contains("public var b: Int?"))
        let old = run(
            files.merging([
                "api.yaml":
                    "openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: {}\ncomponents: { schemas: { A: { $ref: m.yml, properties: { b: { type: integer } } } } }"
            ]) { $1 })
        #expect(old.rules == ["ignored-keyword"])
        #expect(!old.contains("public var b: Int?"))
    }

    @Test func sectionsAndListsCanBeFiles() {
        let rendered = run([
            "api.yaml": head + """
                paths: { $ref: paths.yml }
                components: { schemas: { $ref: schemas/_index.yml }, parameters: { $ref: parameters.yml } }
                """,
            "paths.yml": """
            /a:
              get:
                operationId: getA
                description: { $ref: words.md }
                parameters: { $ref: list.yml }
                responses: { $ref: responses.yml }
            """,
            "list.yml": "- { $ref: 'api.yaml#/components/parameters/limit' }",
            "words.md": "Some *words*.",
            "parameters.yml": "limit: { name: limit, in: query, schema: { type: integer } }",
            "responses.yml":
                "'200': { description: d, content: { application/json: { schema: { $ref: 'schemas/_index.yml#/Pet' } } } }",
            "schemas/_index.yml":
                "Pet: { $ref: pet.yml }\nOther: { type: object, properties: { p: { $ref: '#/Pet' }, o: { $ref: '#/Other' } } }",
            "schemas/pet.yml": "type: object\nproperties: { name: { type: string } }",
        ])
        #expect(rendered.findings == [])
        #expect(rendered.contains("/// Some *words*."))
        #expect(rendered.contains("func getA(limit: Int? = nil"))
        #expect(rendered.contains("-> Test.Pet"))
        #expect(rendered.contains("public var p: Test.Pet?"))
        #expect(!rendered.contains("Other2"))
        #expect(!rendered.contains("Pet2"))
    }

    @Test func discriminatorsMayNameFiles() {
        let rendered = run([
            "api.yaml": head + "components: { schemas: { U: { $ref: u.yml } } }",
            "u.yml": """
            oneOf: [{ $ref: cat.yml }, { $ref: dog.yml }]
            discriminator: { propertyName: kind, mapping: { c: cat.yml, d: './dog.yml' } }
            """,
            "cat.yml": "type: object\nproperties: { kind: { type: string }, a: { type: string } }",
            "dog.yml": "type: object\nproperties: { kind: { type: string }, b: { type: string } }",
        ])
        #expect(rendered.findings == [])
        #expect(rendered.contains("case \"c\"?: self = .c(try Test.Cat"))
    }

    /// As large trees are laid out: an operation, its responses, its models and their parts each in a file.
    @Test func aTreeOfHundredsOfFiles() {
        var files: [String: String] = [:]
        var paths = ""
        for index in 0..<120 {
            let next = (index + 1) % 120
            paths += "  /v2/things\(index):\n    get: { $ref: 'resources/t\(index)/list.yml' }\n"
            files["resources/t\(index)/list.yml"] = """
                operationId: list_things\(index)
                tags: [Things\(index % 7)]
                parameters: [{ $ref: ../../shared/parameters.yml#/per_page }]
                responses:
                  '200': { $ref: responses/all.yml }
                  '401': { $ref: ../../shared/unauthorized.yml }
                """
            files["resources/t\(index)/responses/all.yml"] = """
                description: ok
                headers: { ratelimit-limit: { $ref: ../../../shared/headers.yml#/limit } }
                content: { application/json: { schema: { $ref: ../models/thing\(index).yml } } }
                """
            files["resources/t\(index)/models/thing\(index).yml"] = """
                type: object
                required: [id]
                properties:
                  id: { type: string }
                  next: { $ref: ../../t\(next)/models/thing\(next).yml }
                  own: { $ref: '#/properties/part' }
                  part: { type: object, properties: { n: { type: integer } } }
                """
        }
        files["shared/parameters.yml"] =
            "per_page: { name: per_page, in: query, schema: { type: integer } }"
        files["shared/headers.yml"] = "limit: { schema: { type: integer } }"
        files["shared/unauthorized.yml"] =
            "description: no\ncontent: { application/json: { schema: { $ref: error.yml } } }"
        files["shared/error.yml"] = "type: object\nproperties: { id: { type: string } }"
        files["api.yaml"] = head + "paths:\n" + paths
        let rendered = run(files)
        #expect(rendered.findings == [])
        #expect(rendered.output.sources.count == 365)
        #expect(rendered.contains("public var own: Test.Thing119.Part?"))
        #expect(rendered.contains("Things6"))
        let again = run(files)
        #expect(rendered.source == again.source)
    }
}
