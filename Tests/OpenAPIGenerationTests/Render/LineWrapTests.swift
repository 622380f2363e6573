import Foundation
import Testing

@testable import OpenAPIGeneration

@Suite struct LineWrapTests {
    private func lines(_ line: String, indent: Int = 0) -> [String] {
        LineWrap.lines(line, indent: String(repeating: " ", count: indent))
    }

    @Test func shortLinesStayAsTheyAre() {
        let line = "let a = " + String(repeating: "b", count: 112)
        #expect(lines(line) == [line])
        #expect(lines("/// " + String(repeating: "b ", count: 57) + "b").count == 1)
    }

    @Test func commentsAreBrokenBetweenWords() {
        let word = String(repeating: "w", count: 50)
        #expect(
            lines("/// \(word) \(word) \(word)", indent: 4) == [
                "    /// \(word) \(word)", "    /// \(word)",
            ])
        // The lines of an item are indented as its text.
        #expect(
            lines("///   - \(word): \(word) \(word)") == ["///   - \(word): \(word)", "///     \(word)"])
        // What follows would be a list or a heading.
        #expect(
            lines("/// \(word) \(word) aaaaaaaaaaaaaa - bbb") == [
                "/// \(word) \(word)", "/// aaaaaaaaaaaaaa - bbb",
            ])
        #expect(
            lines("/// \(word) \(word) aaaaaaaaaaa 10. b") == [
                "/// \(word) \(word)", "/// aaaaaaaaaaa 10. b",
            ])
    }

    @Test func aLongWordIsBrokenAnywhere() {
        let parts = lines("/// a " + String(repeating: "w", count: 300) + " b", indent: 8)
        #expect(parts.allSatisfy { $0.hasPrefix("        /// ") && $0.unicodeScalars.count <= 120 })
        #expect(parts.map { $0.dropFirst(12) }.joined().filter { $0 == "w" }.count == 300)
    }

    @Test func codeIsBrokenAtItsOutermostArguments() {
        let long = String(repeating: "t", count: 50)
        #expect(
            lines("func a(_ b: [\(long), c], d: E<F, G>, e: \(long)) async -> H {", indent: 4) == [
                "    func a(", "        _ b: [\(long), c],", "        d: E<F, G>,", "        e: \(long)",
                "    ) async -> H {",
            ])
        #expect(
            lines("case \"a, (\"?, \"\(long)\"?, \"\(long)\"?: self = .b(\"\\\"\")") == [
                "case \"a, (\"?, \"\(long)\"?,", "    \"\(long)\"?:", "    self = .b(\"\\\"\")",
            ])
        #expect(
            lines("if \(long)() { \(long)() } else { \(long)() }") == [
                "if \(long)() {", "    \(long)()", "} else {", "    \(long)()", "}",
            ])
        #expect(lines("self.\(long)\(long) = \(long)") == ["self.\(long)\(long) =", "    \(long)"])
        #expect(
            lines("struct \(long)\(long): A, Bbbbbbbbbbbbbbbb {") == [
                "struct \(long)\(long):", "    A, Bbbbbbbbbbbbbbbb {",
            ])
    }

    /// The value stays the same: only the ends of lines are escaped.
    @Test func longLiteralsAreBrokenBetweenCharacters() throws {
        let text = String(repeating: "\\\"\t\u{e9}(x) ", count: 40)
        let literal = SwiftText.literal(text)
        let parts = lines("call(\(literal), 1)", indent: 4)
        #expect(parts.allSatisfy { $0.utf8.count <= 120 })
        #expect(parts.first == "    call(" && parts.last == "    )")
        #expect(parts[1] == "        \"\"\"" && parts.dropLast(2).last == "            \"\"\",")
        let inside = parts[2..<parts.count - 3].map { String($0.dropFirst(12)) }
        #expect(inside.dropLast().allSatisfy { $0.hasSuffix("\\") })
        #expect(
            (inside.dropLast().map { String($0.dropLast()) } + [inside.last ?? ""]).joined()
                == String(literal.dropFirst().dropLast()))
        #expect(SourceCheck.fault(in: parts.joined(separator: "\n")) == nil)
    }

    @Test(arguments: fixtureNames)
    func noGeneratedLineIsTooLong(name: String) throws {
        expectShortLines(try Rendered.fixture(name))
    }

    @Test func longTextsOfADocumentAreBroken() {
        let text = String(repeating: "A long text, with `code` and a list - of words. ", count: 9)
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
    }

    private func expectShortLines(_ rendered: Rendered) {
        #expect(!rendered.output.files.isEmpty)
        for line in rendered.source.split(separator: "\n") {
            #expect(line.unicodeScalars.count <= 120, "\(line)")
        }
    }
}
