import Foundation
import GatewayCore
import GatewayListener
import GatewayTesting
import TestTiers
import Testing

/// `gateway watch`, with a server that plays a stream.
@Suite(.timeLimit(.minutes(2))) struct WatchCommandTests {
    private static func frame(_ number: Int, _ problem: String?, log: String) -> String {
        let problems = problem.map {
            #"{"severity":"critical","text":"\#($0)","side":"upstream","about":{"kind":"breaker","name":"api"}}"#
        }
        let sentence = problems ?? #"{"severity":"ok","text":"All is well."}"#
        let totals =
            #"{"10s":{"seconds":10,"started":1200,"succeeded":1194,"failed":6,"p50_ms":9.96,"p95_ms":88.4,"p99_ms":1200,"in_progress":3}}"#
        return
            "event: frame\ndata: {\"frame\":\(number),\"now_ms\":\(number * 1_000),\"sentence\":\(sentence),"
            + "\"problems\":[\(problems ?? "")],\"totals\":\(totals),\"log\":[{\"t\":\(number * 900),\"text\":\"\(log)\"}],"
            + "\"operations\":[{\"id\":\"getBook\",\"w\":[[1200,6,9.96,88.4,1200,0],null,null]}],\"unknown\":[1]}\n\n"
    }

    fileprivate static let frames = [
        frame(1, nil, log: "first"), frame(2, "5 calls\\u001b[2J failed", log: "second"),
        frame(3, "6 calls failed", log: "third"),
    ]

    fileprivate static let hello =
        "retry: 100\n\nevent: hello\ndata: {\"version\":1,\"start_unix_ms\":1767225600000}\n\n"

    /// The beginning of a stream.
    fileprivate static func reply(_ text: String) -> HTTPListener.Reply {
        .init(fields: [.contentType: "text/event-stream"], body: Array(text.utf8))
    }

    /// Plays a stream at every path.
    private static func server(
        _ text: String, contentType: String = "text/event-stream",
        before end: @escaping @Sendable () async -> Void = {}
    ) throws -> (listener: HTTPListener, port: UInt16) {
        let listener = try HTTPListener(HTTPListener.Configuration(addresses: [.loopback(port: 0)])) { _ in
            .stream(.init(fields: [.contentType: contentType], body: Array(text.utf8))) {
                await end()
                return nil
            }
        }
        guard case .loopback(let port)? = listener.addresses.first else { throw CancellationError() }
        return (listener, port)
    }

    /// Plays the frames at `/secret/stream`; other paths have a status.
    private static func server() throws -> (listener: HTTPListener, port: UInt16) {
        let listener = try HTTPListener(HTTPListener.Configuration(addresses: [.loopback(port: 0)])) {
            request in
            guard request.target == "/secret/stream" else {
                return .reply(.init(status: Int(request.target.split(separator: "/").first ?? "") ?? 404))
            }
            let rest = Locked(frames[...])
            let hello = "retry: 2000\n\nevent: hello\ndata: {\"start_unix_ms\":1767225600000}\n\n"
            return .stream(.init(body: Array(hello.utf8))) {
                rest.withLock { $0.popFirst().map { Array($0.utf8) } }
            }
        }
        guard case .loopback(let port)? = listener.addresses.first else { throw CancellationError() }
        return (listener, port)
    }

    @Test func aPipeGetsALineForEachFrameAndChange() async throws {
        let (listener, port) = try Self.server()
        defer { listener.stop() }
        for link in ["http://127.0.0.1:\(port)/secret/", "http://127.0.0.1:\(port)/secret"] {
            let run = try await CommandProcess(["watch", link]).outcome()
            let summary = "120 calls/s, 0.5 % failed, p50 10 ms, p95 88 ms, p99 1.2 s, 3 in progress"
            #expect(
                run.text == """
                    00:00:01 ok, \(summary)
                    00:00:00 log: first
                    00:00:02 critical, \(summary)
                    00:00:02 critical: 5 calls?[2J failed
                    00:00:01 log: second
                    00:00:03 critical, \(summary)
                    00:00:02 log: third

                    """)
            #expect(run.status == 4 && run.error.contains("the stream has ended"))
        }
    }

    @Test func aTerminalGetsAScreen() async throws {
        let (listener, port) = try Self.server()
        defer { listener.stop() }
        let run = try await CommandProcess(
            ["watch", "http://127.0.0.1:\(port)/secret/"], environment: ["NO_COLOR": "1"], output: .terminal
        ).outcome()
        #expect(
            run.error.contains("OPERATION") && run.error.contains("getBook")
                && run.error.contains("6 calls failed"))
        // The cursor is shown again, and what a server sends moves it nowhere.
        #expect(run.error.contains("\u{1B}[?25l") && run.error.contains("\u{1B}[?25h"))
        #expect(run.error.contains("5 calls?[2J failed"))
    }

    /// Nothing is wider than the terminal: sentences are broken, tables lose their last columns, names are cut.
    @Test(arguments: [20, 40, 80]) func aNarrowTerminalHasRoom(columns: Int) async throws {
        let (listener, port) = try Self.server()
        defer { listener.stop() }
        let run = try await CommandProcess(
            ["watch", "http://127.0.0.1:\(port)/secret/"],
            environment: ["NO_COLOR": "1", "COLUMNS": "\(columns)", "LINES": "100"], output: .terminal
        ).outcome()
        let lines = run.error.split(whereSeparator: \.isNewline).map {
            $0.replacing(#/\u{1B}\[[0-9?]*[A-Za-z]/#, with: "")
        }
        #expect(lines.filter { !$0.hasPrefix("gateway: ") }.allSatisfy { $0.count <= columns })
        #expect(lines.contains { $0.hasPrefix("OPERATION") && $0.contains("CALLS/10S") })
        #expect(lines.contains { $0.contains("P99") } == (columns >= 60))
        #expect(!run.error.contains("\u{1B}[1m"))
    }

    /// What a program names, such as an operation, is no line of its own.
    @Test(arguments: [CommandProcess.Output.file, .terminal])
    func aNameForgesNoLine(output: CommandProcess.Output) async throws {
        let name = #"op\n15:00:00 critical: FORGED\r\n15:00:00 log: FORGED\u2028\u2029\u0085\u061c."#
        let (listener, port) = try Self.server(Self.hello + Self.frame(1, name, log: name))
        defer { listener.stop() }
        let run = try await CommandProcess(
            ["watch", "http://127.0.0.1:\(port)/secret/"],
            environment: ["NO_COLOR": "1", "COLUMNS": "200"], output: output
        ).outcome()
        let lines = (run.text + run.error).split(whereSeparator: \.isNewline)
        #expect(lines.count { $0.contains("FORGED") } == 2 && !lines.contains { $0.hasPrefix("15:00:00") })
        #expect(
            lines.contains {
                $0.hasSuffix("critical: op?15:00:00 critical: FORGED??15:00:00 log: FORGED????.")
            })
    }

    @Test func aTerminalWithoutACursorGetsLines() async throws {
        let (listener, port) = try Self.server()
        defer { listener.stop() }
        let run = try await CommandProcess(
            ["watch", "http://127.0.0.1:\(port)/secret/"], environment: ["TERM": "dumb"], output: .terminal
        ).outcome()
        #expect(run.error.contains("00:00:03 critical") && !run.error.contains("\u{1B}[2J"))
    }

    /// An interrupt shows the cursor again, within a stream and while there is none.
    @Test(arguments: [1, 2]) func anInterruptShowsTheCursorAgain(answers: Int) async throws {
        let server = try LostServer(breaks: 1, answers: answers)
        defer { server.listener.stop() }
        let process = try CommandProcess(["watch", server.link], output: .terminal)
        await (answers == 2 ? server.isOpen : server.isRefused).waitForArrivals(1)
        process.end(by: SIGINT)
        let run = await process.outcome()
        #expect(run.status == 130 && run.error.contains("\u{1B}[?25l"))
        #expect(run.error.hasSuffix("\u{1B}[?25h\r\n") && run.error.contains("connecting again"))
    }

    /// A connection that breaks off is made again, and what was printed before is not printed again.
    @Test func aLostConnectionIsMadeAgain() async throws {
        let server = try LostServer(breaks: 2, answers: 2)
        defer { server.listener.stop() }
        let run = try await CommandProcess(["watch", server.link]).outcome()
        #expect(run.text.ranges(of: "00:00:01 ok").count == 2 && run.text.ranges(of: "log: first").count == 1)
        #expect(run.error.ranges(of: "the connection was lost; connecting again").count == 2)
        // Then the dashboard has another link.
        #expect(run.status == 1 && run.error.contains("each start has another one"))
    }

    @Test(.waits("15 attempts at 0.1 s each")) func whatIsGoneForGoodEndsTheCommand() async throws {
        let server = try LostServer(breaks: 1, answers: 1)
        let process = try CommandProcess(["watch", server.link], output: .lines)
        _ = await process.firstLine { $0.contains("00:00:01") ? $0 : nil }
        server.listener.stop()
        let run = await process.outcome()
        #expect(run.status == 4 && run.error.contains("connecting again"))
    }

    @Test func aSocketIsConnectedTo() async throws {
        let path = "/tmp/watch-\(UUID().uuidString)"
        let listener = try HTTPListener(HTTPListener.Configuration(addresses: [.unix(path: path)])) {
            request in
            .stream(.init(body: Array("event: hello\ndata: {}\n\n\(Self.frames[0])".utf8))) { nil }
        }
        defer { listener.stop() }
        let run = try await CommandProcess(["watch", "http://localhost/secret/", "--socket", path]).outcome()
        #expect(run.text.contains("log: first") && run.status == 4)
    }

    /// What is no stream of a dashboard ends the command with a reason, and the cursor is shown.
    @Test func anotherStreamIsRefused() async throws {
        let listener = try HTTPListener(HTTPListener.Configuration(addresses: [.loopback(port: 0)])) { _ in
            let parts = Locked([Self.frames[0], "event: frame\ndata: no JSON\n\n"][...])
            return .stream(.init(body: Array("event: hello\ndata: {}\n\n".utf8))) {
                parts.withLock { $0.popFirst().map { Array($0.utf8) } }
            }
        }
        defer { listener.stop() }
        guard case .loopback(let port)? = listener.addresses.first else { throw CancellationError() }
        let run = try await CommandProcess(
            ["watch", "http://127.0.0.1:\(port)/secret/"], output: .terminal
        ).outcome()
        #expect(run.status == 4 && run.error.contains("\u{1B}[?25h"))
    }

    @Test func theLinkComesFromStandardInput() async throws {
        let (listener, port) = try Self.server()
        defer { listener.stop() }
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try "http://127.0.0.1:\(port)/secret/\n".write(toFile: file, atomically: true, encoding: .utf8)
        let run = try await CommandProcess(["watch", "-"], input: .file(file)).outcome()
        #expect(run.text.contains("log: third"))
    }

    @Test(arguments: [
        ("404/", 1, "there is no dashboard at this link"), ("503/", 1, "as many viewers as it allows"),
        ("421/", 1, "does not accept this host name"), ("500/", 1, "the status 500"),
    ])
    func aRefusalSaysWhy(path: String, status: Int32, text: String) async throws {
        let (listener, port) = try Self.server()
        defer { listener.stop() }
        let run = try await CommandProcess(["watch", "http://127.0.0.1:\(port)/\(path)"]).outcome()
        #expect(run.status == status && run.error.contains(text) && run.text.isEmpty)
    }

    /// A descriptor that is closed is not taken by something else, which would be read in its place.
    @Test func closedStandardInputIsTold() async throws {
        let run = try await CommandProcess(["-c", "exec gateway watch - <&-"], program: "/bin/sh").outcome()
        #expect(run.status == 2 && run.error.contains("standard input cannot be read"))
    }

    @Test func wrongUsageIsTwo() async throws {
        for arguments in [["watch"], ["watch", "not a link"], ["watch", "ftp://localhost/"]] {
            #expect(try await CommandProcess(arguments).outcome().status == 2, "\(arguments)")
        }
    }
}

