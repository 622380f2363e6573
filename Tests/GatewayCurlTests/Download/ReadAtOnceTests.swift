import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

/// Streamed responses whose callers do nothing before they have read the content.
@Suite(.tags(.concurrent), .timeLimit(.minutes(2))) struct ReadAtOnceTests {
    private static let head = "HTTP/1.1 503 Service Unavailable\r\nX-A: b\r\n"

    private func send(
        _ transport: CurlTransport, _ url: String, clock: any GatewayClock = SystemClock()
    ) async throws(NetworkError) -> HTTPResponse {
        var context = RequestContext(response: .stream, clock: clock)
        context.readsAtOnce = true
        return try await transport.send(try HTTPRequest(.get, url), context: context)
    }

    /// stream.read-at-once
    @Test(arguments: [0, 1, 1_000, 65_536, 65_537, 300_000])
    func smallContentComesWithItsHead(count: Int) async throws {
        let content = pattern(0..<count)
        let server = FaultServer { connection in
            while let request = connection.readRequest() {
                guard request.line.contains("chunked") else {
                    connection.write(
                        Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8) + content)
                    continue
                }
                connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                var rest = content[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(7_000)
                    connection.write(
                        Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8))
                    rest = rest.dropFirst(7_000)
                }
                connection.write("0\r\n\r\n")
            }
        }
        defer { server.stop() }
        let transport = CurlTransport()
        for path in ["/length", "/chunked"] {
            let response = try await send(transport, server.url + path)
            #expect(response.status == 200)
            #expect((response.body.bytes != nil) == (count <= 65_536))
            #expect(try await response.body.collect(upToBytes: count) == content)
        }
        #expect(server.connectionCount == 1)
    }

    /// stream.read-at-once
    @Test(arguments: [
        ("Content-Length: 10\r\n\r\nhalf", NetworkError.Code.truncated),
        ("Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", .truncated),
        ("Content-Encoding: x-unknown\r\nContent-Length: 4\r\n\r\nhalf", .malformedResponse),
    ])
    func theHeadCountsWhateverBecomesOfTheContent(rest: String, code: NetworkError.Code) async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write(Self.head + rest)
        }
        defer { server.stop() }
        let transport = transport { $0.acceptsCompression = true }
        let response = try await send(transport, server.url)
        #expect(response.status == 503 && response.fields["X-A"] == "b" && response.body.bytes == nil)
        let error = await failure { () throws(NetworkError) in
            try await response.body.collect(upToBytes: 10)
        }
        #expect(error?.code == code && error?.mayHaveBeenSent == true && error?.attempts == 1)
    }

    /// stream.read-at-once: a small rest is read and discarded; where the rest is unknown, the connection is closed.
    @Test(arguments: ["Content-Length: 10\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"])
    func theHeadCountsWhenTheCallerGivesUp(rest: String) async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write(Self.head + rest)
            connection.waitForClose()
        }
        defer { server.stop() }
        let transport = CurlTransport()
        let call = Task { try await send(transport, server.url) }
        await transport.waitForStages(.receiving)
        call.cancel()
        let response = try await call.value
        #expect(response.status == 503 && response.fields["X-A"] == "b")
        let error = await failure { () throws(NetworkError) in
            try await response.body.collect(upToBytes: 10)
        }
        #expect(error?.code == .cancelled && error?.mayHaveBeenSent == true)
    }

    /// stream.read-at-once
    @Test func theHeadCountsWhenTheContentIsLate() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write(Self.head + "Content-Length: 10\r\n\r\nhalf")
            connection.waitForClose()
        }
        defer { server.stop() }
        let clock = ManualClock()
        let transport = transport {
            $0.clock = clock
            $0.timeouts.read = .seconds(20)
        }
        async let response = send(transport, server.url, clock: clock)
        await transport.waitForStages(.receiving)
        clock.advance(by: .seconds(21))
        let late = try await response
        #expect(late.status == 503 && late.fields["X-A"] == "b")
        let error = await failure { () throws(NetworkError) in try await late.body.collect(upToBytes: 10) }
        #expect(error?.code == .timeout && error?.limit == .receive)
    }

    /// stream.read-at-once
    @Test func withoutAHeadItIsAnError() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 503 Service Unavailable\r\nX-A: b")
        }
        defer { server.stop() }
        let error = await failure { () throws(NetworkError) in
            try await send(CurlTransport(), server.url)
        }
        #expect(error?.status == nil && error?.mayHaveBeenSent == true)
    }
}
