import Testing

@testable import OpenAPIGeneration

/// Unions whose branches a property selects.
@Suite struct UnionDiscriminatorTests {
    @Test func byDiscriminatorWithAndWithoutMapping() {
        let rendered = Rendered(
            schemas: """
                A:
                  oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
                  discriminator: { propertyName: kind, mapping: { tom: '#/components/schemas/Cat', kitty: Cat } }
                """ + UnionTests.cats)
        #expect(rendered.contains(#"case "kitty"?, "tom"?: self = .cat(try Test.Cat(json: _json))"#))
        #expect(rendered.contains(#"case "Dog"?: self = .dog(try Test.Dog(json: _json))"#))
        #expect(rendered.contains("default: self = .unrecognized(try JSONValue(json: _json))"))
        #expect(rendered.findings.isEmpty)
    }

    @Test func aSharedValueOfTheDiscriminatorTellsNothingApart() {
        let rendered = Rendered(
            schemas: """
                A:
                  oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }, { $ref: '#/components/schemas/D' }]
                  discriminator: { propertyName: t }
                B: { type: object, required: [t, role], properties: { t: { const: m }, role: { const: b }, x: { type: string } } }
                C: { type: object, required: [t, role], properties: { t: { const: m }, role: { const: c }, y: { type: string } } }
                D: { type: object, required: [t, z], properties: { t: { const: d }, z: { type: string } } }
                """)
        #expect(!rendered.contains(#"switch _json.discriminator("t") {"#))
        #expect(rendered.contains("case c(Test.C)"))
        #expect(rendered.findings.count == 1)
    }

    /// Nobody sends the name of a union as the value of a discriminator.
    @Test func theValuesOfABranchThatIsAUnionAreThoseOfItsBranches() {
        let schemas = { (value: String) in
            """
            A:
              oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }]
              discriminator: { propertyName: t }
            B: { type: object, required: [t], properties: { t: { anyOf: [{ type: string, enum: [b] }, { type: 'null' }] }, x: { type: string } } }
            C: { oneOf: [{ $ref: '#/components/schemas/D' }, { $ref: '#/components/schemas/E' }] }
            D: { type: object, required: [t], properties: { t: { const: \(value) } } }
            E: { type: object, required: [t], properties: { t: { const: e } } }
            """
        }
        let apart = Rendered(schemas: schemas("d"))
        #expect(apart.contains(#"case "b"?: self = .b(try Test.B(json: _json))"#))
        #expect(apart.contains(#"case "d"?, "e"?: self = .c("#))
        #expect(!apart.contains(#""C""#))
        let shared = Rendered(schemas: schemas("b"))
        #expect(shared.rules.contains("ambiguous-union"))
    }

