import Testing

@testable import OpenAPIGeneration

/// Paths with a fragment, which distinguishes operations and is not sent.
@Suite struct PathFragmentTests {
    private static let response = "responses: { '204': { description: d } }"

    @Test func theFragmentDistinguishesOperationsAndIsNotSent() {
        let rendered = Rendered(
            paths: """
                '/files/{id}':
                  parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
                  put: { \(Self.response) }
                '/files/{id}#lock/{who}':
                  parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
                  put: { \(Self.response) }
                '/files/{id}#unlock':
                  parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
                  put: { \(Self.response) }
                """)
        #expect(rendered.findings.isEmpty)
        for name in ["putFilesById", "putFilesByIdLockByWho", "putFilesByIdUnlock"] {
            #expect(rendered.contains("public func \(name)(id: String, options:"), "\(rendered.source)")
        }
        let requests = rendered.unbroken.split(separator: "\n").filter { $0.contains("OperationDescriptor(") }
        #expect(requests.count == 3)
        #expect(requests.allSatisfy { $0.contains(#"path: "/files/{id}", "#) })
        #expect(rendered.contains(##"id: "PUT /files/{id}#unlock", "##))
    }

    @Test func namesOfFragmentsWithoutWordsAreNumbered() {
        let rendered = Rendered(
            paths: """
                '/a': { get: { \(Self.response) } }
                '/a#': { get: { \(Self.response) } }
                '/a#-': { get: { \(Self.response) } }
                '/a#ä {': { get: { \(Self.response) } }
                """)
        #expect(rendered.findings.isEmpty)
        for name in ["getA(", "getA2(", "getA3(", "getAÄ("] {
            #expect(rendered.contains("public func \(name)"), "\(rendered.source)")
        }
    }

    @Test(arguments: [
        ("/a#b", "/a", []), ("/a?b=c#d#e", "/a?b=c", []), ("/{a#b}/c#{d}", "/{a#b}/c", ["a#b"]),
        ("/a", "/a", []),
    ])
    func aParameterMayHaveANumberSign(path: String, request: String, names: [String]) {
        #expect(PathTemplate.request(path) == request)
        #expect(PathTemplate.names(path) == names)
    }
}
