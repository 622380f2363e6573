import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// What `--explain` tells: which layer decided what.
@Suite(.timeLimit(.minutes(2))) struct ExplainTests {
    private let rig: CommandRig

    init() throws { rig = try CommandRig() }

    /// The lines without their times.
    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            line.hasPrefix("[") ? String(line.drop { $0 != "]" }.dropFirst(2)) : String(line)
        }
    }

    /// The lines of a run, of which each of some comes after the one before.
    @discardableResult
    private func expect(
        _ expected: [String], in run: CommandProcess.Outcome,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        let lines = lines(run.error)
        var rest = lines[...]
        for line in expected {
            let index = try #require(
                rest.firstIndex { $0.hasPrefix(line) }, "\(line) in \(run.error)",
                sourceLocation: sourceLocation)
            rest = rest[(index + 1)...]
        }
        return lines
    }

    @Test func optionsTellWhereTheyComeFrom() async throws {
        let byDefault = try await rig.run(["call", "GET", "\(rig.gateway.origin)/echo", "--explain"], [:])
        #expect(byDefault.status == 0)
        try expect(
            [
                "GET \(rig.gateway.origin)/echo", "options: deadline: 1 min (default)",
                "options: retries: up to 2, after 50 ms doubled up to 20 s with full jitter; statuses 408, 429, 502, 503, 504 "
                    + "and transient errors (default)",
                "options: repeated methods: GET, which is idempotent (default)",
                "options: retry budget: 20 % of requests and 10 per second, 100 saved up (default)",
                "options: hedging: none (default)",
                "options: queue timeout: 10 s (default)", "options: connect timeout: 10 s (default)",
                "options: redirects: up to 10 (default)", "options: protocol: HTTP/1.1 (default)",
                "options: credential: none (no variable describes one)",
                "entry: the call begins, its deadline is in 1 min", "attempt 1: begins, the first",
                "entry: 200, 1 attempt, after ", "200 after 1 attempt, ",
            ], in: byDefault)
        let hedging = try await rig.run(
            ["call", "GET", "\(rig.gateway.origin)/echo", "--explain"], ["GATEWAY_HEDGING": "standard"])
        try expect(
            [
                "options: hedging: a second GET or HEAD after the slowest 5 % of latencies, at least 10 ms; 5 % of requests "
                    + "(GATEWAY_HEDGING)"
            ], in: hedging)
        let cached = try await rig.run(
            ["call", "GET", "\(rig.gateway.origin)/echo", "--explain", "--cache", "force-cache"],
            ["GATEWAY_CACHE": "memory"])
        try expect(
            ["options: cache: force-cache, in memory (--cache)", "cache: the request is sent"], in: cached)
        // The transport's thread tells its part at any time.
        #expect(byDefault.error.contains("] connection: attempt 1, "))
        #expect(byDefault.error.contains("] attempt 1: response with status 200\n"))
        let chosen = try await rig.run(
            [
                "call", "POST", "/orders", "--explain", "--timeout", "9s", "--retries", "4", "-d", "x",
                "--idempotency-key", "k",
            ],
            rig.client.merging([
                "GATEWAY_DEADLINE": "30s", "GATEWAY_RETRY_POLICY": "moderate", "GATEWAY_TIMEOUTS": "fast",
                "GATEWAY_CONNECT_TIMEOUT": "1s", "GATEWAY_RETRY_BUDGET": "none",
            ]) { $1 })
        try expect(
            [
                "options: deadline: 9 s (--timeout)",
                "options: retries: up to 4, after 1 s doubled up to 30 s +0 to 30 %;",
                "options: repeated methods: POST, by its idempotency key (--idempotency-key)",
                "options: retry budget: none (GATEWAY_RETRY_BUDGET)",
                "options: queue timeout: 5 s (GATEWAY_TIMEOUTS)",
                "options: connect timeout: 1 s (GATEWAY_CONNECT_TIMEOUT)",
                "options: attempt timeout: 30 s (GATEWAY_TIMEOUTS)",
                "options: credential: sent to \(rig.gateway.origin) (GATEWAY_BASE_URL)",
                "entry: the call begins, its deadline is in 9 s",
            ], in: chosen)
        #expect(chosen.error.contains("(--retries, GATEWAY_RETRY_POLICY)"))
    }

    @Test func aFallbackIsTold() async throws {
        rig.gateway.inject(.status(503), into: .api, times: 1)
        let file = try rig.file("fallback", "stored\n")
        let run = try await rig.run(
            [
                "call", "GET", "\(rig.gateway.origin)/echo", "--explain", "--retries", "0", "--fallback-file",
                file,
            ], [:])
        #expect(run.status == 0 && run.text == "stored\n")
        try expect(
            [
                "entry: 503, 1 attempt, after ",
                "fallback: the fallback file is used, in place of status 503",
                "200 after 1 attempt, 7 bytes",
            ], in: run)
    }

    @Test func retriesHaveReasons() async throws {
        rig.gateway.inject(.status(503), into: .api, times: 1)
        rig.gateway.inject(.drop, into: .api, times: 1)
        let run = try await rig.run(["call", "GET", "\(rig.gateway.origin)/echo", "--explain"], [:])
        #expect(run.status == 0 && !run.text.contains("retry"))
        try expect(
            [
                "attempt 1: begins, the first", "retry: status 503 is retryable, next attempt in ",
                "attempt 2: begins, a retry",
                "retry: the error connection_lost is retryable, next attempt in ",
                "attempt 3: begins, a retry", "entry: 200, 3 attempts, after ",
            ], in: run)
        #expect(run.error.contains("; takes one from the retry budget"))
    }

    @Test(arguments: [
        (["GET", "/echo", "--retries", "0"], "retries are off"),
        (["GET", "/echo", "--retries", "1"], "all 2 attempts are made"),
        (["POST", "/echo", "-d", "x"], "the server could process the request twice"),
        (["GET", "/nothing"], "status 404 is not retryable"),
    ])
    func whyThereIsNoRetryIsTold(arguments: [String], reason: String) async throws {
        if arguments[1] == "/echo" { rig.gateway.inject(.status(503), into: .api) }
        let url = "\(rig.gateway.origin)\(arguments[1])"
        let run = try await rig.run(
            ["call", arguments[0], url, "--explain"] + arguments.dropFirst(2),
            ["GATEWAY_RETRY_BUDGET": "none"])
        #expect(run.status == 1)
        try expect(["retry: no further attempt, \(reason)", "entry: "], in: run)
        #expect(!run.error.contains("from the retry budget"))
    }

    @Test func theDeadlineIsTold() async throws {
        rig.gateway.inject(.status(503, retryAfter: .seconds(50)), into: .api)
        let run = try await rig.run(
            ["call", "GET", "\(rig.gateway.origin)/echo", "--explain", "--timeout", "40s"], [:])
        try expect(
            [
                "retry: no further attempt, the next one is due in 50 s, after the deadline",
                "entry: 503, 1 attempt",
            ],
            in: run)
        #expect(run.error.contains(" before the deadline\n"))
    }

    @Test(.waits("a 429 is repeated after 1 s at the earliest"))
    func aRateLimitIsTold() async throws {
        let answers = Locked(0)
        rig.gateway.route(.get, "/v1/limited") { _ in
            let isFirst = answers.withLock { count in
                count += 1
                return count == 1
            }
            let fields: HTTPFields = [
                "RateLimit-Policy": "\"burst\";q=10;w=1", "RateLimit": "\"burst\";r=0;t=1", .retryAfter: "1",
                "X-RateLimit-Limit": "none",
            ]
            return isFirst ? .status(429, fields: fields) : .text("here")
        }
        let run = try await rig.run(
            ["call", "GET", "\(rig.gateway.origin)/v1/limited", "--explain"],
            ["GATEWAY_RATE_GATE": "standard"])
        #expect(run.status == 0)
        let gate = "rate gate of \(rig.gateway.origin), limit burst"
        try expect(
            [
                "options: rate gate: calls wait up to 1 min (GATEWAY_RATE_GATE)", "\(gate): closed for ",
                "retry: status 429 is retryable, next attempt in ", "rate gate: a limit of ",
                "\(gate): calls are released", "rate gate: waited ", "attempt 2: begins, a retry",
                "entry: 200, 2 attempts",
            ], in: run)
    }

    @Test func credentialsAndRedirectsAreTold() async throws {
        let hold = rig.gateway.hold()
        rig.gateway.route(.get, "/v1/guarded", access: .anyToken) { _ in .text("here") }
        let command = try rig.start(["call", "GET", "/guarded", "--explain"])
        await hold.waitForArrivals(1)
        rig.gateway.revokeCurrentTokens()
        hold.release()
        let run = await command.outcome()
        rig.checkSecrecy(run)
        #expect(run.status == 0 && run.text.hasPrefix("here"))
        try expect(
            [
                "token: requesting the first one", "credential: waited ",
                "retry: no further attempt, status 401 is handled by authentication",
                "credential: token 1 was rejected by the response",
                "credential: the call is sent again with token 2",
                "attempt 2: begins, a replay with another token",
                "entry: 200, 2 attempts",
            ], in: run)
    }

    @Test func redirectsAreTold() async throws {
        let other = "http://localhost:\(rig.gateway.origin.port)"
        rig.gateway.route(.get, "/v1/moved") { _ in
            .status(302, fields: [.location: "\(other)/echo"])
        }
        let run = try await rig.run(["call", "GET", "\(rig.gateway.origin)/v1/moved", "--explain"], [:])
        #expect(run.status == 0)
        try expect(
            [
                "redirect: 302 leads to \(other); other origins get no credential",
                "attempt 2: begins, the target of a redirect", "entry: 200, 2 attempts",
            ], in: run)
    }

    /// In a pipe, lines are plain; on a terminal, their times are dimmed.
    @Test func everyLineHasATimeAndALayer() async throws {
        let run = try await rig.run(["call", "GET", "/books/bk-1", "--explain"])
        #expect(run.status == 0 && run.text.hasPrefix("{") && !run.error.contains("\u{1B}"))
        let layer =
            /\[ *[0-9.]+ (ms|s|min)\] (options|entry|credential|token|attempt|connection|retry)\b.*: .+/
        let others = run.error.split(separator: "\n").filter { $0.wholeMatch(of: layer) == nil }
        // What is called, and what came of it.
        #expect(others.count == 2, "\(others)")
        let shown = try await rig.start(["call", "GET", "/books/bk-1", "--explain"], output: .terminal)
            .outcome()
        #expect(shown.status == 0 && shown.error.contains("\u{1B}[2m["))
    }
}
