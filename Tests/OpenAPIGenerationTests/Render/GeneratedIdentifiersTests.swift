import Foundation
import Testing

@testable import OpenAPIGeneration

/// Names of a document must not replace the types that generated code uses. `scripts/compile-generated.sh --names` compiles
/// a document that is named like all identifiers of generated code.
@Suite struct GeneratedIdentifiersTests {
    /// The documents of the tests, each with everything that a configuration can add.
    private static func sources() throws -> [String] {
        func configuration(_ equality: String) -> String {
            "{ protocols: true, validation: requests, unknownProperties: keep, equality: \(equality) }"
        }
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folders = [
            tests.appending(path: "Fixtures"),
            tests.deletingLastPathComponent().appending(path: "GatewayOpenAPITests"),
        ]
        var result: [String] = []
        for folder in folders {
            for file in try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            where file.lastPathComponent.hasSuffix(".openapi.yaml") {
                let text = try String(contentsOf: file, encoding: .utf8)
                let rendered = Rendered(text, configuration: configuration("hashable"))
                #expect(!rendered.output.hasErrors, "\(file.lastPathComponent)")
                result.append(rendered.source)
            }
        }
        // What none of these documents has.
        result.append(
            Rendered(
                """
                openapi: 3.1.0
                info: { title: T, version: '1' }
                paths:
                  /a:
                    post:
                      requestBody: { content: { multipart/form-data: { schema: { type: object, properties: {
                        part: { oneOf: [{ type: string, format: binary }, { type: integer }] },
                        text: { type: string, contentEncoding: base64url },
                        link: { type: string, format: link } } } } } }
                      responses: { '204': { description: d } }
                  /b:
                    post:
                      requestBody: { content: { application/json: { schema: { type: object, properties: {
                        sent: { type: array, prefixItems: [{ type: string }] },
                        both: { $ref: '#/components/schemas/Both' },
                        own: { $ref: '#/components/schemas/Own' } } } } } }
                      responses: { '200': { description: d, content: { application/json: { schema: {
                        $ref: '#/components/schemas/Both' } } } } }
                components:
                  schemas:
                    Both: { type: array, prefixItems: [{ type: string }, { type: integer }] }
                    Own: { type: object }
                """,
                configuration: configuration(
                    "equatable, formats: { link: URL }, "
                        + "types: { '#/components/schemas/Own': { type: Own, coding: codable } }")
            ).source)
        return result
    }

    /// The type names in source that it does not declare and does not qualify.
    private static func used(in source: String) -> Set<String> {
        var declared: Set<String> = []
        var used: Set<String> = []
        var isInLiteral = false
        for line in source.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("//") { continue }
            if line.contains("\"\"\"") { isInLiteral.toggle() }
            if isInLiteral { continue }
            // Every second part is a literal.
            let parts = line.replacing("\\\"", with: "").split(
                separator: "\"", omittingEmptySubsequences: false)
            for (offset, part) in parts.enumerated() where offset.isMultiple(of: 2) {
                var last: Substring = ""
                for word in part.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }) {
                    if ["struct", "enum", "protocol", "typealias"].contains(last) {
                        declared.insert(String(word))
                    }
                    let before = part[..<word.startIndex].last
                    if word.first?.isUppercase == true, before != ".", before != "`" {
                        used.insert(String(word))
                    }
                    last = word
                }
            }
        }
        return used.subtracting(declared)
    }

    @Test func everyTypeThatGeneratedCodeUsesIsReserved() throws {
        var used: Set<String> = []
        for source in try Self.sources() { used.formUnion(Self.used(in: source)) }
        // In `@_spi(Generated) import GatewayClient`.
        used.subtract(["Generated", "GatewayClient", "Test"])
        #expect(
            used.isSuperset(of: ["RequestRules", "RequestEngine", "GatewayConfiguration", "CaseIterable"]))
        #expect(used.subtracting(SwiftName.reservedTypes).sorted() == [])
        // Swift reserves these.
        let others: Set<String> = ["Any", "Protocol", "Self", "Type"]
        #expect(SwiftName.reservedTypes.subtracting(used).subtracting(others).sorted() == [])
    }

    /// With a suffix a name of the document can become one of generated code.
    @Test func aSuffixMakesNoReservedName() {
        let rendered = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a: { get: { operationId: documented, responses: { '200': { description: d, headers: {
                X: { schema: { type: string } } } }, '202': { description: d, content: { text/plain: {} } }, '400': { description: d } } } }
              /b: { get: { operationId: response, responses: { '200': { description: d, headers: { X: { schema: { type: string } } } } } } }
            """)
        #expect(rendered.contains("enum DocumentedFailure2: DocumentedFailure"))
        #expect(rendered.contains("enum DocumentedSuccess2: DocumentedSuccess"))
        #expect(rendered.contains("struct ResponseHeaders2: ResponseHeaders"))
    }

    @Test func tagsThatDifferInCaseHaveTheirOwnProperties() {
        let none = "responses: { '204': { description: d } }"
        let rendered = Rendered(
            paths: """
                /a: { get: { operationId: a, tags: [url], \(none) } }
                /b: { get: { operationId: b, tags: [URL], \(none) } }
                /c: { get: { operationId: c, tags: [client operations], \(none) } }
                /d: { get: { operationId: d, tags: [client], \(none) } }
                """)
        let properties = rendered.source.split(separator: "\n").compactMap {
            $0.firstMatch(of: /public var (\w+): (\w+) { \w+\(client: self.client/).map { "\($0.1): \($0.2)" }
        }.filter { !$0.hasPrefix("withResponse") }
        #expect(
            properties == [
                "clientOperations: Client", "clientOperations2: ClientOperations", "url: URL_", "url2: Url",
            ])
    }

    /// The conformance of a page has members that no property can be named like.
    @Test func aPageCanHaveAnyProperty() {
        let rendered = Rendered(
            paths: """
                /a: { get: { operationId: list, parameters: [{ name: page, in: query, schema: { type: integer } }],
                  responses: { '200': { description: d, content: { application/json: { schema: {
                    type: object, properties: { items: { type: array, items: { type: string } },
                      item: { type: object, properties: { id: { type: string } } },
                      page_items: { type: integer }, page_count: { type: integer }, total: { type: integer } } } } } } } } }
                """)
        #expect(rendered.contains("public var pageCount: Int?\n"))
        #expect(rendered.contains("public var _pageCount: Int? { return self.pageCount }"))
        #expect(rendered.contains("public var _pageItems: [String] { return self.items ?? [] }"))
    }

    /// In a call, backticks around `let` and `var` are a warning.
    @Test func labelsAreWrittenAsCallsNeedThem() {
        let names = ["let", "var", "inout", "in"]
        let rendered = Rendered(
            paths: """
                /a: { get: { operationId: a, parameters: [\(names.map { "{ name: \($0), in: query, schema: { type: string } }" }.joined(separator: ", "))],
                  responses: { '204': { description: d } } } }
                """)
        #expect(
            rendered.contains(
                "func a(`let`: String? = nil, `var`: String? = nil, `inout`: String? = nil, in: String? = nil,"
            ))
        #expect(rendered.contains("a(let: `let`, var: `var`, `inout`: `inout`, in: `in`, options: options)"))
    }
}
