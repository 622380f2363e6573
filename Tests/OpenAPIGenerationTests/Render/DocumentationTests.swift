import Foundation
import Testing

@testable import OpenAPIGeneration

@Suite struct DocumentationTests {
    private static let document = """
        openapi: 3.1.0
        info: { title: T, version: '1' }
        paths:
          /pets/{id}:
            get:
              operationId: getPet
              summary: One pet
              description: With its owner.
              parameters:
                - { name: id, in: path, required: true, description: Which pet, schema: { type: string } }
                - { name: verbose, in: query, schema: { type: boolean } }
              responses:
                '200': { description: The pet, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
                '404': { description: No such pet }
                default: { description: '' }
            delete:
              operationId: deletePet
              parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
              responses: { '204': { description: Deleted } }
        components:
          schemas:
            Pet:
              type: object
              required: [kind, shape]
              properties:
                kind: { type: string, enum: [cat, 'a`b', ''] }
                name: { type: string, description: What it answers to. }
                nick_name: { type: string, deprecated: true }
                owner: { type: string, deprecated: true, description: Whose it is. }
                shape: { oneOf: [{ $ref: '#/components/schemas/Round' }, { type: string }] }
            Round: { type: object, description: A ball., required: [r], properties: { r: { type: number } } }
        """

    private func comment(before line: String, in source: String) -> [String] {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map {
            String($0.drop { $0 == " " })
        }
        guard let index = lines.firstIndex(where: { $0.hasPrefix(line) }) else { return ["no \(line)"] }
        let start = lines[..<index].lastIndex { !$0.hasPrefix("///") && !$0.hasPrefix("@") } ?? 0
        return Array(lines[(start + 1)..<index])
    }

