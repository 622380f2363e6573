import Testing

@testable import OpenAPIGeneration

/// A schema with a discriminator and without `oneOf` or `anyOf`.
@Suite struct InheritanceTests {
    private static let pets = """
        Pet:
          type: object
          required: [petType]
          properties: { petType: { type: string }, name: { type: string } }
          discriminator: { propertyName: petType, mapping: { kitten: '#/components/schemas/Cat' } }
        Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { purr: { type: boolean } } }] }
        Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { bark: { type: boolean } } }] }
        Puppy: { allOf: [{ $ref: '#/components/schemas/Dog' }, { type: object, properties: { weeks: { type: integer } } }] }
        Fish: { allOf: [{ $ref: '#/components/schemas/Pet' }] }
        Owner: { type: object, properties: { pet: { $ref: '#/components/schemas/Pet' } } }

        """

    @Test func whatExtendsItStandsForIt() {
        let rendered = Rendered(schemas: Self.pets)
        #expect(rendered.contains("case kitten(Test.Cat)"))
        #expect(rendered.contains(#"case "kitten"?: self = .kitten(try Test.Cat(json: _json))"#))
        #expect(rendered.contains(#"case "Dog"?: self = .dog(try Test.Dog(json: _json))"#))
        #expect(rendered.contains(#"case "Puppy"?: self = .puppy(try Test.Puppy(json: _json))"#))
        #expect(rendered.contains(#"case "Fish"?: self = .fish(try Test.Fish(json: _json))"#))
        #expect(rendered.contains("default: self = .unrecognized(try JSONValue(json: _json))"))
        #expect(rendered.contains("public var pet: Test.Pet?"))
        #expect(rendered.findings.isEmpty)
    }

    @Test func itIsABranchWhereTheMappingNamesIt() {
        let schemas = Self.pets.replacing("kitten: '#/components/schemas/Cat'", with: "plain: Pet")
        let rendered = Rendered(schemas: schemas)
        #expect(rendered.contains(#"case "plain"?: self = .plain(try Test.Pet.Value(json: _json))"#))
        #expect(rendered.contains(#"case "Cat"?: self = .cat(try Test.Cat(json: _json))"#))
        #expect(rendered.findings.isEmpty)
    }

    @Test func whatNothingExtendsIsAnObject() {
        let rendered = Rendered(
            schemas: """
                Pet:
                  type: object
                  properties: { petType: { type: string } }
                  discriminator: { propertyName: petType }
                """)
        #expect(rendered.contains("struct Pet: "))
        #expect(rendered.findings.isEmpty)
    }

    @Test func aFilterKeepsWhatExtendsAReachedSchema() {
        let rendered = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /pets:
                get:
                  operationId: pet
                  responses:
                    '200':
                      description: one
                      content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
              /other: { get: { operationId: other, responses: { '204': { description: none } } } }
            components:
              schemas:
            \(Self.pets.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
            """, configuration: "include: { operations: [pet] }")
        #expect(rendered.contains("case puppy(Test.Puppy)"))
        #expect(!rendered.contains("struct Owner"))
        #expect(rendered.findings.isEmpty)
    }
}
