import Testing

@testable import OpenAPIGeneration

/// The values of discriminators in the branches that they select.
@Suite struct FixedDiscriminatorTests {
    /// A branch cannot be created with the discriminator of another one.
    @Test func aDiscriminatorIsFixedByItsBranch() {
        let rendered = Rendered(
            schemas: """
                Pet: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind, mapping: { cat: Cat, dog: Dog } } }
                Cat: { type: object, required: [kind], properties: { kind: { type: string }, purr: { type: boolean } } }
                Dog: { type: object, properties: { kind: { type: string, enum: [dog, cat] } } }
                """)
        #expect(rendered.contains("public private(set) var kind: String\n"))
        #expect(rendered.contains("public init(purr: Bool? = nil) {\n"))
        #expect(rendered.contains("self.kind = \"cat\"\n"))
        #expect(rendered.contains("public private(set) var kind: Test.Dog.Kind?\n"))
        #expect(rendered.contains("public init() {\n            self.kind = Test.Dog.Kind.dog\n"))
        #expect(rendered.findings.isEmpty)
    }

    @Test func aSchemaInTwoUnionsChoosesAmongTheValuesOfBoth() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/X' }, { $ref: '#/components/schemas/Y' }], discriminator: { propertyName: t, mapping: { a: X, y: Y } } }
                B: { oneOf: [{ $ref: '#/components/schemas/X' }, { $ref: '#/components/schemas/Y' }], discriminator: { propertyName: t, mapping: { b: X, y: Y } } }
                X: { type: object, required: [t], properties: { t: { type: string } } }
                Y: { type: object, required: [t], properties: { t: { type: integer } } }
                """)
        #expect(rendered.contains("public init(t: Test.X.T) {\n"))
        #expect(rendered.contains("case a(Test.X)\n") && rendered.contains("case b(Test.X)\n"))
        // A number cannot be "y".
        #expect(rendered.contains("public init(t: Int) {\n"))
    }

    @Test func nestedUnionsFixTheValuesOfTheOuterOne() {
        let rendered = Rendered(
            schemas: """
                Outer: { oneOf: [{ $ref: '#/components/schemas/Inner' }, { $ref: '#/components/schemas/Leaf' }], discriminator: { propertyName: o, mapping: { inner: Inner, leaf: Leaf } } }
                Inner: { oneOf: [{ $ref: '#/components/schemas/One' }, { $ref: '#/components/schemas/Two' }], discriminator: { propertyName: i, mapping: { one: One, two: Two } } }
                One: { type: object, required: [o, i], properties: { o: { type: string }, i: { type: string } } }
                Two: { type: object, required: [o, i], properties: { o: { type: string }, i: { type: string } } }
                Leaf: { type: object, required: [o], properties: { o: { type: string } } }
                """)
        #expect(rendered.contains("self.o = \"inner\"\n            self.i = \"one\"\n"))
        #expect(rendered.contains("self.o = \"inner\"\n            self.i = \"two\"\n"))
    }

    /// The fallback branch is for all values that no other branch has.
    @Test func theFallbackBranchCanHaveAnyValue() {
        let rendered = Rendered(
            schemas: """
                Pet: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind, mapping: { cat: Cat }, defaultMapping: Dog } }
                Cat: { type: object, required: [kind], properties: { kind: { type: string } } }
                Dog: { type: object, required: [kind], properties: { kind: { type: string } } }
                """)
        #expect(rendered.contains("public init(kind: String) {\n"))
        #expect(rendered.contains("self.kind = \"cat\"\n"))
        // But not one that is read as another branch.
        #expect(rendered.contains("case .cat(let _value): _value.write(to: &_w)\n"))
        #expect(rendered.contains("case .dog(let _value): _w.fallback(_value, \"kind\", [\"cat\"])\n"))
    }

    @Test func integersAndInferredDiscriminatorsAreFixedToo() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }] }
                B: { type: object, required: [t], properties: { t: { type: integer, const: 2 } } }
                C: { type: object, required: [t], properties: { t: { type: integer, enum: [3, 4] } } }
                D: { oneOf: [{ $ref: '#/components/schemas/E' }, { $ref: '#/components/schemas/F' }], discriminator: { propertyName: t, mapping: { '5': E, '6': F } } }
                E: { type: object, required: [t], properties: { t: { type: integer } } }
                F: { type: object, required: [t], properties: { t: { type: [integer, 'null'] } } }
                """)
        #expect(rendered.contains("self.t = 2\n"))
        #expect(rendered.contains("public init(t: Test.C.T) {\n"))
        #expect(rendered.contains("self.t = 5\n") && rendered.contains("self.t = 6\n"))
    }

    @Test func equalBranchesOfTwoUnionsAreTwoTypes() {
        let branch =
            "{ type: object, required: [t], properties: { t: { type: string }, x: { type: string } } }"
        let rendered = Rendered(
            paths: """
                /a:
                  post:
                    operationId: a
                    requestBody: { content: { application/json: { schema: { oneOf: [\(branch), { $ref: '#/components/schemas/C' }], discriminator: { propertyName: t, mapping: { c: C } } } } } }
                    responses: { '204': { description: d } }
                """, rest: "components: { schemas: { C: \(branch) } }")
        #expect(rendered.contains("self.t = \"c\"\n"))
        #expect(rendered.contains("public var t: String\n"))
    }

    /// Branches inherit the enum of their base, which stays as it is.
    /// The values of a branch are those that both its base and itself allow.
    @Test func branchesMayRestrictTheEnumOfTheirBase() {
        let rendered = Rendered(
            schemas: """
                Pet: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind } }
                Base: { type: object, required: [kind], properties: { kind: { type: string, enum: [cat, dog, wolf] } } }
                Cat: { allOf: [{ $ref: '#/components/schemas/Base' }, { type: object, properties: { kind: { const: cat } } }] }
                Dog: { allOf: [{ $ref: '#/components/schemas/Base' }, { type: object, properties: { kind: { enum: [dog, wolf, fox] } } }] }
                """)
        #expect(rendered.findings.isEmpty, "\(rendered.printed)")
        #expect(rendered.contains("case \"cat\"?: self = .cat("))
        #expect(rendered.contains("case \"dog\"?, \"wolf\"?: self = .dog("))
    }

    @Test func anInheritedEnumIsRestrictedForEachBranch() {
        let rendered = Rendered(
            schemas: """
                Pet: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }, { $ref: '#/components/schemas/Base' }], discriminator: { propertyName: kind, mapping: { cat: Cat, dog: Dog, wolf: Dog, base: Base, other: Base } } }
                Base: { type: object, required: [kind], properties: { kind: { type: string, enum: [cat, dog, wolf, base, other] } } }
                Cat: { allOf: [{ $ref: '#/components/schemas/Base' }, { type: object, properties: { purr: { type: boolean } } }] }
                Dog: { allOf: [{ $ref: '#/components/schemas/Base' }, { type: object, properties: { bark: { type: boolean } } }] }
                """)
        #expect(rendered.contains("self.kind = Test.Base.Kind.cat\n"))
        #expect(rendered.contains("public var kind: Test.Dog.Kind\n"))
        #expect(rendered.contains("return [.dog, .wolf]\n"))
        #expect(rendered.contains("return [.base, .other]\n"))
        #expect(rendered.contains("return [.cat, .dog, .wolf, .base, .other]\n"))
        #expect(rendered.findings.isEmpty)
    }
}
