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

    private func warnings(_ count: Int) -> [Diagnostic] {
        (1...count).map { .warning(.structure, "w\($0)", at: SourcePosition(line: $0, column: 2)) }
    }

    @Test func tenWarningsOfARuleAreListed() {
        let printer = DiagnosticPrinter(path: "a.yaml", usesColour: false)
        let text = printer.text(of: warnings(10))
        #expect(text == warnings(10).map { printer.text(of: $0) }.joined())
    }

    @Test func moreWarningsOfARuleAreOneLine() {
        let printer = DiagnosticPrinter(paths: ["a.yaml", "b.yaml"], usesColour: false)
        let other = Diagnostic.warning(.limit, "other", at: SourcePosition(line: 2, column: 9))
        var all = warnings(11) + [other, finding]
        #expect(
            printer.text(of: all) == """
                a.yaml:1:2: warning: 11 warnings, the first: w1; then at 2:2 and 3:2; gateway-openapi validate \
                --verbose lists all [structure]
                a.yaml:2:9: warning: other [limit]
                a.yaml:3:7: error: duplicate key [duplicate-key]
                a.yaml:1:7: note: first defined here

                """)
        #expect(printer.text(of: all, limit: nil).split(separator: "\n").count == 14)
        all[1].position?.file = 1
        #expect(printer.text(of: all).contains("; then at b.yaml:2:2 and 3:2; "))
    }

    @Test func errorsAreNotGrouped() {
        let printer = DiagnosticPrinter(path: "a.yaml", usesColour: false)
        let errors = (1...40).map { Diagnostic.error(.structure, "e\($0)", at: nil) }
        #expect(printer.text(of: errors).split(separator: "\n").count == 40)
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
