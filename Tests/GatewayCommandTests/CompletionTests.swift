import Foundation
import GatewayTesting
import Testing

/// What shells offer for an unfinished line: real shells are asked.
@Suite(.timeLimit(.minutes(2))) struct CompletionTests {
    /// Lines whose last word is unfinished, and all that is offered, in any order.
    private static let lines: [([String], [String])] = [
        (["ca"], ["call"]),
        (["--v"], ["--version"]),
        ([""], ["call", "token", "login", "logout", "status", "queue", "watch", "completion", "help"]),
        (["call", "P"], ["PATCH", "POST", "PUT"]),
        (["call", "GET", "/books", "--data"], ["--data", "--data-file"]),
        (["call", "--verbose", "--inc"], ["--include"]),
        (["token", "--r"], ["--raw"]),
        (["token", "--he"], ["--help"]),
        (["login", "-"], ["--browser", "--device", "--no-open", "--timeout", "-t", "--help", "-h"]),
        (["logout", "-"], ["--timeout", "-t", "--help", "-h"]),
        (["login", "--no"], ["--no-open"]),
        (["queue", "ca"], ["cancel"]),
        (["queue", "list", "--s"], ["--state"]),
        (["completion", ""], ["bash", "zsh"]),
        (["help", "env"], ["environment"]),
        (["call", "GET", "/books", "--timeout", "1"], []),
        (["call", "GET", "/books", "--header", "X"], []),
    ]

    private func run(_ arguments: [String], program: String) async throws -> CommandProcess.Outcome {
        try await CommandProcess(arguments, program: program, environment: [:]).outcome()
    }

    /// What is offered for each line.
    private static func offers(_ output: String) -> [[String]] {
        output.split(separator: "@line@\n", omittingEmptySubsequences: false).dropFirst().map {
            $0.split(separator: "\n").map(String.init).sorted()
        }
    }

    private func check(_ offers: [[String]]) throws {
        try #require(offers.count == Self.lines.count)
        for ((words, expected), offered) in zip(Self.lines, offers) {
            #expect(offered == expected.sorted(), "\(words)")
        }
    }

    // MARK: bash

    private func bash(_ lines: [[String]]) async throws -> [[String]] {
        let calls = lines.map { words in
            let quoted = words.map { "'\($0)'" }.joined(separator: " ")
            return """
                COMP_WORDS=(gateway \(quoted)) COMP_CWORD=\(words.count) COMPREPLY=()
                _gateway
                printf '@line@\\n'
                [ "${#COMPREPLY[@]}" -eq 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
                """
        }
        let script = (["source <(gateway completion bash)"] + calls).joined(separator: "\n")
        let run = try await run(["--norc", "-c", script], program: "/bin/bash")
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        return Self.offers(run.text)
    }

    @Test func bashCompletes() async throws { try check(await bash(Self.lines.map(\.0))) }

    @Test func bashCompletesFiles() async throws {
        let lines = [
            ["call", "GET", "/", "-o"], ["call", "PUT", "/", "--data-file"], ["token", "--file"],
            ["queue", "list", "--file"],
        ]
        let offers = try await bash(lines.map { $0 + ["/etc/pass"] })
        #expect(offers.count == lines.count && offers.allSatisfy { $0.contains("/etc/passwd") })
    }

    /// One that `complete` was told of, with nothing else loaded.
    @Test func bashTakesTheScript() async throws {
        let check = try await run(["-c", "gateway completion bash | bash -n"], program: "/bin/bash")
        #expect(check.status == 0 && check.error.isEmpty)
        let told = try await run(
            ["--norc", "-c", "source <(gateway completion bash); complete -p gateway"], program: "/bin/bash")
        #expect(told.text == "complete -o filenames -F _gateway gateway\n")
    }

    // MARK: zsh

    /// - Parameter isFile: whether the script is a file in one of the folders of `fpath`, as its help says, or is read
    ///   by `source`.
    private func zsh(_ lines: [[String]], isFile: Bool = true) async throws -> [[String]] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let install = try await run(
            ["-c", "gateway completion zsh > \(folder)/_gateway"], program: "/bin/bash")
        #expect(install.status == 0)
        let (before, after) =
            isFile ? ("fpath=(\(folder) $fpath)", ":") : (":", "source \(folder)/_gateway")
        let words = lines.map { (["gateway"] + $0).joined(separator: " ") }
        let run = try await run(
            ["-f", "-c", ZshCompletion.script, "zsh", before, after] + words, program: ZshCompletion.path)
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        return Self.offers(run.text)
    }

    private static let hasZsh = FileManager.default.isExecutableFile(atPath: ZshCompletion.path)

    @Test(.enabled(if: hasZsh, "scripts/test.sh installs zsh"))
    func zshCompletes() async throws { try check(await zsh(Self.lines.map(\.0))) }

    @Test(.enabled(if: hasZsh, "scripts/test.sh installs zsh"))
    func zshCompletesFiles() async throws {
        let lines = [["call", "GET", "/", "-o"], ["call", "PUT", "/", "--data-file"], ["token", "--file"]]
        let offers = try await zsh(lines.map { $0 + ["/etc/pass"] })
        #expect(offers.count == lines.count && offers.allSatisfy { $0.contains("passwd") })
    }

    @Test(.enabled(if: hasZsh, "scripts/test.sh installs zsh"))
    func zshTakesTheScriptBySource() async throws {
        #expect(try await zsh([["comp"]], isFile: false) == [["completion"]])
        let check = try await run(["-c", "gateway completion zsh | zsh -n"], program: ZshCompletion.path)
        #expect(check.status == 0 && check.error.isEmpty)
    }

    /// What may stand once is not offered again.
    @Test(.enabled(if: hasZsh, "scripts/test.sh installs zsh"))
    func zshOffersNothingTwice() async throws {
        let line = ["call", "GET", "/", "--verbose", "--header", "X:1", "--"]
        let offers = try #require(await zsh([line]).first)
        #expect(offers.contains("--header") && offers.contains("--data") && !offers.contains("--verbose"))
    }
}
