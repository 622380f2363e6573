import Foundation
import Testing

/// `scripts/survey.sh`, which runs the built tool over a folder.
@Suite struct SurveyTests {
    private let tool = ToolRunner()
    private let head = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\n"

    private func survey(_ arguments: [String]) throws -> ToolRunner.Run {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try tool.run(
            [root.appending(path: "scripts/survey.sh").path] + arguments, executable: "/bin/bash")
    }

    /// The cells of the line that begins with a word.
    private func row(_ name: String, _ text: String) -> [Substring] {
        text.split(separator: "\n").map { $0.split(separator: " ") }.first { $0.first == name[...] } ?? []
    }

    private func documents() throws {
        _ = try tool.write(head + "paths: { /a: { get: { responses: {} } } }\n", "good one.yaml")
        _ = try tool.write("{\"openapi\": \"3.0.0\", \"paths\": {}}", "bad.json")
        let schemas = (10..<30).map {
            "    S\($0): { type: object, properties: { a: { $dynamicRef: '#x' } } }\n"
        }
        _ = try tool.write(head + "components:\n  schemas:\n" + schemas.joined(), "warned.yml")
        _ = try tool.write("a: { openapi: 3.1.0 }\n", "other.yaml")
    }

    @Test func aFolderIsOneTable() throws {
        try documents()
        let path = try #require(tool.process([]).executableURL?.path)
        let result = try survey(["--tool", path, "--jobs", "1", tool.directory.path])
        #expect(result.status == 1, "\(result.error)")
        #expect(row("documents", result.out) == ["documents", "3"], "\(result.out)")
        #expect(row("generated", result.out) == ["generated", "2"])
        #expect(row("refused", result.out) == ["refused", "1"])
        #expect(row("operations", result.out) == ["operations", "1", "0", "0"])
        #expect(row("schemas", result.out) == ["schemas", "20", "20", "0"])
        #expect(row("structure", result.out) == ["structure", "1"])
        #expect(row("unsupported-schema", result.out) == ["unsupported-schema", "20", "1"])
        #expect(result.out.contains("\nnot generated\n\(tool.directory.path)/bad.json:1:1: error: missing "))
        #expect(result.error == "survey: 3 of 3\n")
    }

    @Test func aCrashIsCounted() throws {
        try documents()
        let crash = try tool.write("#!/bin/sh\nkill -SEGV $$\n", "crash.sh")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: crash)
        let result = try survey(["--tool", crash, tool.directory.path])
        #expect(result.status == 1)
        #expect(row("crashed", result.out) == ["crashed", "3"], "\(result.out)")
        #expect(result.out.contains("good one.yaml: failed with status 139\n"))
    }

    @Test func wrongUsageIsTwo() throws {
        #expect(try survey(["--help"]).out.hasPrefix("usage: scripts/survey.sh"))
        for arguments in [
            [], ["none"], ["--jobs", "3", "."], ["--timeout", "0", "."], ["--verbose"], [".", "."],
        ] {
            let result = try survey(arguments)
            #expect(result.status == 2, "\(arguments)")
            #expect(result.error.contains("--help"))
        }
    }
}
