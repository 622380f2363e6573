import Foundation
import Testing

@testable import OpenAPIGeneration

@Suite struct PrinterTests {
    private func lines(_ declaration: SwiftDeclaration, indent: Int = 0) -> [String] {
        var printer = Printer(access: "", namespace: "N")
        let depth = indent / 4
        let nested = (0..<depth).reduce(declaration) { inner, _ in .extension("A", [], [[inner]]) }
        printer.print(nested)
        let all = printer.text.split(separator: "\n").map { String($0) }
        return Array(all.dropFirst(depth).dropLast(depth))
    }

    /// The lines of a statement in a function.
    private func lines(_ statement: Statement) -> [String] {
        lines(SwiftDeclaration("func f", .function([]), .block([statement]))).dropFirst().dropLast()
            .map { String($0.dropFirst(4)) }
    }

    private func comment(_ line: String, indent: Int = 0) -> [String] {
        lines(SwiftDeclaration([line], "let a", .variable("B")), indent: indent).dropLast()
    }

    private let long = String(repeating: "t", count: 50)

    @Test func shortLinesStayAsTheyAre() {
        let name = String(repeating: "b", count: 105)
        #expect(
            lines(SwiftDeclaration("let a", .variable("B", .name(name)))) == ["let a: B = " + name])
        #expect(comment(String(repeating: "b ", count: 57) + "b").count == 1)
    }

    @Test func commentsAreBrokenBetweenWords() {
        let word = String(repeating: "w", count: 50)
        #expect(
            comment("\(word) \(word) \(word)", indent: 4) == [
                "    /// \(word) \(word)", "    /// \(word)",
            ])
        // The lines of an item are indented as its text.
        #expect(
            comment("  - \(word): \(word) \(word)") == ["///   - \(word): \(word)", "///     \(word)"])
        // What follows would be a list or a heading.
        #expect(
            comment("\(word) \(word) aaaaaaaaaaaaaa - bbb") == [
                "/// \(word) \(word)", "/// aaaaaaaaaaaaaa - bbb",
            ])
        #expect(
            comment("\(word) \(word) aaaaaaaaaaa 10. b") == [
                "/// \(word) \(word)", "/// aaaaaaaaaaa 10. b",
            ])
    }

    @Test func aLongWordIsBrokenAnywhere() {
        let parts = comment("a " + String(repeating: "w", count: 300) + " b", indent: 8)
        #expect(parts.allSatisfy { $0.hasPrefix("        /// ") && $0.unicodeScalars.count <= 120 })
        #expect(parts.map { $0.dropFirst(12) }.joined().filter { $0 == "w" }.count == 300)
    }

    @Test(arguments: [112, 116, 120, 400])
    func textInDeeplyNestedTypesHasRoom(indent: Int) {
        let words = Array(repeating: "wwwww", count: 30).joined(separator: " ")
        let long = String(repeating: "l", count: 100)
        let parts = comment(words + " " + long, indent: indent).filter { $0.contains("///") }
        let margin = String(repeating: " ", count: indent) + "/// "
        #expect(parts.allSatisfy { $0.hasPrefix(margin) && $0.utf8.count > margin.utf8.count })
        #expect(parts.count < 15)
        #expect(parts.map { $0.dropFirst(margin.utf8.count) }.joined().filter { $0 == "l" }.count == 100)
        let literal = lines(
            SwiftDeclaration("let a", .variable("B", .literal(words))), indent: indent)
        #expect(literal.count < 12)
    }

    /// A part of a URL would be another URL, and could not be followed.
    @Test(arguments: ["", "(", "[page]("])
    func aURLStaysWhole(start: String) {
        let url = start + "https://a.example/" + String(repeating: "w", count: 150)
        #expect(
            comment("Before \(url) after", indent: 4) == [
                "    /// Before", "    /// " + url, "    /// after",
            ])
        #expect(comment("  - a: " + url) == ["///   - a:", "///     " + url])
        #expect(comment(url) == ["/// " + url])
    }

    @Test func codeIsBrokenAtItsOutermostArguments() {
        let parameters: [SwiftDeclaration.Parameter] = [
            .init("_ b", .array(.generic(long, ["C", "D"]))),
            .init("d", .generic("E", ["F", .declared("G")])),
            .init("e", .named(long), "nil"),
        ]
        let function = SwiftDeclaration(
            "func a", .function(parameters, isAsync: true, returns: "H"), .block([.return("f")]))
        #expect(
            lines(function, indent: 4) == [
                "    func a(", "        _ b: [\(long)<C, D>],", "        d: E<F, N.G>,",
                "        e: \(long) = nil", "    ) async -> H {", "        return f", "    }",
            ])
        #expect(
            lines(
                SwiftDeclaration([], "struct \(long)\(long)", .type(["A", "Bbbbbbbbbbbbbbbb"]), .members([])))
                == ["struct \(long)\(long):", "    A, Bbbbbbbbbbbbbbbb {}"])
        #expect(
            lines(.assign(.name("self." + long + long), .name(long))) == [
                "self.\(long)\(long) =", "    \(long)",
            ])
    }

    @Test func casesAreBrokenBetweenPatterns() {
        let patterns = ["a, (", long, long].map { Expression.suffixed(.literal($0), "?") }
        let body = Statement.assign("self", .call(".b", [.literal("\"")]))
        #expect(
            lines(.switch("a", [.init(patterns, body), .init([], body)])) == [
                "switch a {", "case \"a, (\"?, \"\(long)\"?,", "    \"\(long)\"?:", "    self = .b(\"\\\"\")",
                "default: self = .b(\"\\\"\")", "}",
            ])
    }

    @Test func branchesAreBrokenAtTheirBlocks() {
        let call = Expression.call(.name(long), [])
        #expect(
            lines(.if([(call, .expression(call))], otherwise: .expression(call))) == [
                "if \(long)() {", "    \(long)()", "} else {", "    \(long)()", "}",
            ])
    }

    /// The value stays the same: only the ends of lines are escaped.
    @Test func longLiteralsAreBrokenBetweenCharacters() throws {
        let text = String(repeating: "\\\"\t\u{e9}(x) ", count: 40)
        let parts = lines(.expression(.call("call", [.literal(text), "1"])))
        #expect(parts.allSatisfy { $0.utf8.count <= 116 })
        #expect(parts.first == "call(" && parts.last == ")")
        #expect(parts[1] == "    \"\"\"" && parts.dropLast(2).last == "        \"\"\",")
        let inside = parts[2..<parts.count - 3].map { String($0.dropFirst(8)) }
        #expect(inside.dropLast().allSatisfy { $0.hasSuffix("\\") })
        #expect(
            (inside.dropLast().map { String($0.dropLast()) } + [inside.last ?? ""]).joined()
                == String(SwiftText.literal(text).dropFirst().dropLast()))
        #expect(SourceCheck.fault(in: parts.joined(separator: "\n")) == nil)
    }

    @Test(arguments: fixtureNames)
    func noGeneratedLineIsTooLong(name: String) throws {
        expectShortLines(try Rendered.fixture(name))
    }

    @Test func longTextsOfADocumentAreBroken() {
        let url = "https://a.example/" + String(repeating: "w", count: 150)
        let text = String(repeating: "A long text, with `code` and a list - of words. ", count: 9) + url
        let name = (1...30).map { "word\($0)" }.joined(separator: "-")
        let values = (1...30).map { "value\($0)" }.joined(separator: ", ")
        let rendered = Rendered(
            """
            openapi: 3.1.0
            info: { title: '\(text)', version: '1', description: '\(text)' }
            servers: [{ url: 'https://a.example', description: '\(text)' }]
            tags: [{ name: pets, description: '\(text)' }]
            paths:
              /\(name)/{id}:
                post:
                  operationId: \(String(repeating: "a", count: 60))
                  summary: '\(text)'
                  description: '\(text)'
                  tags: [pets]
                  parameters: [{ name: id, in: path, required: true, description: '\(text)', schema: { type: string, enum: [\(values)] } }]
                  requestBody: { description: '\(text)', content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }
                  responses:
                    '200': { description: '\(text)', content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }
                    '404': { description: '\(text)' }
            components:
              schemas:
                A:
                  type: object
                  description: '\(text)'
                  properties:
                    \(name.prefix(60)): { type: string, description: '\(text)', default: '\(text)', deprecated: true }
                    b: { oneOf: [{ $ref: '#/components/schemas/A' }, { type: string, enum: [\(values)] }] }
            """)
        expectShortLines(rendered)
        for file in rendered.output.files { #expect(SourceCheck.fault(in: file.text) == nil) }
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("/// - Returns: A long text,"))
        let lines = rendered.source.split(separator: "\n").filter { $0.contains("/// ") && $0.contains("ww") }
        #expect(lines.allSatisfy { $0.contains(url) })
        #expect(lines.count > 9)
    }

    private func expectShortLines(_ rendered: Rendered) {
        #expect(!rendered.output.files.isEmpty)
        for line in rendered.source.split(separator: "\n") {
            // A URL in a comment stays whole.
            if line.contains("/// "), line.split(separator: " ").last?.contains("://") == true { continue }
            #expect(line.unicodeScalars.count <= 120, "\(line)")
        }
    }
}
