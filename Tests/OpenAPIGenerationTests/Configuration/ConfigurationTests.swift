import Foundation
import Testing

@testable import OpenAPIGeneration

@Suite struct ConfigurationTests {
    private let document = """
        openapi: 3.1.0
        info: { title: T, version: '1' }
        security: [{ key: [] }, { login: [a] }]
        paths:
          /pets:
            get:
              operationId: listPets
              tags: [pets]
              parameters:
                - { name: from, in: query, schema: { type: string } }
              responses:
                '200':
                  description: d
                  content: { application/json: { schema: { $ref: '#/components/schemas/PetPage' } } }
            post:
              operationId: createPet
              tags: [pets]
              requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
              responses: { '204': { description: d } }
          /admin/users:
            get:
              operationId: listUsers
              tags: [admin]
              security: [{ login: [a] }, { key: [] }]
              responses:
                '200':
                  description: d
                  content: { application/json: { schema: { $ref: '#/components/schemas/User' } } }
        components:
          securitySchemes:
            key: { type: apiKey, in: header, name: X-Key }
            login: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://e.com', scopes: {} } } }
          schemas:
            PetPage:
              type: object
              properties:
                data: { type: array, items: { $ref: '#/components/schemas/Pet' } }
                more: { type: array, items: { type: string } }
                end: { type: string }
            Pet:
              type: object
              properties:
                price: { type: string, format: money }
                size: { type: object, properties: { w: { type: integer, format: money } } }
            User: { type: object, properties: { born: { type: string, format: date } } }
            Alone: { type: object, properties: { x: { type: string } } }
        """

    private func run(_ configuration: String) -> Rendered {
        Rendered(document, path: "api.yaml", configuration: configuration)
    }

