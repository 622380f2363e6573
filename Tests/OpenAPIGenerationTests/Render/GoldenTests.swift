import Foundation
import Testing

@testable import OpenAPIGeneration

/// Whole outputs that a reader can check by eye. `GATEWAY_UPDATE_GOLDEN=<Fixtures/Golden>` rewrites them.
@Suite struct GoldenTests {
    @Test(arguments: ["Petstore", "PetstoreExpanded"])
    func outputIsAsReviewed(name: String) throws {
        try compare(name, Generator(namespace: name), try fixtureURL(name + ".openapi.yaml"))
    }

    /// The clients that GatewayOpenAPITests compiles and calls.
    @Test(arguments: [
        "Bookshop", "Shapes", "Thicket", "Depot", "Parcels", "Archive", "Harbour", "Market", "Ledger",
        "Branches",
    ])
    func compiledOutputIsAsReviewed(name: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../GatewayOpenAPITests").standardizedFileURL
        var generator = Generator(namespace: name)
        let path = name + ".gateway.yaml"
        if let configuration = try? Data(contentsOf: folder.appending(path: path)) {
            generator.configuration = Generator.Input(bytes: Array(configuration), path: path)
        }
        try compare(name, generator, folder.appending(path: name + ".openapi.yaml"))
    }

    private func compare(_ name: String, _ generator: Generator, _ document: URL) throws {
        let output = generator.run(Array(try Data(contentsOf: document)), path: name + ".openapi.yaml")
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
