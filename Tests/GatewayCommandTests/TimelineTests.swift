import Foundation
import GatewayCore
import GatewayTesting
import Testing

/// What `--verbose` tells, and how.
@Suite(.timeLimit(.minutes(2))) struct TimelineTests {
    private let rig: CommandRig

    init() throws { rig = try CommandRig() }

    /// The lines without their times.
    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            String(line.drop { $0 != "]" }.dropFirst(2))
        }
    }

    /// A token that is revoked while the call is under way: 401, one refresh, one replay.
    @Test(arguments: [nil, "-"]) func aRevokedTokenIsReplaced(input: String?) async throws {
        let hold = rig.gateway.hold()
        let body = try rig.file("order", "{\"bookId\": \"bk-1\"}")
        rig.gateway.route(.post, "/v1/guarded", access: .anyToken) { request in
            .text("taken \(request.body.count)")
        }
        let command = try rig.start(
            ["call", "POST", "/guarded?planted=query", "-v"]
                + (input.map { ["--data-file", $0] } ?? ["-d", "planted"]),
            input: .file(body))
        await hold.waitForArrivals(1)
        rig.gateway.revokeCurrentTokens()
        hold.release()
        let run = await command.outcome()
        rig.checkSecrecy(run)
        #expect(run.status == 0 && run.text.hasPrefix("taken "))
        let lines = lines(run.error)
        #expect(lines.first == "POST \(rig.gateway.origin)/v1/guarded")
        let told = [
            "token: requesting the first one", "token: number 1, lives 5 min, renewed after ",
            "401: token 1 was rejected", "token: requesting a new one",
            "token: number 2, lives 5 min, renewed after ",
            "sent again with token 2 or a later one",
        ]
        var rest = lines[...]
        for line in told {
            let index = try #require(rest.firstIndex { $0.hasPrefix(line) }, "\(line) in \(run.error)")
            rest = rest[(index + 1)...]
        }
        #expect(lines.filter { $0.hasPrefix("attempt ") }.count == 2)
        #expect(lines.contains { $0.hasPrefix("200 after 2 attempts, ") })
        #expect(!run.error.contains("planted"))
        #expect(rig.gateway.statistics.tokenRequestCount == 2)
    }

    @Test func retriesAndFailures() async throws {
        rig.gateway.inject(.status(503), into: .api, times: 1)
        rig.gateway.inject(.drop, into: .api)
        let run = try await rig.run(
            ["call", "GET", "\(rig.gateway.origin)/echo", "--verbose", "--retries", "1"], [:])
        #expect(run.status == 4)
        let lines = lines(run.error)
        #expect(lines.contains { $0.hasPrefix("attempt 1 failed (status 503), again in ") })
        #expect(lines.contains("failed (connection_lost)"))
    }

    @Test func everyLineHasATime() async throws {
        let run = try await rig.run(["call", "GET", "/books/bk-1", "-v"])
        for line in run.error.split(separator: "\n") {
            #expect(line.wholeMatch(of: /\[ *[0-9.]+ (ms|s|min)\] .+/) != nil, "\(line)")
        }
    }

    @Test func coloursOnATerminalAlone() async throws {
        let plain = try await rig.run(["call", "GET", "/books/bk-1", "-v"])
        #expect(!plain.error.contains("\u{1B}"))
        let shown = try await rig.startOnTerminal(["call", "GET", "/books/bk-1", "-v"]).outcome()
        #expect(shown.status == 0 && shown.error.contains("\u{1B}["))
        let asked = try await rig.startOnTerminal(["call", "GET", "/books/bk-1", "-v"], ["NO_COLOR": "1"])
            .outcome()
        #expect(asked.status == 0 && asked.error.contains("GET") && !asked.error.contains("\u{1B}"))
    }
}

extension CommandRig {
    fileprivate func startOnTerminal(
        _ arguments: [String], _ more: [String: String] = [:]
    ) throws -> CommandProcess {
        try start(arguments, client.merging(more) { _, new in new }, output: .terminal)
    }
}
