import Foundation
import GatewayClient
import GatewayTesting
import Testing

/// `gateway-trace-probe`, driven as W3C's test suite does.
@Suite struct TraceProbeTests {
    private static let traceID = "12345678901234567890123456789012"

    private final class Harness: Sendable {
        let server: EmbeddedGateway
        let received = Locked<[EmbeddedGateway.Request]>([])

        init() throws {
            server = try EmbeddedGateway.start()
            server.route(.post, "/calls/{number}") { [weak self] request in
                self?.received.withLock { $0.append(request) }
                return EmbeddedGateway.Reply()
            }
        }
    }

    /// The fields of an incoming request, and what its three requests carry: the trace ID and `tracestate`.
    private static let cases: [(fields: [(String, String)], continues: Bool, state: String?)] = [
        ([("TraceParent", "00-\(traceID)-1234567890123456-01")], true, nil),
        (
            [
                ("traceparent", " \t00-\(traceID)-1234567890123456-00\t "), ("TRACESTATE", "foo=1\t , bar=2"),
                ("tracestate", "foo=1,a@b@c=3"),
            ], true, "foo=1,bar=2,a@b@c=3"
        ),
        ([("traceparent", "cc-\(traceID)-1234567890123456-02-later")], true, nil),
        (
            [
                ("traceparent", "00-\(traceID)-1234567890123456-01"),
                ("traceparent", "00-\(traceID)-1234567890123456-01"), ("tracestate", "foo=1"),
            ], false, nil
        ),
        ([("trace-parent", "00-\(traceID)-1234567890123456-01"), ("tracestate", "foo=1")], false, nil),
        ([], false, nil),
    ]

    @Test(.timeLimit(.minutes(5))) func requestsContinueTheTraceOfTheirCaller() async throws {
        let probe = try ProbeProcess()
        defer { probe.end() }
        let harness = try Harness()
        defer { harness.server.shutdown() }
        let calls = (0..<3).map {
            #"{"url": "\#(harness.server.origin)/calls/\#($0)", "arguments": [{"é": \#($0)}]}"#
        }
        let client = CurlTransport()
        for (fields, continues, state) in Self.cases {
            harness.received.withLock { $0 = [] }
            var request = try HTTPRequest(
                .post, probe.url, body: .bytes(Array("[\(calls.joined(separator: ","))]".utf8)))
            for (name, value) in fields { request.fields.append(HTTPField.Name(name), value) }
            let response = try await client.send(request, context: RequestContext())
            #expect(response.status == 200)
            let received = harness.received.withLock { $0 }
            #expect(
                received.map { String(decoding: $0.body, as: UTF8.self) }
                    == (0..<3).map {
                        #"[{"é":\#($0)}]"#
                    })
            let parents = received.compactMap { TraceContext(fields: $0.fields) }
            #expect(parents.count == 3 && Set(parents.map(\.spanID)).count == 3)
            #expect(parents.allSatisfy { ($0.traceID == Self.traceID) == continues })
            #expect(parents.allSatisfy { $0.spanID != 0x1234_5678_9012_3456 })
            #expect(received.allSatisfy { $0.fields["tracestate"] == state })
        }
        for body in ["", "{}", "[1]", #"[{"arguments": []}]"#] {
            let request = try HTTPRequest(.post, probe.url, body: .bytes(Array(body.utf8)))
            #expect(try await client.send(request, context: RequestContext()).status == 400)
        }
        await client.shutdown()
    }
}

/// A `gateway-trace-probe` on a free port.
private struct ProbeProcess {
    let url: String
    private let process = Process()

    init() throws {
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "gateway-trace-probe")
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // One line, when it listens; nothing if it has ended.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        url = line.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func end() {
        // A child of a thread of Swift's pool may have inherited that SIGTERM is blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
