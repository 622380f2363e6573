import Foundation
import GatewayCore
import GatewayTesting
import Testing

/// The command line itself: help, wrong usage, signals.
@Suite(.timeLimit(.minutes(2))) struct UsageTests {
    private static let commands = [
        "call", "token", "login", "status", "queue", "watch", "completion", "help",
    ]

    private func run(
        _ arguments: [String], _ environment: [String: String] = [:], program: String? = nil
    ) async throws -> CommandProcess.Outcome {
        if let program {
            return try await CommandProcess(arguments, program: program, environment: environment).outcome()
        }
        return try await CommandProcess(arguments, environment: environment).outcome()
    }

    // MARK: Help

    @Test func helpIsNoErrorAndHasExamples() async throws {
        let tool = try await run(["--help"])
        #expect(tool.status == 0 && tool.error.isEmpty && tool.text.contains("Exit status: 0 done; 1 "))
        for command in Self.commands {
            #expect(tool.text.contains("\n  \(command) "))
            for arguments in [[command, "--help"], ["help", command]] {
                let run = try await run(arguments)
                #expect(
                    run.status == 0 && run.error.isEmpty && run.text.contains("\nExamples:\n  gateway")
                        || run.text.contains(" gateway "), "\(arguments)")
            }
        }
        let version = try await run(["--version"])
        #expect(
            version.status == 0 && version.text.wholeMatch(of: /gateway [0-9]+\.[0-9]+\.[0-9]+\S*\n/) != nil)
    }

    @Test func helpListsEveryVariable() async throws {
        let text = try await run(["help", "environment"]).text
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(
                path: "Sources/GatewayClient/GatewayClient.docc/Environment.md")
        let names = try String(contentsOf: page, encoding: .utf8).matches(of: /\n\| `(GATEWAY_[A-Z_]+)`/).map(
            \.1)
        #expect(names.count > 20)
        for name in names { #expect(text.contains("\n\(name)\n"), "\(name)") }
    }

    /// Lines of help fit a terminal of a hundred columns.
    @Test func helpIsNarrow() async throws {
        for arguments in [["--help"]] + Self.commands.map({ [$0, "--help"] }) {
            let widest = try await run(arguments).text.split(separator: "\n").map(\.count).max() ?? 0
            #expect(widest <= 105, "\(arguments)")
        }
    }

    // MARK: Wrong usage

    @Test(
        arguments: [
            ([], "no command was given\nSee: gateway --help"),
            (["cal"], "unknown command \"cal\"; did you mean \"call\"?\nSee: gateway --help"),
            (["--verzion"], "unknown option \"--verzion\"; did you mean \"--version\"?"),
            (["call"], "no method was given\nSee: gateway call --help"),
            (["call", "GET"], "no URL was given"),
            (["call", "https://a.example"], "no method was given: gateway call GET https://a.example"),
            (["call", "GET", "/"], "relative to GATEWAY_BASE_URL, which is not set"),
            (["call", "get", "https://a.example"], "the method must be in upper case: GET"),
            (
                ["call", "GET", "a.example"],
                "the URL has no scheme: write https://…, or /… for a URL relative to GATEWAY_BASE_URL"
            ),
            (["call", "GET", "https://me:pass@a.example"], "invalid_url"),
            (["call", "G T", "https://a.example"], "invalid_request"),
            (["call", "GET", "https://a.example", "more"], "unexpected argument \"more\""),
            (
                ["call", "GET", "https://a.example", "--dta", "x"],
                "unknown option \"--dta\"; did you mean \"--data\"?"
            ),
            (["call", "GET", "https://a.example", "--data"], "--data needs a value: TEXT"),
            (["call", "GET", "https://a.example", "-d", "a", "-d", "b"], "--data was given more than once"),
            (["call", "GET", "https://a.example", "-d", "a", "--data-file", "b"], "cannot be combined"),
            (["call", "PUT", "https://a.example", "--data-file", "/nowhere"], "--data-file cannot be read"),
            (["call", "GET", "https://a.example", "--verbose=yes"], "--verbose takes no value"),
            (["call", "GET", "https://a.example", "-H", "nonsense"], "--header must be \"Name: value\""),
            (
                ["call", "GET", "https://a.example", "-H", "authorization: Bearer planted"],
                "use --header-file"
            ),
            (["call", "GET", "https://a.example", "-H", "X-API-Key: planted"], "use --header-file"),
            (["call", "GET", "https://a.example", "-H", "Private-Token: planted"], "use --header-file"),
            (["call", "GET", "https://a.example", "-H", "Host: b.example"], "set by the transport"),
            (
                ["call", "GET", "https://a.example", "--header-file", "/nowhere"],
                "--header-file: the file cannot be read"
            ),
            (["call", "GET", "https://a.example", "-o", "/nowhere/file"], "--output cannot be written"),
            (["call", "GET", "https://a.example", "-o", "/tmp"], "--output cannot be written"),
            (["call", "GET", "https://a.example", "--timeout", "soon"], "--timeout must be a time such as"),
            (["call", "GET", "https://a.example", "--retries", "-1"], "--retries must be a whole number"),
            (["token", "more"], "unexpected argument \"more\""),
            (["token", "--raw", "--json"], "cannot be combined"),
            (["token", "--file", "/nowhere"], "--file: the file cannot be read: no such file"),
            (["login", "more"], "unexpected argument \"more\""),
            (["login", "-t", "soon"], "--timeout must be a time such as"),
            (["login"], "set GATEWAY_GRANT=authorization_code"),
            (["login", "--device", "--browser"], "--device and --browser cannot be combined"),
            (["login", "--device", "--no-open"], "--device and --no-open cannot be combined"),
            (["logout"], "GATEWAY_GRANT is neither authorization_code nor device_code"),
            (["logout", "more"], "unexpected argument \"more\""),
            (["logout", "-t", "soon"], "--timeout must be a time such as"),
            (["status", "more"], "unexpected argument \"more\""),
            (["status", "--origin"], "--origin needs a value: URL"),
            (
                ["status", "--origin", "https://a.example/x"],
                "--origin must be a URL without user, path and query, such as https://api.example.com"
            ),
            (["status", "--origin", "a.example"], "--origin must be a URL without user, path and query"),
            (["status", "--origin", "https://a.example", "--path", "x"], "--path must be a path"),
            (["status", "--path", "/x"], "--path needs --origin"),
            (
                ["queue"],
                "no action was given: list, show, retry, cancel, export or clock\nSee: gateway queue --help"
            ),
            (["queue", "lits"], "unknown action \"lits\"; did you mean \"list\"?"),
            (["queue", "list", "1"], "unexpected argument \"1\""),
            (["queue", "show"], "show needs one ID"),
            (["queue", "show", "0"], "an ID must be a whole number from 1: \"0\""),
            (["queue", "retry"], "retry needs an ID"),
            (["queue", "retry", "1", "--yes"], "retry has no option --yes"),
            (["queue", "cancel"], "cancel needs an ID, or --older-than"),
            (["queue", "cancel", "1", "--all"], "IDs and --all cannot be combined"),
            (["queue", "cancel", "--all", "--key", "a"], "--all and --key cannot be combined"),
            (
                ["queue", "cancel", "--older-than", "soon"],
                "--older-than must be a time such as 30m, 12h or 7d"
            ),
            (["queue", "list", "--state", "lost"], "--state must be one of waiting, postponed"),
            (["queue", "list", "--limit", "0"], "--limit must be a whole number from 1"),
            (["queue", "list", "--file", "/nowhere"], "/nowhere: There is no such file."),
            (["status", "--watch", "--interval", "1s"], "--interval needs --watch and --origin"),
            (
                ["status", "--origin", "https://a.example", "--interval", "1s"],
                "--interval needs --watch and --origin"
            ),
            (
                ["status", "--watch", "--origin", "https://a.example", "--interval", "0s"],
                "--interval must be a time"
            ),
            (["call", "GET", "https://a.example", "--token", "planted"], "not accepted on the command line"),
            (["call", "GET", "https://a.example", "-u=planted"], "set variables, see gateway help"),
            (["completion"], "no shell was given: bash or zsh"),
            (["completion", "fish"], "use bash or zsh"),
            (["help", "calls"], "unknown topic \"calls\"; did you mean \"call\"?"),
        ] as [([String], String)])
    func wrongUsageIsTwo(arguments: [String], message: String) async throws {
        let run = try await run(arguments)
        #expect(run.status == 2 && run.out.isEmpty)
        #expect(run.error.hasPrefix("gateway: ") && run.error.contains(message), "\(run.error)")
        #expect(!run.error.contains("planted"))
    }

    @Test func wrongVariablesAreTwoAndAllAreNamed() async throws {
        let run = try await run(
            ["call", "GET", "http://127.0.0.1:1/"],
            ["GATEWAY_RETRIES": "planted", "GATEWAY_TOKEN_URL": "planted"])
        #expect(run.status == 2)
        for name in [
            "GATEWAY_RETRIES: ", "GATEWAY_TOKEN_URL: ", "GATEWAY_CLIENT_ID: ", "gateway help environment",
        ] {
            #expect(run.error.contains(name), "\(run.error)")
        }
        #expect(!run.error.contains("planted"))
        let foreign = try await self.run(
            ["call", "GET", "http://127.0.0.1:1/"],
            ["GATEWAY_DEPLOYMENT": "planted", "GATEWAY_REGION": "planted"])
        #expect(foreign.status == 4)
        #expect(
            foreign.error.hasPrefix(
                "gateway: unknown variables: GATEWAY_DEPLOYMENT, GATEWAY_REGION\n"))
    }

    // MARK: Signals and pipes

    @Test(arguments: [SIGINT, SIGTERM]) func aSignalEndsItCleanly(signal: Int32) async throws {
        let rig = try CommandRig()
        let hold = rig.gateway.hold()
        defer { hold.release() }
        let command = try rig.start(
            ["call", "GET", "\(rig.gateway.origin)/bytes/9", "-o", rig.folder + "/out"], [:])
        await hold.waitForArrivals(1)
        command.end(by: signal)
        let run = await command.outcome()
        #expect(run.status == 128 + signal && run.out.isEmpty && run.error.isEmpty, "\(run.error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder) == ["secret"])
    }

    /// A file that was begun is removed, however many signals come: `timeout` sends each of them twice.
    @Test(arguments: [SIGINT, SIGTERM]) func aSignalLeavesNoPartOfAFile(signal: Int32) async throws {
        let rig = try CommandRig()
        var slow = ChaosProxy.Conditions()
        slow.downstream.bytesPerSecond = 20_000
        let proxy = try ChaosProxy.start(to: rig.gateway.origin.port, conditions: slow)
        defer { proxy.shutdown() }
        let command = try rig.start(
            ["call", "GET", "\(proxy.origin)/bytes/\(32 << 20)", "-o", rig.folder + "/out"], [:])
        let hasBegun = await isEventually {
            let names = try? FileManager.default.contentsOfDirectory(atPath: rig.folder)
            return names?.contains { $0.hasSuffix(".part") } == true
        }
        #expect(hasBegun)
        for _ in 0..<100 { command.end(by: signal) }
        let run = await command.outcome()
        #expect(run.status == 128 + signal && run.out.isEmpty && run.error.isEmpty, "\(run.error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder) == ["secret"])
    }

    /// It waits for standard input, or for whoever reads its output.
    @Test func aSignalEndsItWhateverItWaitsFor() async throws {
        let rig = try CommandRig()
        let url = "\(rig.gateway.origin)/bytes/\(32 << 20)"
        let writing = try rig.start(["call", "GET", url], [:], output: .stalledPipe)
        await writing.hasWritten()
        writing.end(by: SIGINT)
        #expect(await writing.outcome().status == 130)
        let reading = try rig.start(["call", "PUT", url, "--data-file", "-"], [:], input: .silence)
        await reading.feed(count: 768 << 10)
        reading.end(by: SIGINT)
        #expect(await reading.outcome().status == 130)
        #expect(rig.gateway.statistics.requests == 1)
    }

    @Test func aBrokenPipeIsNoCrash() async throws {
        let rig = try CommandRig()
        let command =
            "gateway call GET \(rig.gateway.origin)/bytes/\(32 << 20) | head -c 10 | wc -c; echo ${PIPESTATUS[0]}"
        let run = try await run(["-c", command], program: "/bin/bash")
        #expect(run.text.split(whereSeparator: \.isWhitespace) == ["10", "0"] && run.error.isEmpty)
    }
}
