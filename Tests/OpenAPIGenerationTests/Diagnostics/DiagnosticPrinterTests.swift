import Testing

@testable import OpenAPIGeneration

@Suite struct DiagnosticPrinterTests {
    private let finding = Diagnostic.error(
        .duplicateKey, "duplicate key", at: SourcePosition(line: 3, column: 7),
        notes: [.init(message: "first defined here", position: SourcePosition(line: 1, column: 7))])

    @Test func printsPlaceSeverityTextRuleAndNotes() {
        #expect(
            DiagnosticPrinter(path: "a.yaml", usesColour: false).text(of: finding) == """
                a.yaml:3:7: error: duplicate key [duplicate-key]
                a.yaml:1:7: note: first defined here

                """)
    }

    @Test func coloursOnlyWhenAsked() {
        let plain = DiagnosticPrinter(path: "a.yaml", usesColour: false).text(of: finding)
        let coloured = DiagnosticPrinter(path: "a.yaml", usesColour: true).text(of: finding)
        #expect(!plain.contains("\u{1B}"))
        #expect(coloured.contains("\u{1B}[1;31merror:\u{1B}[0m"))
    }

    @Test func aDocumentsTextCannotMoveTheCursor() {
        let hostile = Diagnostic.warning(.structure, "a\u{1B}[2J\nb\u{202E}c", at: nil)
        let text = DiagnosticPrinter(path: "x", usesColour: false).text(of: hostile)
        #expect(text == "x: warning: a\\u{1b}[2J\\u{a}b\\u{202e}c [structure]\n")
    }

    @Test func findingsComeInDocumentOrderAndOnce() {
        let sink = DiagnosticSink()
        for line in [5, 2, 5, 9, 2] {
            sink.report(.warning(.structure, "w", at: SourcePosition(line: line, column: 1)))
        }
        #expect(sink.sorted.map { $0.position?.line } == [2, 5, 9])
    }

    @Test(arguments: [
        ("swagger: '2.0'\n", "1:10 error version"), ("info: {}\n", "1:1 error version"),
        ("openapi: 4.0.0\n", "1:10 error version"), ("openapi: 3.3.0\n", "1:10 error version"),
        ("openapi: [3]\n", "1:10 error version"), ("[]\n", "1:1 error structure"),
    ])
    func versionsThatCannotBeRead(text: String, expected: String) {
        #expect(Rendered(text).findings == [expected])
    }

    @Test func aVersionThatYAMLReadsAsANumberIsFine() {
        #expect(Rendered("openapi: 3.1\ninfo: { title: T, version: 1.0 }\npaths: {}\n").findings.isEmpty)
    }
}
