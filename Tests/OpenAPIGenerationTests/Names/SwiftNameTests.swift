import TestTiers
import Testing

@testable import OpenAPIGeneration

@Suite struct SwiftNameTests {
    @Test(arguments: [
        ("HTTPServer", "httpServer", "HTTPServer"), ("X-Total-Count", "xTotalCount", "XTotalCount"),
        ("ETag", "eTag", "ETag"), ("bookID", "bookID", "BookID"), ("self-help", "selfHelp", "SelfHelp"),
        ("URLList", "urlList", "URLList"), ("snake_case_name", "snakeCaseName", "SnakeCaseName"),
        ("find pet by id", "findPetById", "FindPetById"), ("2fa", "_2fa", "_2fa"), ("", "value", "Value"),
        ("+1", "plus1", "Plus1"), ("-1", "minus1", "Minus1"), ("*", "star", "Star"),
        (">=", "u3e_3d", "U3e_3d"),
        ("self", "self_", "Self_"), ("init", "init_", "Init"), ("Type", "type", "Type_"),
        ("String", "string", "String_"), ("Date", "date", "Date_"), ("Error", "error", "Error"),
        ("stra\u{df}e", "stra\u{df}e", "Stra\u{df}e"), ("\u{dc}ber", "\u{fc}ber", "\u{dc}ber"),
        ("\u{65e5}\u{672c}", "\u{65e5}\u{672c}", "\u{65e5}\u{672c}"), ("../../etc", "etc", "Etc"),
        ("a\u{202E}b", "aB", "AB"), ("\u{1F600}", "u1f600", "U1f600"), ("a`b", "aB", "AB"),
    ])
    func words(text: String, member: String, type: String) {
        #expect(SwiftName.member(text) == member)
        #expect(SwiftName.type(text) == type)
    }

    @Test(arguments: ["default", "in", "class", "where", "protocol", "inout", "throw"])
    func keywordsStandInBackticks(word: String) {
        #expect(SwiftName.escaped(SwiftName.member(word)) == "`\(word)`")
    }

    /// For an optional value, Swift reads `.none` as nil.
    @Test func noCaseIsACaseOfOptional() {
        let rendered = Rendered(
            schemas: """
                A: { type: string, enum: [none, some, None, other] }
                B: { type: integer, enum: [1, 2], x-enum-varnames: [none, two] }
                C: { oneOf: [{ $ref: '#/components/schemas/none' }, { type: string }] }
                none: { type: object, properties: { a: { type: string } } }
                """)
        #expect(!rendered.contains("case none\n") && !rendered.contains("case some\n"))
        for name in ["case none_\n", "case some_\n", "case none_2\n", "case none_(Test.None)"] {
            #expect(rendered.contains(name), "\(name)")
        }
    }

    @Test func casesOfOptionalAreRenamedInWebhooksAndServersToo() {
        let rendered = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            servers: [{ url: 'https://{r}.example', variables: { r: { enum: [none, eu], default: none } } }]
            webhooks: { none: { post: { responses: {} } }, some: { post: { responses: {} } } }
            """)
        #expect(rendered.contains("enum R: String, CaseIterable, Sendable"))
        #expect(rendered.contains("case none_ = \"none\""))
        #expect(rendered.contains("case some_\n"))
    }

    /// A lock from before such cases were renamed does not bring the name back.
    @Test func aLockDoesNotKeepACaseOfOptional() {
        let schemas = "components: { schemas: { A: { type: string, enum: [none, b] } } }"
        let lock = ##"""
            {"version": 1, "documents": {"api.yaml": {"case #/components/schemas/A/enum": {"none": "none", "b": "c"}}}}
            """##
        let rendered = Rendered(
            "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths: {}\n" + schemas, path: "api.yaml",
            lock: lock)
        #expect(rendered.contains("case none_\n") && rendered.contains("case c\n"))
    }

    @Test func whateverComesInAnIdentifierComesOut() {
        var random = RepeatableRandom(seed: 23)
        for _ in 0..<2000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                text.append(Unicode.Scalar(UInt32.random(in: 0..<0xD800, using: &random)) ?? "x")
            }
            let name = SwiftName.member(String(text))
            #expect(!name.isEmpty)
            for scalar in name.unicodeScalars {
                #expect(scalar == "_" || scalar.properties.isXIDContinue, "\(Array(text.map(\.value)))")
            }
            #expect(name.unicodeScalars.first?.properties.generalCategory != .decimalNumber)
        }
    }

    @Test func theLaterOfTwoGetsANumber() {
        var scope = NameScope(reserving: ["c"])
        #expect(["a", "a", "a2", "a", "c"].map { scope.claim($0) } == ["a", "a2", "a22", "a3", "c2"])
    }

    @Test func collisionsInADocument() {
        let rendered = Rendered(
            schemas: """
                foo-bar: { type: object, properties: { a-b: { type: string }, a_b: { type: string }, aB: { type: string } } }
                fooBar: { type: string, enum: [x, X, x!, "", " "] }
                String: { type: object, properties: { s: { $ref: '#/components/schemas/String' } } }
                Test: { type: object, properties: { init: { type: string }, self: { type: string }, default: { type: string } } }
                """)
        #expect(rendered.contains("struct FooBar:"))
        #expect(rendered.contains("enum FooBar2:"))
        #expect(rendered.contains("public var aB: String?"))
        #expect(rendered.contains("public var aB2: String?"))
        #expect(rendered.contains("public var aB3: String?"))
        #expect(rendered.contains("case x2"))
        #expect(rendered.contains("case x3"))
        #expect(rendered.contains("struct String_:"))
        #expect(rendered.contains("struct Test_:"))
        #expect(rendered.contains("public var `default`: String?"))
        #expect(rendered.contains("public var init_: String?"))
        #expect(rendered.contains("self.`default` = `default`"))
    }

    @Test(arguments: [
        ("Petstore.openapi.yaml", "Petstore"), ("pet-store.openapi.json", "PetStore"),
        ("openapi.yml", "OpenAPI"), ("api.v2.openapi.yaml", "ApiV2"), ("billing.json", "Billing"),
    ])
    func aFileNamesItsClient(file: String, name: String) {
        #expect(Generator.namespace(ofFile: file) == name)
    }

    @Test func someNamesAreNoNames() {
        for name in ["API", "String", "pets", "a b", "", "1x", "Self", "Gateway"] {
            #expect(!Generator.isValid(namespace: name), "\(name)")
        }
        #expect(Generator.isValid(namespace: "Petstore"))
    }
}
