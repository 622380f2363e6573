import Testing

@testable import OpenAPIGeneration

@Suite struct DocumentFilterTests {
    private let document = """
        openapi: 3.1.0
        info: { title: T, version: '1' }
        paths:
          /pets:
            parameters: [{ $ref: '#/components/parameters/shared' }]
            get:
              operationId: listPets
              tags: [pets, read]
              security: [{ key: [] }]
              responses:
                '200': { $ref: '#/components/responses/Pets' }
            post:
              operationId: createPet
              tags: [pets]
              responses: { '204': { description: d } }
          /admin/users:
            get:
              operationId: listUsers
              tags: [admin]
              responses:
                '200':
                  description: d
                  content: { application/json: { schema: { $ref: '#/components/schemas/User' } } }
        components:
          securitySchemes:
            key: { type: apiKey, in: header, name: X-Key }
            other: { type: apiKey, in: header, name: X-Other }
          parameters:
            shared: { name: shared, in: query, schema: { $ref: '#/components/schemas/Shared' } }
          responses:
            Pets:
              description: d
              content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
          schemas:
            Shared: { type: string, enum: [a, b] }
            Pet:
              oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
              discriminator: { propertyName: k, mapping: { c: Cat, d: '#/components/schemas/Dog' } }
            Cat: { type: object, properties: { k: { type: string }, next: { $ref: '#/components/schemas/Pet' } } }
            Dog: { type: object, properties: { k: { type: string }, tail: { $ref: '#/components/schemas/Tail' } } }
            Tail: { type: object, properties: { n: { type: integer } } }
            User: { type: object, properties: { id: { type: string } } }
            Alone: { type: object, properties: { x: { type: string } } }
        """

    private func types(_ configuration: String, findings: [String] = []) -> Set<String> {
        let rendered = Rendered(document, path: "api.yaml", configuration: configuration)
        #expect(rendered.rules == findings, "\(rendered.printed)")
        let names = ["Shared", "Pet", "Cat", "Dog", "Tail", "User", "Alone"].filter {
            rendered.output.names["#/components/schemas/\($0)"] != nil
        }
        let operations = ["listPets", "createPet", "listUsers"].filter { id in
            rendered.contains("\"" + (id == "listUsers" ? "/admin/users" : "/pets") + "\"")
                && rendered.contains(id.prefix(1).uppercased() + id.dropFirst() + "Failure")
        }
        let schemes = ["key", "other"].filter { rendered.contains("configured.apiKeyHeader(\"\($0)\"") }
        return Set(names + operations + schemes)
    }

    @Test func withoutAFilterAllIsKept() {
        #expect(types("{}").count == 12)
    }

    @Test func includedTagsBringWhatTheyNeed() {
        #expect(
            types("include: { tags: [read] }")
                == ["listPets", "Shared", "Pet", "Cat", "Dog", "Tail", "key"])
    }

    @Test func pathsAndOperationsByPattern() {
        #expect(types("include: { paths: ['/admin/*'] }") == ["listUsers", "User"])
        #expect(types("include: { operations: ['create*'] }") == ["createPet", "Shared"])
        #expect(
            types("include: { paths: ['*'] }\nexclude: { operations: [list*] }") == ["createPet", "Shared"])
    }

    @Test func schemasByName() {
        #expect(types("include: { schemas: [Alone] }") == ["Alone"])
        #expect(types("include: { schemas: ['*a*'], tags: [admin] }").contains("Tail"))
        let without = types("exclude: { schemas: [Dog] }", findings: ["configuration"])
        // The union still needs it, as any value.
        #expect(!without.contains("Tail") && without.contains("Dog"))
        #expect(!types("include: { tags: [admin] }\nexclude: { schemas: [Dog] }").contains("Dog"))
    }

    @Test func aSchemaThatIsLeftOutAndNeededIsReported() {
        let needed = Rendered(document, path: "api.yaml", configuration: "exclude: { schemas: [Dog] }")
        #expect(
            needed.output.diagnostics.map(\.message) == [
                "the schema \"Dog\" is excluded but still referenced; falling back to JSONValue"
            ])
        #expect(needed.rules == ["configuration"])
        let unneeded = "include: { tags: [admin] }\nexclude: { schemas: [Dog] }"
        #expect(Rendered(document, path: "api.yaml", configuration: unneeded).findings.isEmpty)
    }

    @Test func excludedTags() {
        #expect(types("exclude: { tags: [pets] }") == ["listUsers", "User"])
    }

    /// A response, a schema or a property can have the name of a keyword; an example is no reference.
    @Test func namesOfKeywordsAreFollowedLikeOthers() {
        let rendered = Rendered(
            """
            openapi: 3.2.0
            info: { title: T, version: '1' }
            paths:
              /a:
                get:
                  operationId: getA
                  tags: [a]
                  responses:
                    default: { $ref: '#/components/responses/default' }
              /b: { get: { tags: [b], responses: { '204': { description: d } } } }
            components:
              responses:
                default:
                  description: d
                  content: { application/json: { schema: { $ref: '#/components/schemas/Problem' } } }
              schemas:
                Problem:
                  type: object
                  properties:
                    example: { $ref: '#/components/schemas/Needed' }
                    mapping: { type: Kept, example: { $ref: '#/components/schemas/Alone' } }
                    union:
                      oneOf: [{ $ref: '#/components/schemas/Needed' }]
                      discriminator: { propertyName: kind, defaultMapping: Fallback }
                Needed: { type: object, properties: { kind: { type: string } } }
                Fallback: { type: object, properties: { kind: { type: string } } }
                Kept: { type: object, properties: { kind: { type: string } } }
                Alone: { type: object, properties: { kind: { type: string } } }
            """, path: "api.yaml", configuration: "include: { tags: [a] }")
        #expect(!rendered.output.hasErrors, "\(rendered.printed)")
        let names = ["Problem", "Needed", "Fallback", "Kept", "Alone"]
        #expect(
            names.filter { rendered.output.names["#/components/schemas/\($0)"] != nil }
                == ["Problem", "Needed", "Fallback"])
    }

    @Test func aPatternThatFindsNothingIsReported() {
        let rendered = Rendered(
            document, path: "api.yaml",
            configuration: "include:\n  tags: [read, pest]\nexclude:\n  paths: [/nope]")
        #expect(
            rendered.printed == """
                c.yaml:2:16: warning: no operation has the tag "pest"; did you mean "pets"? [configuration]
                c.yaml:4:11: warning: no path matches "/nope" [configuration]

                """)
    }

    @Test(arguments: [
        ("a*", "abc", true), ("*c", "abc", true), ("a*c", "ac", true), ("a*c", "abd", false), ("*", "", true),
        ("a*b*c", "axxbyyc", true), ("a*b*c", "axxc", false), ("abc", "abc", true), ("abc", "abcd", false),
        ("aa*aa", "aaa", false), ("**", "x", true),
    ])
    func wildcards(pattern: String, text: String, matches: Bool) {
        #expect(Wildcard(pattern).matches(text) == matches)
    }
}
