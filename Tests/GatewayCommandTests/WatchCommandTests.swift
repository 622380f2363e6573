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
            + "\"operations\":[{\"id\":\"getBook\",\"w\":[[1200,6,9.96,88.4,1200,0],null,null]}],"
            + "\"tokens\":[{\"label\":\"https://login.example.com/token my-service\",\"generation\":7,\"waiting\":2,"
            + "\"valid_ms\":3541000}],\"unknown\":[1]}\n\n"
    }

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

    fileprivate static let frames = [
        frame(1, nil, log: "first"), frame(2, "5 calls\\u001b[2J failed", log: "second"),
        frame(3, "6 calls failed", log: "third"),
    ]

    /// Plays the frames at `/secret/stream`; other paths have a status.
    private static func server() throws -> (listener: HTTPListener, port: UInt16) {
        let listener = try HTTPListener(HTTPListener.Configuration(addresses: [.loopback(port: 0)])) {
            request in
            guard request.target == "/secret/stream" else {
                return .reply(.init(status: Int(request.target.split(separator: "/").first ?? "") ?? 404))
            }
            let rest = Locked(frames[...])
            return .stream(reply(hello)) {
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
        // What a server sends moves the cursor nowhere.
        #expect(run.error.contains("\u{1B}[2J") && run.error.contains("5 calls?[2J failed"))
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
        // A figure keeps its unit and its name, and the time that is left has room first.
        #expect(
            lines.contains { $0.contains("3 in progress") } && lines.contains { $0.contains("p99 1.2 s") })
        #expect(lines.contains { $0.hasPrefix("https:") && $0.contains(" 59 min") })
        #expect(!run.error.contains("\u{1B}[1m"))
    }

    /// An emoji of several scalars is as wide as they are beside one another, and nothing of a long sentence is left out.
    @Test func whatIsWideHasRoom() async throws {
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
        let text = String(repeating: "figures and ", count: 9) + String(repeating: family, count: 8) + " end"
        let (listener, port) = try Self.server(Self.hello + Self.frame(1, text, log: text))
        defer { listener.stop() }
        let run = try await CommandProcess(
            ["watch", "http://127.0.0.1:\(port)/secret/"],
            environment: ["NO_COLOR": "1", "COLUMNS": "40", "LINES": "100"], output: .terminal
        ).outcome()
        let lines = run.error.split(whereSeparator: \.isNewline).map {
            $0.replacing(#/\u{1B}\[[0-9?]*[A-Za-z]/#, with: "")
        }
        #expect(lines.contains { $0.contains(family) })
        #expect(lines.allSatisfy { $0.unicodeScalars.count { $0.value > 0x1F000 } * 2 <= 40 }, "\(lines)")
        #expect(lines.count { $0.hasSuffix(" end") } == 2, "\(lines)")
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

    /// A program that is stopped keeps its connections.
    @Test(.waits("4 s without a frame")) func aSilentStreamIsTold() async throws {
        let isTold = Gate()
        let (listener, port) = try Self.server(Self.hello + Self.frames[0]) { await isTold.pass() }
        defer { listener.stop() }
        let process = try CommandProcess(
            ["-c", "exec gateway watch http://127.0.0.1:\(port)/secret/ 2>&1"], program: "/bin/sh",
            output: .lines)
        let told = await process.firstLine { $0.contains("no frame has come for 4 s") ? $0 : nil }
        #expect(told != nil)
        isTold.open()
        let run = await process.outcome()
        #expect(run.status == 4 && run.text.ranges(of: "no frame has come").count == 1)
    }

    @Test func aTerminalWithoutACursorGetsLines() async throws {
        let (listener, port) = try Self.server()
        defer { listener.stop() }
        let run = try await CommandProcess(
            ["watch", "http://127.0.0.1:\(port)/secret/"], environment: ["TERM": "dumb"], output: .terminal
        ).outcome()
        #expect(run.error.contains("00:00:03 critical") && !run.error.contains("\u{1B}"))
    }

    /// The terminal is as it was, however the command ends or is suspended, within a stream and while there is none: the cursor
    /// is never hidden.
    @Test(arguments: [1, 2]) func theCursorIsNeverHidden(answers: Int) async throws {
        let server = try LostServer(breaks: 1, answers: answers)
        defer { server.listener.stop() }
        let process = try CommandProcess(["watch", server.link], output: .terminal)
        await (answers == 2 ? server.isOpen : server.isRefused).waitForArrivals(1)
        process.end(by: SIGINT)
        let run = await process.outcome()
        #expect(run.status == 130 && run.error.contains("\u{1B}[2J") && !run.error.contains("\u{1B}[?"))
        #expect(run.error.hasSuffix("\r\n") && run.error.contains("connecting again"))
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
            .stream(Self.reply(Self.hello + Self.frames[0])) { nil }
        }
        defer { listener.stop() }
        let run = try await CommandProcess(["watch", "http://localhost/secret/", "--socket", path]).outcome()
        #expect(run.text.contains("log: first") && run.status == 4)
    }

    /// What is no stream of a dashboard ends the command with a reason.
    @Test(arguments: [
        ("", "text/html", "not the stream"), (frames[0], "text/event-stream", "not the stream"),
        ("event: hello\ndata: {\"version\":2}\n\n", "text/event-stream", "of another version"),
        (hello + "event: frame\ndata: no JSON\n\n", "text/event-stream", "not the stream"),
        (hello + "event: frame\ndata: {\"now_ms\":\"1\"}\n\n", "text/event-stream", "not the stream"),
    ])
    func anotherStreamIsRefused(text: String, contentType: String, reason: String) async throws {
        let (listener, port) = try Self.server(text, contentType: contentType)
        defer { listener.stop() }
        let run = try await CommandProcess(["watch", "http://127.0.0.1:\(port)/secret/"]).outcome()
        #expect(run.status == 4 && run.error.contains(reason) && run.out.isEmpty, "\(run.error)")
    }

    /// The link is found in the line that the program printed, with the line breaks of any system.
    @Test func aPastedLineHasTheLink() async throws {
        let (listener, port) = try Self.server()
        defer { listener.stop() }
        let link = "http://127.0.0.1:\(port)/secret/"
        for text in ["Dashboard: \(link)", link + "#top", link + "?a=1", link + "stream"] {
            let run = try await CommandProcess(["watch", text]).outcome()
            #expect(run.text.contains("log: third"), "\(run.error)")
        }
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try "\r\nstarted\r\nDashboard: \(link)\r\n".write(toFile: file, atomically: true, encoding: .utf8)
        let run = try await CommandProcess(["watch", "-"], input: .file(file)).outcome()
        #expect(run.text.contains("log: third"), "\(run.error)")
    }

    /// A descriptor that is closed is not taken by something else, which would be read in its place.
    @Test func closedStandardInputIsTold() async throws {
        let run = try await CommandProcess(["-c", "exec gateway watch - <&-"], program: "/bin/sh").outcome()
        #expect(run.status == 2 && run.error.contains("standard input cannot be read"))
    }

    @Test func aLinkThatLeavesTheMachineInTheClearIsWarnedOf() async throws {
        let (listener, port) = try Self.server()
        defer { listener.stop() }
        // Linux connects to this machine, which the address does not say.
        for (host, isWarned) in [("0.0.0.0", true), ("127.0.0.1", false)] {
            let run = try await CommandProcess(["watch", "http://\(host):\(port)/secret/"]).outcome()
            #expect(run.error.contains("over plain HTTP") == isWarned)
        }
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
            let reply = WatchCommandTests.reply(WatchCommandTests.hello + WatchCommandTests.frames[0])
            if number <= breaks { return .torn(reply, afterBytes: reply.body.count) }
            return .stream(reply) {
                await isOpen.pass()
                return nil
            }
        }
        guard case .loopback(let port)? = listener.addresses.first else { throw CancellationError() }
        link = "http://127.0.0.1:\(port)/secret/"
        (self.isOpen, self.isRefused) = (isOpen, isRefused)
    }
}
