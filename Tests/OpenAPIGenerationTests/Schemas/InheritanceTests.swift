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

    private static let animals = """
        Animal: { type: object, required: [pet_type], properties: { pet_type: { type: string } } }
        Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { name: { type: string } } }] }
        Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { bark: { type: string } } }] }

        """

    /// A discriminator makes more of a schema than an alias of what it extends.
    @Test(arguments: [
        "{ type: object, allOf: [{ $ref: '#/components/schemas/Animal' }], discriminator: { propertyName: pet_type, mapping: { cachorro: Dog } } }",
        "{ discriminator: { propertyName: pet_type, mapping: { cachorro: Dog } }, $ref: '#/components/schemas/Animal' }",
        "{ allOf: [{ $ref: '#/components/schemas/Animal' }, { discriminator: { propertyName: pet_type, mapping: { cachorro: Dog } } }] }",
        "{ allOf: [{ type: object, properties: { pet_type: { type: string } }, discriminator: { propertyName: pet_type, mapping: { cachorro: Dog } } }] }",
        "{ description: d, nullable: true, allOf: [{ $ref: '#/components/schemas/Animal' }], discriminator: { propertyName: pet_type, mapping: { cachorro: '#/components/schemas/Dog' } } }",
    ])
    func aDiscriminatorBesideOneReference(pet: String) {
        let rendered = Rendered(schemas: Self.animals + "Pet: " + pet, version: "3.1.0")
        #expect(rendered.contains("enum Pet: JSONCodable"))
        #expect(rendered.contains("struct Animal: "))
        #expect(rendered.contains(#"case "Cat"?: self = .cat(try Test.Cat(json: _json))"#))
        #expect(rendered.contains(#"case "cachorro"?: self = .cachorro(try Test.Dog(json: _json))"#))
        #expect(rendered.contains("public var bark: String?"))
    }

    @Test func aDiscriminatorBesideAReferenceIsIgnoredIn30() {
        let pet = "Pet: { $ref: '#/components/schemas/Animal', discriminator: { propertyName: pet_type } }"
        let rendered = Rendered(schemas: Self.animals + pet, version: "3.0.3")
        #expect(rendered.contains("public typealias Pet = Test.Animal"))
        #expect(rendered.rules == ["ignored-keyword"])
    }

    private static let root = """
        Root: { type: object, required: [kind], properties: { kind: { type: string } }, discriminator: { propertyName: kind } }
        LeafA: { allOf: [{ $ref: '#/components/schemas/Mid' }, { type: object, properties: { a: { type: string } } }] }
        LeafB: { allOf: [{ type: object, properties: { b: { type: string } } }, { $ref: '#/components/schemas/Mid' }] }
        Other: { allOf: [{ $ref: '#/components/schemas/Root' }, { type: object, properties: { o: { type: string } } }] }

        """

    /// The discriminator of a schema selects among those that extend it, wherever it is written, and not the one of what
    /// the schema itself extends.
    @Test(arguments: [
        "{ allOf: [{ $ref: '#/components/schemas/Root' }, { type: object, required: [sub], properties: { sub: { type: string } } }], discriminator: { propertyName: sub } }",
        "{ discriminator: { propertyName: sub }, allOf: [{ type: object, required: [sub], properties: { sub: { type: string } } }, { $ref: '#/components/schemas/Root' }] }",
        "{ allOf: [{ $ref: '#/components/schemas/Root' }, { type: object, required: [sub], properties: { sub: { type: string } }, discriminator: { propertyName: sub } }] }",
        "{ allOf: [{ type: object, discriminator: { propertyName: sub } }, { $ref: '#/components/schemas/Root' }], required: [sub], properties: { sub: { type: string } } }",
    ])
    func theInnerDiscriminatorSelectsInItsHierarchy(mid: String) {
        let rendered = Rendered(schemas: Self.root + "Mid: " + mid, version: "3.0.3")
        let readers = rendered.source.split(separator: "switch _json.discriminator(\"").dropFirst()
        #expect(readers.count == 2)
        let inner = readers.first { $0.hasPrefix("sub\")") }
        let outer = readers.first { $0.hasPrefix("kind\")") }
        #expect(inner?.contains(#"case "LeafA"?: self = .leafA("#) == true)
        #expect(inner?.contains(#"case "LeafB"?: self = .leafB("#) == true)
        for name in ["LeafA", "LeafB", "Mid", "Other"] {
            #expect(outer?.contains("case \"\(name)\"?: self = .") == true, "\(name)")
        }
        // A leaf is a branch of both, under two values of the outer one.
        #expect(rendered.contains("nonisolated enum Kind: OpenEnum"))
        #expect(rendered.findings.isEmpty)
    }

    /// Of three levels each has its own.
    @Test func eachLevelHasItsOwnDiscriminator() {
        let extended = """
            Mid: { allOf: [{ $ref: '#/components/schemas/Root' }, { type: object, properties: { sub: { type: string } } }], discriminator: { propertyName: sub } }
            Low: { allOf: [{ $ref: '#/components/schemas/Mid' }, { type: object, properties: { low: { type: string } } }], discriminator: { propertyName: low } }
            Deep: { allOf: [{ $ref: '#/components/schemas/Low' }, { type: object, properties: { d: { type: string } } }] }
            """
        let rendered = Rendered(schemas: Self.root + extended)
        for property in ["kind", "sub", "low"] {
            let reader = "switch _json.discriminator(\"\(property)\")"
            #expect(rendered.source.split(separator: reader).count == 2, "\(property)")
        }
        #expect(rendered.findings.isEmpty)
    }

    @Test func aMappingWithoutExtensionsIsReported() {
        let rendered = Rendered(
            schemas: """
                Pet: { type: object, properties: { k: { type: string } }, discriminator: { propertyName: k, mapping: { c: Cat } } }
                Cat: { type: object, properties: { k: { type: string } } }
                """)
        #expect(rendered.findings == ["5:78 warning ignored-keyword"])
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
