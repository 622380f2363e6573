import Testing

@testable import OpenAPIGeneration

@Suite struct UnionTests {
    private static let cats = """

        Cat: { type: object, required: [kind, purr], properties: { kind: { type: string }, purr: { type: boolean } } }
        Dog: { type: object, required: [kind, bark], properties: { kind: { type: string }, bark: { type: boolean } } }
        """

    @Test func byDiscriminatorWithAndWithoutMapping() {
        let rendered = Rendered(
            schemas: """
                A:
                  oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
                  discriminator: { propertyName: kind, mapping: { tom: '#/components/schemas/Cat', kitty: Cat } }
                """ + Self.cats)
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

    @Test func byJSONType() {
        let rendered = Rendered(
            schemas:
                "A: { oneOf: [{ type: string }, { type: array, items: { type: string } }, { $ref: '#/components/schemas/Cat' }, { type: boolean }] }"
                + Self.cats)
        #expect(rendered.contains("case JSONType.string: self = .string(try String(json: _json))"))
        #expect(rendered.contains("case JSONType.array: self = .array(try [String](json: _json))"))
        #expect(rendered.contains("case JSONType.object: self = .cat(try Test.Cat(json: _json))"))
        #expect(rendered.contains("case JSONType.bool: self = .bool(try Bool(json: _json))"))
    }

    @Test func byTypeList() {
        let rendered = Rendered(
            schemas:
                "A: { type: [string, integer, 'null'] }\nB: { type: object, properties: { a: { $ref: '#/components/schemas/A' } } }"
        )
        #expect(rendered.contains("case JSONType.number: self = .integer(try Int(json: _json))"))
        #expect(rendered.contains("public var a: Field<Test.A>"))
    }

    @Test(arguments: [
        "{ oneOf: [{ type: string }, { type: integer }, { type: number }] }",
        "{ anyOf: [{ type: number, format: double }, { type: string }, { type: integer, format: int64 }] }",
        "{ type: [string, integer, number] }",
    ])
    func anIntegerBesideANumberIsAnExactNumber(schema: String) {
        let rendered = Rendered(schemas: "A: " + schema)
        #expect(rendered.contains("case number(JSONNumber)"))
        #expect(!rendered.contains("case integer"))
        #expect(rendered.findings.isEmpty)
    }

    @Test(arguments: [
        "{ oneOf: [{ type: integer, enum: [1, 2] }, { type: number }] }", "{ enum: [1, 2, 0.5, a] }",
    ])
    func aNumberBesideAnIntegerEnumIsExact(schema: String) {
        #expect(Rendered(schemas: "A: " + schema).contains("case number(JSONNumber)"))
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

    @Test func byAKeyOfItsOwn() {
        let rendered = Rendered(
            schemas:
                "A: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }, { type: string }] }"
                + Self.cats)
        #expect(
            rendered.contains(
                #"self = try _json.match("0-!Dkind\t!Apurr\n1-!Dkind\t!Abark\n", isCertain: true, Self.init(_branch:json:))"#
            ))
        #expect(rendered.contains("private init(_branch: Int, json _json: JSONElement) throws(JSONError) {"))
        #expect(rendered.contains("case 1: self = .dog(try Test.Dog(json: _json))"))
        #expect(!rendered.contains("unknownProperties"))
        #expect(rendered.findings.isEmpty)
    }

    /// Another branch can be valid, or none: the constant can be absent or null.
    @Test func anOptionalConstantDoesNotDecideAlone() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }] }
                B: { type: object, required: [x], properties: { kind: { type: string, enum: [b] }, x: { type: string } } }
                C: { type: object, required: [kind, y], properties: { kind: { type: [string, 'null'], enum: [c, null] }, y: { type: string } } }
                """)
        #expect(!rendered.contains("_json.discriminator("))
        #expect(
            rendered.contains(
                #"_json.match("1-~Dkind\u{1}c\t!Dy\n0-!Dx\t?Dkind\u{1}b\n", isCertain: true,"#))
        // It is sent nevertheless.
        #expect(rendered.contains("public init(x: String) {\n"))
        #expect(rendered.contains("self.kind = \"b\"\n") && rendered.contains("self.kind = \"c\"\n"))
        #expect(rendered.findings.isEmpty)
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

    /// The strictest first.
    @Test func listsAndMapsAreToldApartByWhatIsInThem() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ type: array, items: { $ref: '#/components/schemas/O' } }, { type: array, items: { $ref: '#/components/schemas/R' } }, { type: array, items: {} }] }
                B: { oneOf: [{ type: object, additionalProperties: { type: string } }, { $ref: '#/components/schemas/R' }] }
                C: { oneOf: [{ type: array, items: { type: string } }, { type: array, items: { enum: [a, b] } }, { type: array, items: { type: array, items: { type: number } } }] }
                D: { oneOf: [{ type: array, items: { $ref: '#/components/schemas/E' } }, { type: array, items: { type: boolean } }] }
                E: { oneOf: [{ type: string }, { $ref: '#/components/schemas/R' }, { type: array, items: { $ref: '#/components/schemas/D' } }] }
                O: { type: object, properties: { o: { type: string } } }
                R: { type: object, required: [r], properties: { r: { type: string } } }
                """)
        #expect(
            rendered.contains(
                ##"match("1[0,\n0[5,\n2[\n", elements: "+!Dr\n-?Do\n", Self.init(_branch:json:))"##))
        #expect(
            rendered.contains(##"match("1+!Dr\n0+0,\n", elements: "*D\n", Self.init(_branch:json:))"##))
        #expect(
            rendered.contains(
                ##"match("1[0,\n2[10,\n0[14,\n", elements: "*D\u{1}a\u{1}b\n*B\n[7,\n*D\n", "##))
        #expect(rendered.contains("case 2: self = .array3(try [[Double]](json: _json))"))
        // A list of unions; what it refers to itself for ends.
        #expect(rendered.contains("public nonisolated enum D:"))
        #expect(Set(rendered.rules) == ["ambiguous-union"])
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

    /// A value can match several branches of an `anyOf`: what one does not define can belong to another.
    @Test func branchesOfAnAnyOfKeepTheMembersOfTheOthers() {
        let rendered = Rendered(
            schemas: """
                A: { anyOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }, { type: string }] }
                B: { type: object, required: [b], properties: { b: { type: string }, inner: { $ref: '#/components/schemas/BInner' }, same: { $ref: '#/components/schemas/Same' } } }
                C: { type: object, required: [c], properties: { c: { type: string }, inner: { $ref: '#/components/schemas/CInner' }, same: { $ref: '#/components/schemas/Same' } } }
                BInner: { type: object, properties: { x: { type: string }, list: { type: array, items: { $ref: '#/components/schemas/BItem' } } } }
                CInner: { type: object, properties: { y: { type: string }, list: { type: array, items: { $ref: '#/components/schemas/CItem' } } } }
                BItem: { type: object, properties: { x: { type: string } } }
                CItem: { type: object, properties: { y: { type: string } } }
                Same: { type: object, properties: { z: { type: string } } }
                """)
        #expect(rendered.findings.isEmpty)
        // B, C, and the objects inside of both.
        #expect(rendered.source.ranges(of: ": UnknownProperties\n").count == 6)
        #expect(rendered.contains(#"self.unknownProperties = try _o.unknown(["b", "inner", "same"])"#))
        #expect(
            rendered.contains(#"_w.unknown(self.unknownProperties, ["list", "y"])"#))
        #expect(rendered.contains("public init(z: String? = nil) {"))
    }

    @Test(arguments: [
        // A value matches one of them.
        ("oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }]", 0),
        ("anyOf: [{ $ref: '#/components/schemas/T1' }, { $ref: '#/components/schemas/T2' }]", 0),
        ("anyOf: [{ $ref: '#/components/schemas/B' }, { type: string }, { type: 'null' }]", 0),
        ("anyOf: [{ $ref: '#/components/schemas/B' }, { type: array, items: { type: string } }]", 0),
        // Or several.
        (
            "anyOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }], discriminator: { propertyName: t, mapping: { b: B, c: C } }",
            2
        ),
        ("anyOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }]", 2),
        ("anyOf: [{ $ref: '#/components/schemas/B' }, { type: object }]", 1),
        ("oneOf: [{ $ref: '#/components/schemas/B' }, { type: object }]", 1),
        (
            "anyOf: [{ type: array, items: { $ref: '#/components/schemas/B' } }, { type: array, items: { $ref: '#/components/schemas/C' } }]",
            2
        ),
        (
            "anyOf: [{ type: object, additionalProperties: { $ref: '#/components/schemas/B' } }, { type: object, properties: { m: { $ref: '#/components/schemas/C' } } }]",
            3
        ),
        (
            "anyOf: [{ oneOf: [{ $ref: '#/components/schemas/B' }, { type: string }] }, { $ref: '#/components/schemas/C' }]",
            2
        ),
        (
            "properties: { id: { type: string } }, anyOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }]",
            2
        ),
    ]) func onlyWhatCanMatchSeveralBranchesKeepsThem(union: String, count: Int) {
        let rendered = Rendered(
            schemas: """
                A: { \(union) }
                B: { type: object, properties: { b: { type: string }, t: { type: string } } }
                C: { type: object, properties: { c: { type: string }, t: { type: string } } }
                T1: { type: object, required: [k], properties: { k: { const: one }, b: { type: string } } }
                T2: { type: object, required: [k], properties: { k: { const: two }, c: { type: string } } }
                """)
        #expect(rendered.source.ranges(of: ": UnknownProperties\n").count == count)
    }

    @Test func whatIsAlikeIsToldApartByPatterns() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }] }
                B: { type: object, patternProperties: { '^x': { type: integer } }, additionalProperties: false }
                C: { type: object, patternProperties: { '^x': { type: string }, 'y$': {} }, additionalProperties: { type: boolean } }
                """)
        #expect(rendered.contains(#"elements: "*A\n""#))
        #expect(rendered.contains("patterns: Self._objectPatterns"))
        #expect(rendered.contains(#"private static let _objectPatterns = NamePatterns("^x\ny$")"#))
        #expect(rendered.contains("0-^B0\\n"))
        #expect(rendered.contains("1+0,^D0\\t^_1\\n"))
    }

    @Test func whatIsAlikeIsToldApartByItsMembers() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }] }
                B: { type: object, properties: { x: { type: string }, k: { type: string, enum: [a, b] } } }
                C: { type: object, properties: { x: { type: string }, y: { type: integer } } }
                """)
        #expect(rendered.findings == ["5:8 warning ambiguous-union"])
        #expect(
            rendered.contains(
                #"_json.match("0-?Dk\u{1}a\u{1}b\t?Dx\n1-?Dx\t?By\n", Self.init(_branch:json:))"#))
        #expect(rendered.contains("case 1: self = .c(try Test.C(json: _json))"))
    }

    @Test func whatIsRequiredTellsApartForCertain() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }, { $ref: '#/components/schemas/D' }] }
                B: { type: object, required: [x, y], properties: { x: { type: string }, y: { type: string } } }
                C: { type: object, required: [x, z], properties: { x: { type: string }, z: { type: string } } }
                D: { type: object, required: [y, z], properties: { y: { type: string }, z: { type: string } } }
                """)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("case 0: self = .b(try Test.B(json: _json))"))
        #expect(rendered.contains("isCertain: true"))
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

    @Test func nestedEnumsAreOne() {
        let rendered = Rendered(
            schemas: """
                A: { anyOf: [{ $ref: '#/components/schemas/B' }, { type: string, enum: [z] }, { type: 'null' }] }
                B: { anyOf: [{ type: string }, { type: string, enum: [x, y] }] }
                C: { oneOf: [{ $ref: '#/components/schemas/D' }, { type: integer, enum: [9] }] }
                D: { type: integer, oneOf: [{ title: ONE, const: 1 }, { title: TWO, const: 2 }] }
                E: { enum: [1, low, true] }
                """)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public nonisolated enum A: OpenEnum"))
        #expect(rendered.contains("public nonisolated enum C: OpenEnum"))
        #expect(rendered.contains("case 9: self = .value9"))
        #expect(rendered.contains("case JSONType.bool: self = .bool(try Bool(json: _json))"))
    }

    @Test func aDefaultMappingTakesTheRest() {
        let rendered = Rendered(
            schemas:
                "A: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind, mapping: { c: Cat }, defaultMapping: Dog } }"
                + Self.cats)
        #expect(rendered.contains("default: self = .dog(try Test.Dog(json: _json))"))
    }

    @Test func stringsAreToldApartByTheirValue() {
        let rendered = Rendered(
            schemas: """
                A: { oneOf: [{ type: string, format: uuid }, { type: string, enum: [a] }, { type: string }, { type: boolean }] }
                """)
        #expect(rendered.contains("switch _json.stringOrNil {"))
    }

    @Test func propertiesBesideAUnionAreInEachBranch() {
        let rendered = Rendered(
            schemas: """
                A:
                  type: object
                  required: [id]
                  properties: { id: { type: string } }
                  oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
                """ + Self.cats)
        #expect(
            rendered.contains("public init(kind: String, purr: Bool, id: String)")
                || rendered.contains("public init(id: String, kind: String, purr: Bool)"))
        #expect(rendered.contains("case cat("))
    }

    @Test func branchesThatOnlyRequireKeepTheObject() {
        let rendered = Rendered(
            schemas:
                "A: { type: object, properties: { a: { type: string }, b: { type: string } }, anyOf: [{ required: [a] }, { required: [b] }] }"
        )
        #expect(rendered.contains("public init(a: String? = nil, b: String? = nil)"))
        #expect(rendered.findings.isEmpty)
    }

    @Test func inlineBranchesAreNamedByTheirPlace() {
        let rendered = Rendered(
            schemas:
                "A: { oneOf: [{ type: object, required: [x], properties: { x: {} } }, { title: Second one, type: object, required: [y], properties: { y: {} } }] }"
        )
        #expect(rendered.contains("case variant1(Test.A.Variant1)"))
        #expect(rendered.contains("case secondOne(Test.A.SecondOne)"))
    }

    @Test func recursiveUnionsAreIndirect() {
        let rendered = Rendered(
            schemas: """
                Tree: { oneOf: [{ type: string }, { $ref: '#/components/schemas/Branch' }] }
                Branch: { type: object, required: [left], properties: { left: { $ref: '#/components/schemas/Tree' } } }
                """)
        #expect(rendered.contains("indirect case branch(Test.Branch)"))
        #expect(rendered.contains("private var _left: Boxed<Test.Tree>"))
    }

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
