import Foundation
import GatewayTesting
import Testing

/// The table of servers and features says what the tests show.
@Suite struct CounterpartMatrixTests {
    private typealias Matrix = CounterpartMatrix

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// The table is between two comments, so that it can be replaced.
    @Test func theReadmeHasTheTable() throws {
        let url = Self.folder.appending(path: "../../README.md").standardized
        let text = try String(contentsOf: url, encoding: .utf8)
        let table = try #require(
            text.firstMatch(of: /(?s)<!-- counterparts -->\n(.*?)\n?<!-- end of counterparts -->/)?.1)
        #expect(
            table == Matrix.table,
            "Replace the table of Tests/README.md with:\n\(Matrix.table)")
    }

    /// A cell that says that something works, or differs, has a test; no other cell has one.
    @Test func everyCellHasItsTest() throws {
        var tested: [Matrix.Server: Set<Matrix.Feature>] = [:]
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.folder, includingPropertiesForKeys: nil)
        for file in files where file.lastPathComponent.hasSuffix("Tests.swift") {
            let text = try String(contentsOf: file, encoding: .utf8)
            for (server, features) in try Self.coverage(text) {
                tested[server, default: []].formUnion(features)
            }
        }
        for server in Matrix.Server.allCases {
            for feature in Matrix.Feature.allCases {
                let isTested = tested[server]?.contains(feature) == true
                #expect(
                    isTested == Matrix.cell(server, feature).isTested,
                    "\(server.title), \(feature.title): the cell is \(Matrix.cell(server, feature))")
            }
        }
    }

    @Test func commentsAreNoTests() throws {
        let text = """
            // @Test(.covers(.authlib, .basic))
            @Test(.covers(.django, .basic, .post), arguments: [1]) func x(_ y: Int) {}
            @Test(.disabled(), .covers(.mock, .post)) func y() {}
            """
        let covered = try Self.coverage(text).map { "\($0.0) \($0.1.map(\.rawValue).sorted())" }
        #expect(covered == [#"django ["basic", "post"]"#])
    }

    /// The cells that the enabled tests of a source file cover.
    private static func coverage(_ text: String) throws -> [(Matrix.Server, [Matrix.Feature])] {
        let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        return try code.joined(separator: "\n").split(separator: "@Test").flatMap { test in
            let head = test.prefix(upTo: test.firstRange(of: "func ")?.lowerBound ?? test.startIndex)
            guard !head.contains(".disabled") else { return [(Matrix.Server, [Matrix.Feature])]() }
            return try head.matches(of: /\.covers\(([^)]*)\)/).map { match in
                let names = match.1.split(separator: ",").map {
                    String($0.filter { !$0.isWhitespace }.dropFirst())
                }
                let server = try #require(Matrix.Server(rawValue: names.first ?? ""))
                return (server, try names.dropFirst().map { try #require(Matrix.Feature(rawValue: $0)) })
            }
        }
    }
}
