import Foundation
import GatewayCore
import GatewayTesting
import Testing

/// The documentation's transcript: its commands are run, and say what stands there.
@Suite(.timeLimit(.minutes(2))) struct TranscriptTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/GatewayClient/GatewayClient.docc/Command.md")

    /// The lines of the page's transcript.
    private func transcript() throws -> [String] {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let block = try #require(text.firstMatch(of: /```console\n(?<lines>[^`]*)```/))
        return block.lines.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
            String.init)
    }

    /// What differs from run to run, replaced by what kind of thing it is. Lines of a timeline may change places.
    private func normalised(_ lines: [String]) -> [String] {
        var result: [String] = []
        var timeline: [String] = []
        for line in lines {
            var line = line
            line.replace(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, with: "DATE")
            line.replace(/\b[0-9]{10}\b/, with: "SECONDS")
            line.replace(/\[ *[0-9.]+ (ms|s)\]/, with: "[TIME]")
            line.replace(/\b[0-9.]+ (ms|s|min)\b/, with: "TIME")
            line.replace(/\b[0-9a-f]{32}\b/, with: "ID")
            if line.hasPrefix("[TIME]") {
                timeline.append(line)
            } else {
                result += timeline.sorted() + [line]
                timeline = []
            }
        }
        return result + timeline.sorted()
    }

    @Test func theTranscriptIsTrue() async throws {
        let rig = try CommandRig()
        try rig.file(".bookshop-secret", rig.gateway.client.secret.exposed)
        let places = [
            ("https://api.bookshop.example", "\(rig.gateway.origin)"),
            ("https://auth.bookshop.example", "\(rig.gateway.tokenOrigin)"),
            ("192.0.2.1:443", rig.gateway.origin.hostAndPort),
        ]
        let documented = try transcript()
        var script = "cd\n"
        for line in documented where line.hasPrefix("$ ") {
            let command = places.reduce(String(line.dropFirst(2))) { $0.replacing($1.0, with: $1.1) }
            script += "cat <<'COMMAND'\n\(line)\nCOMMAND\n\(command)\n"
        }
        let run = try await CommandProcess(
            ["--norc", "-c", script], program: "/bin/bash",
            environment: ["HOME": rig.folder, "NO_COLOR": "1"], output: .terminal
        ).outcome()
        rig.checkSecrecy(run)
        let printed = places.reduce(run.error.replacing("\r\n", with: "\n")) {
            $0.replacing($1.1, with: $1.0)
        }
        let lines = printed.split(separator: "\n").map(String.init)
        let (expected, found) = (normalised(documented), normalised(lines))
        for (wanted, got) in zip(expected, found) where wanted != got {
            Issue.record("\(wanted)\nis documented, and this is printed:\n\(got)")
            break
        }
        #expect(expected.count == found.count, "\n\(printed)")
    }
}
