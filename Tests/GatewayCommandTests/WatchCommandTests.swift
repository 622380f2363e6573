import Foundation
import GatewayCore
import GatewayListener
import GatewayTesting
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

    private static let frames = [
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