/// Plays one frame, and then breaks the connection or holds the stream.
private final class LostServer: Sendable {
    let listener: HTTPListener
    let link: String
    /// Passed by a stream that is held.
    let isOpen: Gate
    /// Passed by each request that gets no frame.
    let isRefused: Gate

    /// - Parameters:
    ///   - breaks: the number of requests that get the frame and whose connection breaks off then.
    ///   - answers: the number of requests that get the frame. Further ones get 503 or, from the fourth one on, 404.
    init(breaks: Int, answers: Int) throws {
        let (isOpen, isRefused) = (Gate(), Gate())
        let requests = Locked(0)
        listener = try HTTPListener(HTTPListener.Configuration(addresses: [.loopback(port: 0)])) { _ in
            let number = requests.withLock { requests in
                requests += 1
                return requests
            }
            guard number <= answers else {
                Task { await isRefused.pass() }
                return .reply(.init(status: number > 3 ? 404 : 503))
            }
            let body = Array(
                ("retry: 100\n\nevent: hello\ndata: {\"start_unix_ms\":1767225600000}\n\n"
                    + WatchCommandTests.frames[0]).utf8)
            if number <= breaks { return .torn(.init(body: body), afterBytes: body.count) }
            return .stream(.init(body: body)) {
                await isOpen.pass()
                return nil
            }
        }
        guard case .loopback(let port)? = listener.addresses.first else { throw CancellationError() }
        link = "http://127.0.0.1:\(port)/secret/"
        (self.isOpen, self.isRefused) = (isOpen, isRefused)
    }
}
