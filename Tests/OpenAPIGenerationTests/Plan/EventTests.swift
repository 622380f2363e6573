import Testing

@testable import OpenAPIGeneration

@Suite struct EventTests {
    private static func document(_ webhooks: String) -> Rendered {
        let lines = webhooks.split(separator: "\n", omittingEmptySubsequences: false)
        return Rendered(
            "openapi: 3.1.0\ninfo: { title: T, version: '1' }\nwebhooks:\n"
                + lines.map { "  " + $0 }.joined(separator: "\n") + "\n")
    }

    private static func webhook(_ name: String, _ schema: String) -> String {
        """
        \(name):
          post:
            requestBody: { content: { application/json: { schema: \(schema) } } }
            responses: { '200': { description: Taken. } }
        """
    }

    @Test func constantsTellWebhooksApart() {
        let rendered = Self.document(
            Self.webhook(
                "b.done",
                "{ type: object, required: [kind, type], properties: { kind: { const: x }, type: { const: b.done } } }"
            )
                + "\n"
                + Self.webhook(
                    "a.done",
                    "{ type: object, required: [kind, type], properties: { kind: { const: x }, type: { const: a.done } } }"
                ))
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public nonisolated enum Webhooks: DiscriminatedWebhook, Equatable {"))
        #expect(rendered.contains("switch _json.discriminator(\"type\") {"))
        #expect(rendered.contains("case \"a.done\"?: self = .aDone(try Test.ADoneWebhook(json: _json))"))
        #expect(
            rendered.contains(
                "public nonisolated struct ADoneWebhook: JSONObjectDecodable, Equatable, Sendable {"))
        #expect(rendered.contains("/// The body of the webhook `a.done`."))
    }

    @Test func withoutConstantsTheNameTells() {
        let schema = "{ type: object, properties: { type: { const: a } } }"
        let rendered = Self.document(Self.webhook("a", schema) + "\n" + Self.webhook("b", schema))
        #expect(rendered.contains("enum Webhooks: DocumentedWebhook, Equatable {"))
        #expect(rendered.contains("case \"b\": self = .b(try _received.payload(Test.BWebhook.self))"))
        #expect(!rendered.contains("case unrecognized(JSONValue)"))
    }

    @Test func allIsInOneFile() throws {
        let rendered = Self.document(
            Self.webhook("a", "{ type: object, properties: { b: { type: string } } }"))
        let files = rendered.output.files.filter { $0.text.contains("AWebhook") }
        #expect(files.map(\.name) == ["TestWebhooks.swift"])
        var generator = Generator(namespace: "Test")
        generator.layout = .names
        let named = generator.run(
            Array(
                "openapi: 3.1.0\ninfo: { title: T, version: '1' }\nwebhooks: { a: { post: { responses: {} } } }\n"
                    .utf8),
            path: "Test.openapi.yaml")
        #expect(named.files.map(\.name) == ["TestClient.swift", "TestFailures.swift", "TestWebhooks.swift"])
    }

    @Test func severalMethodsAreSeveralWebhooks() {
        let rendered = Self.document("a:\n  get: { responses: {} }\n  post: { responses: {} }")
        #expect(rendered.contains("case \"a GET\": self = .aGET"))
        #expect(rendered.contains("case \"a POST\": self = .aPOST"))
    }

    @Test func aSchemaNamedSoKeepsItsName() {
        let rendered = Rendered(
            "openapi: 3.1.0\ninfo: { title: T, version: '1' }\nwebhooks:\n"
                + "  a: { post: { responses: {} } }\n"
                + "components: { schemas: { Webhooks: { type: object, properties: { a: { type: string } } } } }\n"
        )
        #expect(rendered.contains("struct Webhooks: JSONObjectCodable"))
        #expect(rendered.contains("enum Webhooks2: DiscriminatedWebhook"))
    }

    @Test func theExtensionOfOlderDocumentsIsRead() {
        let rendered = Rendered(
            "openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: {}\nx-webhooks:\n"
                + "  a: { post: { responses: {} } }\n")
        #expect(rendered.contains("enum Webhooks: DiscriminatedWebhook"))
    }

    @Test func expressionsOfOneCallbackAreCasesOfTheirOwn() {
        let rendered = Rendered(
            paths: """
                /a:
                  post:
                    operationId: makeA
                    responses: {}
                    callbacks:
                      done:
                        '{$request.body#/one}': { post: { responses: {} } }
                        '{$request.body#/two}': { post: { responses: {} } }
                """)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("enum MakeACallbacks: DocumentedWebhook, Equatable {"))
        #expect(rendered.contains("case \"done {$request.body#/one}\": self = .doneRequestBodyOne"))
        #expect(rendered.contains("/// `done {$request.body#/two}`, `POST {$request.body#/two}`."))
    }

    @Test func namesOfWebhooksAreNoSource() {
        let name = "a\\\"); evil(\\\"\\\\(b)\\n*/ `"
        let rendered = Rendered(
            "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"T\",\"version\":\"1\"},\"webhooks\":{\"\(name)\":"
                + "{\"post\":{\"responses\":{}}},\"b\":{\"post\":{\"responses\":{}}}}}",
            path: "Test.openapi.json")
        #expect(rendered.contains("case \"a\\\"); evil(\\\"\\\\(b)\\n*/ `\": self = .aEvilB"))
        #expect(!rendered.source.split(separator: "\n").contains { $0.hasPrefix("*/") })
    }

    @Test func aBrokenReferenceIsAnError() {
        let rendered = Self.document("a: { $ref: '#/components/pathItems/None' }")
        #expect(rendered.rules == ["unresolved-reference"])
    }
}