    /// The documentation is the code's own table.
    @Test func everyKeyIsDocumented() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../openapi/CONFIGURATION.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains("\n" + ConfigurationKey.table + "\n"))
        let example = try #require(text.split(separator: "```yaml\n").last?.split(separator: "```").first)
        let sink = DiagnosticSink()
        let configuration = ConfigurationReader(sink: sink).read(try node(String(example)))
        #expect(sink.all.isEmpty)
        #expect(configuration.pagination.count == 3)
        for key in ConfigurationKey.all where !["strict"].contains(key.path) {
            let word = key.path.split(separator: ".").last ?? ""
            #expect(example.contains(word) || key.path.hasPrefix("include") || key.path.hasPrefix("exclude"))
        }
    }

    @Test(arguments: [
        (
            "acess: public",
            "c.yaml:1:1: error: unknown key \"acess\"; did you mean \"access\"? [configuration]"
        ),
        (
            "include:\n  tag: [a]",
            "c.yaml:2:3: error: unknown key \"include.tag\"; did you mean \"tags\"? [configuration]"
        ),
        (
            "access: publik",
            "c.yaml:1:9: error: \"access\" must be one of public, package, internal, not \"publik\"; did you mean \"public\"? [configuration]"
        ),
        (
            "strict: 1",
            "c.yaml:1:9: error: \"strict\" must be true or false, found a number [configuration]"
        ),
        (
            "overlays: a.yaml",
            "c.yaml:1:11: error: \"overlays\" must be a list, found a string [configuration]"
        ),
        ("- a", "c.yaml:1:1: error: a configuration must be a mapping, found an array [configuration]"),
        (
            "name: a b",
            "c.yaml:1:7: error: \"a b\" is not a valid client name; use an UpperCamelCase identifier such as Petstore [configuration]"
        ),
        ("names: { '#/a': '1 x' }", "c.yaml:1:17: error: \"1 x\" is not a valid Swift name [configuration]"),
        (
            "diagnostics: { limits: 'off' }",
            "c.yaml:1:16: error: unknown rule \"limits\"; did you mean \"limit\"? [configuration]"
        ),
        (
            "formats: { money: Decimals }",
            "c.yaml:1:19: error: \"money\" must be one of String, Int, UInt64, Double, Float, Decimal, Bool, Date, CalendarDate, UUID, URI, URL, Base64Data, Base64URLData, JSONValue, not \"Decimals\"; did you mean \"Decimal\"? [configuration]"
        ),
        (
            "pagination: { a: { itmes: b } }",
            "c.yaml:1:20: error: unknown key \"pagination.a.itmes\"; did you mean \"items\"? [configuration]"
        ),
        ("a: [", "c.yaml:2:1: error: did not find expected node content [yaml-syntax]"),
        (
            "overlays: ['../x.yaml']",
            "c.yaml:1:12: error: \"../x.yaml\" is outside the document's folder; move the file into the folder [external-reference]"
        ),
    ])
    func refuses(text: String, expected: String) {
        let rendered = run(text)
        #expect(rendered.output.files.isEmpty)
        if text != "a: [" {
            #expect(rendered.printed == expected + "\n")
        } else {
            #expect(rendered.printed.hasPrefix("c.yaml:"))
        }
    }

    @Test(arguments: ["", "\n", "# nothing\n\n  # at all\n", "{}"])
    func anEmptyFileChangesNothing(text: String) {
        #expect(run(text).source == Rendered(document, path: "api.yaml").source)
    }

    @Test func namesAndAccess() {
        var generator = Generator()
        generator.configuration = .init(bytes: Array("name: Zoo\naccess: package".utf8), path: "c.yaml")
        let output = generator.run(Array(document.utf8), path: "api.yaml")
        #expect(output.files.first?.name == "ZooClient.swift")
        #expect(output.files.first?.text.contains("package nonisolated struct ZooClient") == true)
        generator.namespace = "Own"
        generator.access = .internal
        generator.filePrefix = "Api"
        let own = generator.run(Array(document.utf8), path: "api.yaml")
        #expect(own.files.first?.name == "ApiClient.swift")
        #expect(own.files.first?.text.contains("\nnonisolated struct OwnClient") == true)
    }

    @Test func typesAndMethodsAreRenamedByTheirPlace() {
        let rendered = run(
            """
            names:
              '#/components/schemas/Pet': Animal
              /components/schemas/Pet/properties/size: Extent
              '#/paths/~1pets/get': browse
            """)
        #expect(rendered.findings == [])
        #expect(rendered.contains("struct Animal: JSONObject"))
        #expect(rendered.contains("public var size: Test.Animal.Extent?"))
        #expect(rendered.contains("func browse("))
        #expect(rendered.contains("BrowseFailure"))
        let wrong = run("names: { '#/components/schemas/Nope': A, '#/components/schemas/Pet': lower }")
        #expect(wrong.rules == ["configuration", "configuration", "configuration"])
    }

    @Test func aChosenNameIsFreeForTheChosen() {
        let rendered = run("names: { '#/components/schemas/User': Pet }")
        #expect(rendered.findings == [])
        #expect(rendered.contains("struct Pet2: JSONObject"))
        #expect(rendered.contains("public var born: CalendarDate?"))
    }

    @Test(arguments: ["Test", "Pet"])
    func aNameThatIsTakenIsReported(name: String) {
        let rendered = run(
            "names: { '#/components/schemas/Pet': Pet, '#/components/schemas/User': \(name) }")
        #expect(rendered.rules == ["name-collision"])
        #expect(!rendered.contains("struct \(name): JSONObject") || name == "Pet")
        #expect(rendered.printed.contains("the name \"\(name)\" is taken"))
    }

    @Test func formatsAndTypes() {
        let rendered = run(
            "formats: { money: Int, date: String }\ntypes: { '#/components/schemas/Alone': JSONValue }")
        #expect(rendered.findings == [])
        #expect(rendered.contains("public var born: String?"))
        #expect(rendered.contains("public typealias Alone = JSONValue"))
        #expect(rendered.contains("public var w: Int?"))
        #expect(run("formats: { money: Bool }").rules == ["configuration", "configuration"])
        #expect(run("types: { '#/nope': String }").rules == ["configuration"])
    }

    @Test func aURIMayBeAURL() {
        let document = """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            components:
              schemas:
                A: { type: object, properties: { a: { type: string, format: uri }, b: { type: string, format: url } } }
            """
        let usual = Rendered(document)
        #expect(usual.contains("public var a: URI?\n") && usual.contains("public var b: String?\n"))
        let configured = Rendered(document, configuration: "formats: { uri: URL, url: URI }")
        #expect(configured.contains("public var a: URL?\n") && configured.contains("public var b: URI?\n"))
        #expect(configured.findings.isEmpty)
    }

    /// A property or a schema can have the name of a keyword.
    @Test(arguments: ["default", "example", "examples", "const", "enum"])
    func formatsOfPropertiesWithTheNameOfAKeyword(name: String) {
        let schema = "{ type: string, format: money, example: { type: string, format: money } }"
        let rendered = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            components: { schemas: { A: { type: object, properties: { \(name): \(schema) } }, \(name): \(schema) } }
            """, configuration: "formats: { money: Decimal }")
        #expect(rendered.findings == [])
        #expect(rendered.contains("init(\(name): AsText<Decimal>? = nil)"))
        #expect(rendered.contains("= AsText<Decimal>\n"))
    }

    @Test func bytesInBothAlphabets() {
        let rendered = run(
            "formats: { date: Base64URLData }\ntypes: { '#/components/schemas/Pet/properties/price': Base64URLData }"
        )
        #expect(rendered.findings == [])
        #expect(rendered.contains("public var born: Base64URLData?"))
        #expect(rendered.contains("public var price: Base64URLData?"))
    }

    /// The type of the configuration counts, not the encoding of the document.
    @Test(arguments: [
        ("byte", "base64", "Base64URLData"), ("byte", "base64url", "Base64Data"),
        ("base64url", "base64url", "Base64Data"), ("byte", "base64", "String"),
        ("byte", "base64url", "String"),
    ])
    func aFormatWithAnEncodingHasTheConfiguredType(format: String, encoding: String, type: String) {
        let schema = "{ type: string, format: \(format), contentEncoding: \(encoding) }"
        let text = """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            components:
              schemas:
                A: { type: object, properties: { x: \(schema) } }
            """
        let rendered = Rendered(text, configuration: "formats: { \(format): \(type) }")
        #expect(rendered.findings == [])
        #expect(rendered.contains("public var x: \(type)?"))
    }

    @Test func preferredSecurityComesFirst() {
        let rendered = run("security: [login]")
        #expect(rendered.contains("security: \"login a\\nkey\""))
        #expect(!rendered.contains("security: \"key\\nlogin a\""))
        #expect(run("security: [logn]").printed.contains("did you mean \"login\"?"))
    }

    @Test func idempotencyAndPages() {
        let rendered = run(
            "idempotency: { createPet: true }\npagination: { listPets: { parameter: from, items: data, next: end } }"
        )
        #expect(rendered.findings == [])
        #expect(rendered.contains("idempotencyKey: .text("))
        #expect(rendered.contains("func listAll("))
        #expect(!Rendered(document, path: "api.yaml").contains("func listAll("))
        #expect(run("idempotency: { nope: true }").rules == ["configuration"])
    }

    @Test func rulesHaveLevels() {
        let text = document + "\n    Odd: { type: object, $dynamicRef: '#x', nmae: x }"
        func run(_ configuration: String) -> Rendered {
            Rendered(text, path: "api.yaml", configuration: configuration)
        }
        #expect(run("").rules == ["unsupported-schema", "unknown-keyword"])
        #expect(!run("").output.hasErrors)
        #expect(run("diagnostics: { unsupported-schema: 'off', unknown-keyword: 'off' }").findings == [])
        let strict = run("strict: true\ndiagnostics: { unsupported-schema: warning }")
        #expect(strict.output.diagnostics.map(\.severity).contains(.error))
        #expect(strict.output.files.isEmpty)
        #expect(strict.output.diagnostics.count { $0.severity == .warning } == 1)
        // An error stays one.
        let broken = Rendered(
            "openapi: 3.1.0\npaths: {}", path: "api.yaml", configuration: "diagnostics: { structure: 'off' }")
        #expect(broken.output.hasErrors)
    }
}
