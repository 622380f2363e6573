import Foundation
import Testing

@testable import OpenAPIGeneration

/// The methods for all pages and for streams, when another method has their name.
@Suite struct DerivedMethodTests {
    private static let pages =
        """
        parameters: [{ name: cursor, in: query, schema: { type: string } }], responses: { '200': {
          description: d, content: { application/json: { schema: { $ref: '#/components/schemas/Page' } } } } }
        """
    private static let stream =
        """
        requestBody: { required: true, content: { text/plain: {} } }, responses: { '200': { description: d,
          content: { text/event-stream: {}, application/json: { schema: { type: string } } } } }
        """
    private static let none = "responses: { '204': { description: d } }"
    private static let components =
        """
        components: { schemas: { Page: { type: object, required: [data], properties: {
          data: { type: array, items: { type: string } }, next_cursor: { type: string } } } } }
        """

    @Test(arguments: ["", "tags: [books],"])
    func theMethodForAllPagesGetsAnotherName(tag: String) {
        let rendered = Rendered(
            paths: """
                /a: { get: { \(tag) operationId: list, \(Self.pages) } }
                /b: { get: { \(tag) operationId: listAll, \(Self.none) } }
                """, rest: Self.components)
        #expect(rendered.contains("func listAll(options"))
        #expect(rendered.contains("func listAll2(cursor: String? = nil, options"))
        #expect(
            rendered.printed.contains(
                "4:14: warning: the name \"listAll\" is taken; the method for all pages is named \"listAll2\" [name-collision]"
            ), "\(rendered.printed)")
        #expect(rendered.printed.contains("6:14: note: \"listAll\" is a method of this operation"))
    }

    @Test(arguments: ["", "tags: [books],"])
    func theMethodForAStreamGetsAnotherName(tag: String) {
        let rendered = Rendered(
            paths: """
                /a: { post: { \(tag) operationId: create, \(Self.stream) } }
                /b: { get: { \(tag) operationId: createStream, \(Self.none) } }
                /c: { get: { \(tag) operationId: createStream2, \(Self.none) } }
                """)
        #expect(rendered.contains("func createStream(options"))
        #expect(rendered.contains("func createStream3(_ body: String, options"))
        #expect(
            rendered.printed.contains(
                "4:15: warning: the name \"createStream\" is taken; the method for the stream is named \"createStream3\" [name-collision]"
            ), "\(rendered.printed)")
    }

    /// All media types of the body have one name.
    @Test func alternativesHaveTheSameName() {
        let rendered = Rendered(
            paths: """
                /a: { post: { operationId: create, \(Self.stream.replacing("text/plain: {}", with: "application/json: { schema: { type: string } }, text/plain: {}")) } }
                /b: { get: { operationId: createStream, \(Self.none) } }
                """)
        #expect(rendered.contains("func createStream2(_ body: String, options"))
        #expect(rendered.contains("func createStream2(text body: String, options"))
    }

    /// The client's property for a tag is a name, too.
    @Test func aTagsPropertyIsTaken() {
        let rendered = Rendered(
            paths: """
                /a: { get: { operationId: list, \(Self.pages) } }
                /b: { get: { operationId: other, tags: [listAll], \(Self.none) } }
                """, rest: Self.components)
        #expect(rendered.contains("var listAll: ListAll"))
        #expect(rendered.contains("func listAll2(cursor"))
        #expect(rendered.rules == ["name-collision"])
    }

    /// A page method and a stream method can want one name.
    @Test func derivedNamesDoNotCollide() {
        let rendered = Rendered(
            paths: """
                /a: { get: { operationId: list, \(Self.pages) } }
                /b: { get: { operationId: listAll, \(Self.none) } }
                /c: { get: { operationId: listAll2, \(Self.none) } }
                /d: { get: { operationId: listAll2All, \(Self.pages) } }
                """, rest: Self.components)
        let methods = rendered.source.components(separatedBy: "public func ").dropFirst()
            .filter { $0.prefix { $0 != "{" }.contains("PagedItems") }
        #expect(methods.map { String($0.prefix { $0 != "(" }) } == ["listAll3", "listAll2AllAll"])
    }

    /// A lock keeps the names when an operation with such a name is added.
    @Test func lockedNamesAreKept() {
        func document(_ more: String) -> String {
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a: { get: { operationId: list, \(Self.pages) } }
              /b: { post: { operationId: create, \(Self.stream) } }
              \(more)
            \(Self.components)
            """
        }
        let first = Rendered(document("/z: {}"))
        #expect(first.output.names["pages #/paths/~1a/get"] == "listAll")
        #expect(first.output.names["stream #/paths/~1b/post"] == "createStream")
        var lock = LockFile()
        lock.set(first.output.names, of: "Test.openapi.yaml")
        let more =
            "/c: { get: { operationId: listAll, \(Self.none) }, put: { operationId: createStream, \(Self.none) } }"
        let second = Rendered(document(more), lock: lock.text)
        #expect(second.findings.isEmpty)
        for method in ["listAll(cursor", "createStream(_ body", "listAll2(options", "createStream2(options"] {
            #expect(second.contains("func \(method)"), "\(method)")
        }
    }

    @Test func aFreeNameIsKept() {
        let rendered = Rendered(
            paths: """
                /a: { get: { operationId: list, tags: [books], \(Self.pages) } }
                /b: { get: { operationId: listAll, tags: [authors], \(Self.none) } }
                """, rest: Self.components)
        #expect(rendered.contains("func listAll(cursor"))
        #expect(rendered.findings.isEmpty)
    }
}
