import Foundation
import GatewayCore
import GatewayCurl
import TestTiers
import Testing

/// Content over TLS that ends with the connection (RFC 9112 §9.8).
@Suite(.tags(.concurrent), .timeLimit(.minutes(1)), .needsServerIdentity) struct SessionEndTests {
    /// A server that ends its session of TLS after the content, or only the connection.
    private func server(ends: Bool, _ head: String) -> FaultServer {
        FaultServer(identity: ServerIdentity.shared) { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(head + "\r\nthe first half")
            if ends { connection.endSession() }
        }
    }

    private var transport: CurlTransport {
        GatewayCurlTests.transport { $0.caFile = ServerIdentity.shared?.certificate }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\n",
    ])
    func contentIsCompleteOnlyWithTheEndOfTLS(head: String) async throws {
        let whole = server(ends: true, head)
        defer { whole.stop() }
        #expect(try await transport.send(.get, whole.url).text == "the first half")
        let torn = server(ends: false, head)
        defer { torn.stop() }
        let error = await failure { () throws(NetworkError) in try await transport.send(.get, torn.url) }
        #expect(error?.code == .truncated && error?.phase == .receive && error?.mayHaveBeenSent == true)
    }

    @Test func aStreamEndsWithAnError() async throws {
        let torn = server(ends: false, "HTTP/1.1 200 OK\r\n")
        defer { torn.stop() }
        let body = try await transport.stream(.get, torn.url).body
        let error = await failure { () throws(NetworkError) in try await body.collect(upToBytes: 100) }
        #expect(error?.code == .truncated)
        let whole = server(ends: true, "HTTP/1.1 200 OK\r\n")
        defer { whole.stop() }
        let complete = try await transport.stream(.get, whole.url).body.collect(upToBytes: 100)
        #expect(String(decoding: complete, as: UTF8.self) == "the first half")
    }

    @Test func aFileIsNotReplaced() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let torn = server(ends: false, "HTTP/1.1 200 OK\r\n")
        defer { torn.stop() }
        let body = try await transport.stream(.get, torn.url).body
        let error = await failure { () throws(NetworkError) in
            try await body.write(toFile: path, upToBytes: 100)
        }
        #expect(error?.code == .truncated)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("old".utf8))
    }

    /// A length or chunks tell the end, and no content has none.
    @Test func otherEndsNeedNoneOfTLS() async throws {
        for text in [
            ok("ok"), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\n",
        ] {
            let server = FaultServer(identity: ServerIdentity.shared) { connection in
                guard connection.readRequest() != nil else { return }
                connection.write(text)
            }
            defer { server.stop() }
            #expect(try await transport.send(.get, server.url).status < 300)
        }
        let head = server(ends: false, "HTTP/1.1 200 OK\r\n")
        defer { head.stop() }
        #expect(try await transport.send(.head, head.url).status == 200)
    }
}