    @Test func methodsAreDocumented() {
        let rendered = Rendered(Self.document)
        #expect(
            comment(before: "public func getPet(", in: rendered.source) == [
                "/// One pet", "///", "/// With its owner.", "///", "/// `GET /pets/{id}`", "///",
                "/// - Parameters:", "///   - id: Which pet.", "/// - Returns: The pet.",
                "/// - Throws: `APIError`, with a documented failure:",
                "///   - `notFound`, 404: No such pet.", "///   - `other`, any other status.",
            ])
        #expect(
            comment(before: "public func deletePet(", in: rendered.source) == [
                "/// `DELETE /pets/{id}`", "///",
                "/// - Throws: `APIError`. The document defines no failures.",
            ])
    }

    /// The method that returns the response refers to the other one, also for each media type of a body.
    @Test func aMethodIsDocumentedOnce() {
        let source = Rendered(Self.document).source
        let reference = "/// The same as `TestClient.getPet`, with the response."
        let responses = source.split(separator: "extension TestClient.WithResponse {").dropFirst()
        #expect(
            Set(responses.map { comment(before: "public func ", in: String($0)) }) == [
                [reference], [reference.replacing("getPet", with: "deletePet")],
            ])
        for text in ["With its owner.", "Which pet.", "`notFound`, 404: No such pet."] {
            #expect(source.split(separator: text).count == 2, "\(text)")
        }
        let bodies = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a: { post: { operationId: a, description: A text., requestBody: { required: true, content: {
                application/json: { schema: { type: string } }, text/plain: { schema: { type: string } } } },
                responses: { '204': { description: d } } } }
            """, configuration: "protocols: true")
        for difference in ["the response", "default options"] {
            #expect(bodies.contains("/// The same as `TestClient.a`, with \(difference).\n"))
            #expect(
                bodies.contains("/// The same as `TestClient.a`, sent as `text/plain`, with \(difference).\n")
            )
        }
    }

    @Test func typesPropertiesAndCasesAreDocumented() {
        let source = Rendered(Self.document).source
        for (line, expected) in [
            ("public nonisolated struct Round", "/// A ball."), ("public var r:", "/// The property `r`."),
            ("public var name:", "/// What it answers to."), ("case cat", "/// The value `cat`."),
            ("case aB", "/// The value `ab`."), ("case value", "/// An empty or blank string."),
            ("case round(", "/// A ball."), ("case string(", "/// A value of type `String`."),
        ] {
            #expect(comment(before: line, in: source) == [expected], "\(line)")
        }
    }

    @Test func initializersAreDocumented() {
        let source = Rendered(Self.document).source
        let pet = source.split(separator: "struct Pet:").last.map { String($0) } ?? ""
        #expect(
            comment(before: "public init(", in: pet) == [
                "/// Creates a value.", "///", "/// - Parameters:", "///   - name: What it answers to.",
                "///   - owner: Whose it is.",
            ])
        #expect(comment(before: "public init(r: ", in: source) == ["/// Creates a value."])
        let keeping = Rendered(Self.document, configuration: "unknownProperties: keep").source
        #expect(
            comment(before: "public init(r: ", in: keeping).last
                == "///   - unknownProperties: The properties that the schema does not define, as they were received."
        )
    }

    @Test(arguments: [
        ("One. Two.", "One."), ("One", "One."), ("One!\nTwo", "One!"), ("One,\ntwo\n\nthree", "One, two."),
        ("A value, e.g. One or two. Three", "A value, e.g. One or two."),
        ("Version 1.2 of it", "Version 1.2 of it."),
        ("One of:\n- a\n- b", "One of:"), ("Ends. in lower case", "Ends. in lower case."), ("- a", ""),
        ("", ""),
        ("Is it? `b` says so", "Is it?"),
    ])
    func aParameterIsDescribedByOneSentence(text: String, sentence: String) {
        #expect(SwiftText.firstSentence(text) == sentence)
    }

    /// The attribute is a warning where callers use the property, and none in generated code.
    @Test func deprecatedPropertiesHaveTheAttribute() {
        let source = Rendered(Self.document).source
        #expect(
            comment(before: "public var owner: String? {", in: source) == [
                "/// Whose it is.", "@available(*, deprecated)",
            ])
        #expect(
            comment(before: "public var nickName: String? {", in: source).last == "@available(*, deprecated)")
        #expect(source.contains("self._owner = owner\n"))
        #expect(!source.contains("self.owner") && !source.contains("self.nickName"))
    }

    /// Pages and requests for streams use properties; others of the same name have the attribute.
    @Test func onlyTheDeprecatedPropertyThatCodeUsesHasNoAttribute() {
        let page = """
            { type: object, required: [items], properties: { items: { type: array, deprecated: true, items: { type: string } }, \
            meta: { type: object, properties: { next_cursor: { type: string, deprecated: true } } } } }
            """
        func operation(_ path: String, _ id: String) -> String {
            """
              \(path): { get: { operationId: \(id), parameters: [{ name: cursor, in: query, schema: { type: string } }], \
            responses: { '200': { content: { application/json: { schema: \(page) } } } } } }

            """
        }
        let source = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
            \(operation("/a", "first"))\(operation("/b", "second"))
            components:
              schemas:
                Order:
                  type: object
                  properties:
                    items: { type: array, deprecated: true, items: { type: integer } }
                    next_cursor: { type: string, deprecated: true }
            """
        ).source
        for line in ["public var items: [String]", "public var nextCursor: String?\n"] {
            #expect(source.contains(line))
        }
        for line in ["public var items: [Int]? {", "public var nextCursor: String? {"] {
            #expect(comment(before: line, in: source).last == "@available(*, deprecated)", "\(line)")
        }
        #expect(source.contains("return self.meta?.nextCursor }"))
    }

    @Test func aDeprecatedSchemaIsMarkedAfterItsText() {
        let source = Rendered(
            schemas:
                "A: { type: object, deprecated: true, description: Old., properties: { a: { type: string } } }"
        ).source
        #expect(
            comment(before: "public nonisolated struct A:", in: source) == [
                "/// Old.", "///", "/// Deprecated.",
            ])
    }

    @Test(arguments: [
        ("Deprecated. Use B.", true), ("**Deprecated:** use B", true), ("Old. It is deprecated.", true),
        ("Replaces the deprecated B.", false), ("Old.", false),
    ])
    func aTextThatSaysDeprecatedIsTheOnlyMark(text: String, isEnough: Bool) {
        let source = Rendered(
            schemas:
                "A: { type: object, deprecated: true, description: '\(text)', properties: { a: { type: string } } }"
        ).source
        #expect(
            comment(before: "public nonisolated struct A:", in: source)
                == ["/// " + text] + (isEnough ? [] : ["///", "/// Deprecated."]))
    }

    /// Every public type, property, case and initializer, except what protocols of the runtime require.
    @Test(arguments: fixtureNames)
    func everyDeclarationHasAComment(name: String) throws {
        let lines = try Rendered.fixture(name).source.split(separator: "\n")
            .map { $0.drop { $0 == " " } }
        let heads = [
            "public nonisolated ", "public var ", "public private(set) var ", "public typealias ",
            "public init(",
        ]
        let required = [
            "public var rawValue", "public var page", "public var _page", "public init(fields",
            "public init(rawValue", "public init(json", "public init(items", "public init(received",
        ]
        var count = 0
        var isInSwitch = false
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("switch ") { isInSwitch = true }
            if line.hasPrefix("public ") || line.hasPrefix("nonisolated ") { isInSwitch = false }
            let isCase = line.hasPrefix("case ") && !isInSwitch
            guard isCase || heads.contains(where: { line.hasPrefix($0) }),
                !required.contains(where: { line.hasPrefix($0) })
            else { continue }
            count += 1
            let before = lines[index - 1]
            #expect(before.hasPrefix("///") || before.hasPrefix("@available"), "\(line)")
        }
        #expect(count > 4)
    }
}
