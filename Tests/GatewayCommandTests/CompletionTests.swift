import Foundation
import GatewayTesting
import Testing

/// What shells offer for an unfinished line: real shells are asked.
@Suite(.timeLimit(.minutes(2))) struct CompletionTests {
    /// Lines whose last word is unfinished, and all that is offered, in any order.
    private static let lines: [([String], [String])] = [
        (["ca"], ["call"]),
        (["--v"], ["--version"]),
        ([""], ["call", "token", "login", "logout", "status", "queue", "completion", "help"]),
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

    // MARK: bash

    private func bash(_ words: [String]) async throws -> [String] {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            source <(gateway completion bash)
            COMP_WORDS=(gateway \(quoted)) COMP_CWORD=\(words.count)
            _gateway
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let run = try await run(["--norc", "-c", script], program: "/bin/bash")
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        return run.text.split(separator: "\n").map(String.init).sorted()
    }

    @Test(arguments: lines) func bashCompletes(words: [String], offers: [String]) async throws {
        #expect(try await bash(words) == offers.sorted())
    }

    @Test func bashCompletesFiles() async throws {
        for words in [
            ["call", "GET", "/", "-o"], ["call", "PUT", "/", "--data-file"], ["token", "--file"],
            ["queue", "list", "--file"],
        ] {
            #expect(try await bash(words + ["/etc/pass"]).contains("/etc/passwd"))
        }
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
    private func zsh(_ words: [String], isFile: Bool = true) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let install = try await run(
            ["-c", "gateway completion zsh > \(folder)/_gateway"], program: "/bin/bash")
        #expect(install.status == 0)
        let (before, after) =
            isFile ? ("fpath=(\(folder) $fpath)", ":") : (":", "source \(folder)/_gateway")
        let line = (["gateway"] + words).joined(separator: " ")
        let run = try await run(
            ["-f", "-c", ZshCompletion.script, "zsh", before, after, line], program: ZshCompletion.path)
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        return run.text.split(separator: "\n").map(String.init).sorted()
    }

    private static let hasZsh = FileManager.default.isExecutableFile(atPath: ZshCompletion.path)

    @Test(.enabled(if: hasZsh, "scripts/test.sh installs zsh"), arguments: lines)
    func zshCompletes(words: [String], offers: [String]) async throws {
        #expect(try await zsh(words) == offers.sorted())
    }

    @Test(.enabled(if: hasZsh, "scripts/test.sh installs zsh"))
    func zshCompletesFiles() async throws {
        for words in [
            ["call", "GET", "/", "-o"], ["call", "PUT", "/", "--data-file"], ["token", "--file"],
        ] {
            #expect(try await zsh(words + ["/etc/pass"]).contains("passwd"))
        }
    }

    @Test(.enabled(if: hasZsh, "scripts/test.sh installs zsh"))
    func zshTakesTheScriptBySource() async throws {
        #expect(try await zsh(["comp"], isFile: false) == ["completion"])
        let check = try await run(["-c", "gateway completion zsh | zsh -n"], program: ZshCompletion.path)
        #expect(check.status == 0 && check.error.isEmpty)
    }

    /// What may stand once is not offered again.
    @Test(.enabled(if: hasZsh, "scripts/test.sh installs zsh"))
    func zshOffersNothingTwice() async throws {
        let offers = try await zsh(["call", "GET", "/", "--verbose", "--header", "X:1", "--"])
        #expect(offers.contains("--header") && offers.contains("--data") && !offers.contains("--verbose"))
    }
}