    @Test func byAConstant() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }] }
                B: { type: object, required: [t], properties: { t: { const: b }, x: { type: string } } }
                C: { type: object, required: [t], properties: { t: { enum: [c, d] }, x: { type: string } } }
                """)
        #expect(rendered.contains("switch _json.discriminator(\"t\") {"))
        #expect(rendered.contains(#"case "c"?, "d"?: self = .c(try Test.C(json: _json))"#))
    }

    /// The values of a discriminator tell them apart.
    @Test func aliasesOfASchemaAreBranches() {
        func schemas(_ discriminator: String) -> Rendered {
            Rendered(
                schemas: """
                    U: { oneOf: [{ $ref: '#/components/schemas/One' }, { $ref: '#/components/schemas/Two' }, { $ref: '#/components/schemas/x.Three' }]\(discriminator) }
                    A: { type: object, required: [t], properties: { t: { type: string }, a: { type: integer } } }
                    One: { $ref: '#/components/schemas/A' }
                    Two: { description: The second., allOf: [{ $ref: '#/components/schemas/A' }] }
                    x.Three: { type: object, required: [t], properties: { t: { type: string }, c: { type: integer } } }
                    """)
        }
        let mapped = schemas(
            ", discriminator: { propertyName: t, mapping: { one: '#/components/schemas/One', two: Two, three: x.Three } }"
        )
        #expect(mapped.findings.isEmpty)
        #expect(mapped.contains(#"case "one"?: self = .one(try Test.A(json: _json))"#))
        #expect(mapped.contains(#"case "two"?: self = .two(try Test.A(json: _json))"#))
        #expect(mapped.contains(#"case "three"?: self = .three(try Test.XThree(json: _json))"#))
        #expect(mapped.contains("public var t: Test.A.T\n"))
        // One is not written as two.
        #expect(mapped.contains(#"case .one(let _value): _w.fallback(_value, "t", ["two"])"#))
        #expect(mapped.contains(#"case .two(let _value): _w.fallback(_value, "t", ["one"])"#))
        #expect(mapped.contains("case .three(let _value): _value.write(to: &_w)"))
        let named = schemas(", discriminator: { propertyName: t }")
        #expect(named.findings.isEmpty)
        #expect(named.contains(#"case "Two"?: self = .two(try Test.A(json: _json))"#))
        // A mapping to the schema itself is one to its first alias.
        let direct = schemas(
            ", discriminator: { propertyName: t, mapping: { one: A, two: Two, three: x.Three } }")
        #expect(direct.findings.isEmpty)
        #expect(direct.contains(#"case "one"?: self = .one(try Test.A(json: _json))"#))
        // Nothing tells them apart.
        let plain = schemas("")
        #expect(plain.contains("case one(Test.A)\n") && !plain.contains("case two("))
    }

    @Test func aliasesHaveTheirOwnNamesInALock() {
        let document = """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            components:
              schemas:
                U: { oneOf: [{ $ref: '#/components/schemas/One' }, { $ref: '#/components/schemas/Two' }], discriminator: { propertyName: t, mapping: { one: One, two: Two } } }
                A: { type: object, required: [t], properties: { t: { type: string } } }
                One: { $ref: '#/components/schemas/A' }
                Two: { $ref: '#/components/schemas/A' }
            """
        var lock = LockFile()
        lock.set(Rendered(document).output.names, of: "Test.openapi.yaml")
        let renamed = lock.text.replacing("~1A~1Two\": \"two\"", with: "~1A~1Two\": \"second\"")
        #expect(renamed != lock.text)
        let rendered = Rendered(document, lock: renamed)
        #expect(rendered.contains("case one(Test.A)\n") && rendered.contains("case second(Test.A)\n"))
    }

    @Test func integersAreDiscriminatorsToo() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }] }
                B: { type: object, required: [type], properties: { type: { type: integer, const: 2 } } }
                C: { type: object, required: [type], properties: { type: { type: integer, enum: [3, 4] } } }
                """)
        #expect(rendered.contains("switch _json.integerDiscriminator(\"type\") {"))
        #expect(rendered.contains("case 3?, 4?: self = .c("))
        #expect(rendered.contains("self.type = 2\n"))
    }

    @Test func aDefaultMappingTakesTheRest() {
        let rendered = Rendered(
            schemas:
                "A: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind, mapping: { c: Cat }, defaultMapping: Dog } }"
                + UnionTests.cats)
        #expect(rendered.contains("default: self = .dog(try Test.Dog(json: _json))"))
    }

    /// By the mapping, else by the schema.
    @Test func casesHaveTheNamesOfTheMapping() {
        let rendered = Rendered(
            schemas: """
                Pet:
                  oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }, { $ref: '#/components/schemas/Cow' }, { $ref: '#/components/schemas/Hen' }]
                  discriminator: { propertyName: kind, mapping: { tabby-cat: Cat, dog: Dog, wolf: Dog, "7": Cow } }
                Cat: { type: object, required: [kind], properties: { kind: { type: string } } }
                Dog: { type: object, required: [kind], properties: { kind: { type: string } } }
                Cow: { type: object, required: [kind], properties: { kind: { type: string } } }
                Hen: { type: object, required: [kind], properties: { kind: { type: string } } }
                """)
        for name in ["tabbyCat(Test.Cat)", "dog(Test.Dog)", "cow(Test.Cow)", "hen(Test.Hen)"] {
            #expect(rendered.contains("case \(name)\n"), "\(name)")
        }
        // Two values select it: the caller chooses.
        #expect(rendered.contains("public var kind: Test.Dog.Kind\n"))
        #expect(rendered.contains("case wolf\n"))
        #expect(rendered.contains("self.kind = \"Hen\"\n"))
    }

    @Test func aRequiredConstantDecidesBesideAnOptionalOne() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }] }
                B: { type: object, required: [t], properties: { kind: { const: b }, t: { const: x } } }
                C: { type: object, required: [t], properties: { kind: { const: c }, t: { const: y } } }
                """)
        #expect(rendered.contains(#"switch _json.discriminator("t") {"#))
    }
}
