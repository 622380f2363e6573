import Foundation
import Testing

@testable import OpenAPIGeneration

/// Whole outputs that a reader can check by eye. `GATEWAY_UPDATE_GOLDEN=<Fixtures/Golden>` rewrites them.
@Suite struct GoldenTests {
    @Test(arguments: ["Petstore", "PetstoreExpanded"])
    func outputIsAsReviewed(name: String) throws {
        let output = Generator(namespace: name).run(
            Array(try fixture(name + ".openapi.yaml").utf8), path: name + ".openapi.yaml")
        #expect(output.diagnostics.isEmpty)
        let text = output.files.filter { $0.text.contains("nonisolated") }
            .map { "// \($0.name)\n" + $0.text }.joined(separator: "\n")
        if let folder = ProcessInfo.processInfo.environment["GATEWAY_UPDATE_GOLDEN"] {
            try Data(text.utf8).write(to: URL(filePath: folder).appending(path: name + ".swift.txt"))
            return
        }
        let expected = try fixture("Golden/" + name + ".swift.txt")
        let (actual, wanted) = (text.split(separator: "\n"), expected.split(separator: "\n"))
        for (line, pair) in zip(actual, wanted).enumerated() where pair.0 != pair.1 {
            Issue.record("line \(line + 1): \(pair.0) instead of \(pair.1)")
            return
        }
        #expect(text == expected)
    }
}
