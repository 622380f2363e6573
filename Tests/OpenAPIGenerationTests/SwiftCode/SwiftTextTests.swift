import Testing

@testable import OpenAPIGeneration

@Suite struct SwiftTextTests {
    @Test(arguments: [
        ("plain", #""plain""#), ("\"", #""\"""#), ("\\(1)", #""\\(1)""#), ("\"\"\"", #""\"\"\"""#),
        ("a\nb\tc\rd", #""a\nb\tc\u{d}d""#), ("\u{0}", #""\u{0}""#),
        ("\u{e9}\u{1F600}", #""\u{e9}\u{1f600}""#),
        ("\u{2028}\u{202E}", #""\u{2028}\u{202e}""#), ("#\"", ##""#\"""##),
    ])
    func literals(text: String, literal: String) {
        #expect(SwiftText.literal(text) == literal)
    }

    @Test func commentsAreLinesOfComments() {
        #expect(
            SwiftText.commentLines("\n a \r\nb\r}c\n\n\u{2028}d\u{202E}\u{0}  \n") == [" a", "b}c", "", "d"])
        #expect(SwiftText.commentLines("").isEmpty)
        #expect(SwiftText.oneLine("a\n\nb") == "a b")
    }

    /// Whatever stands in a document, each line of its text in the source is a comment or inside a literal.
    @Test func hostileDocumentsStayInTheirPlace() {
        let hostile = "*/ }\\r\\nimport Evil\\n\\\"\\\"\\\" \\\\(evil()) #\\u2028import Evil"
        let text = """
            {"openapi": "3.1.0", "info": {"title": "\(hostile)", "version": "\(hostile)", "description": "\(hostile)"},
            "servers": [{"url": "https://x/\(hostile)", "description": "\(hostile)"}],
            "tags": [{"name": "../\(hostile)", "description": "\(hostile)"}],
            "security": [{"\(hostile)": ["\(hostile)"]}],
            "paths": {"/a": {"get": {"tags": ["../\(hostile)"], "operationId": "\(hostile)", "summary": "\(hostile)",
              "parameters": [{"name": "\(hostile)", "in": "query", "description": "\(hostile)", "schema": {"type": "string", "default": "\(hostile)"}}],
              "responses": {"200": {"description": "\(hostile)", "headers": {"\(hostile)": {"schema": {"type": "string"}}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}},
                "404": {"description": "\(hostile)"}}}}},
            "components": {"securitySchemes": {"\(hostile)": {"type": "apiKey", "in": "header", "name": "\(hostile)", "description": "\(hostile)"}},
              "schemas": {"A": {"type": "object", "title": "\(hostile)", "description": "\(hostile)", "required": ["k"],
                "properties": {"\(hostile)": {"type": "string", "enum": ["\(hostile)", "b"], "description": "\(hostile)"}, "k": {"const": "\(hostile)"}}},
              "\(hostile)": {"oneOf": [{"$ref": "#/components/schemas/A"}, {"type": "string"}], "description": "\(hostile)"}}}}
            """
        let rendered = Rendered(text, path: "../evil\n}.openapi.json")
        #expect(rendered.findings.isEmpty)
        #expect(!rendered.output.files.isEmpty)
        for file in rendered.output.files { #expect(SourceCheck.fault(in: file.text) == nil, "\(file.name)") }
        for line in rendered.unbroken.split(whereSeparator: \.isNewline) where line.contains("Evil") {
            let trimmed = line.drop { $0 == " " }
            #expect(trimmed.hasPrefix("//") || isOnlyInLiterals("Evil", trimmed), "\(line)")
        }
        #expect(!rendered.source.unicodeScalars.contains { $0.value == 0x2028 || $0.value == 0x0D })
        #expect(rendered.output.files.allSatisfy { !$0.name.contains("/") })
    }

    /// Names are made of words, `ImportEvil`; the text itself stands in literals alone.
    private func isOnlyInLiterals(_ word: String, _ line: Substring) -> Bool {
        var code = ""
        var isLiteral = false
        var isEscaped = false
        for character in line {
            if isLiteral {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isLiteral = false
                }
            } else if character == "\"" {
                isLiteral = true
            } else {
                code.append(character)
            }
        }
        return !isLiteral && !code.contains("import " + word) && !code.contains("evil()")
    }
}
