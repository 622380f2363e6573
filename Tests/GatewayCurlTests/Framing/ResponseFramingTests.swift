import GatewayCore
import GatewayCurl
import Testing

/// Responses whose framing is invalid or ambiguous are refused before a byte of them is handed on, and their
/// connection is not used again (RFC 9112 §2.2, §5, §6).
@Suite struct ResponseFramingTests {
    private static let content = String(repeating: "x", count: 300)

    /// Serves what the test says on every path but `/ok`.
    private static func server(_ response: String) -> FaultServer {
        FaultServer { request in request.line.contains("/ok") ? ok() : response }
    }

    private static func expectRefused(
        _ response: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let server = server(response)
        defer { server.stop() }
        let transport = CurlTransport()
        for turn in 1...2 {
            let error = await failure { () throws(NetworkError) in try await transport.send(.get, server.url)
            }
            #expect(error?.code == .malformedResponse, sourceLocation: sourceLocation)
            #expect(error?.mayHaveBeenSent == true, sourceLocation: sourceLocation)
            let streamed = await failure { () throws(NetworkError) in
                try await transport.stream(.get, server.url)
            }
            #expect(streamed?.code == .malformedResponse, sourceLocation: sourceLocation)
            #expect(
                server.connectionCount == turn * 2, "the connection is not used again",
                sourceLocation: sourceLocation)
        }
        #expect(
            try await transport.send(.get, server.url + "/ok").text == "ok", sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "18446744073709551619", "9223372036854775808", "99999999999999999999999999", "3, 300", "3,300",
        "3 300",
        "0x300", "3x0", "+3", "-3", "3.0", "", "three", "3;", "\"3\"", "1e2", "3,", ",3", "٣",
    ])
    func anInvalidLengthIsRefused(length: String) async throws {
        try await Self.expectRefused("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n\(Self.content)")
    }

    @Test(arguments: [
        "Content-Length: 3\r\nContent-Length: 300\r\n", "Content-Length: 300\r\ncontent-length: 3\r\n",
        "Content-Length : 3\r\n", "Content-Length\t: 3\r\n", "Content-Length: 3\r\n 00\r\n",
        "Content-Length:\r\n 300\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: chunked, gzip\r\n",
        "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding:\r\n chunked\r\n",
        "Transfer-Encoding : chunked\r\n", "Transfer-Encoding: \"chunked\"\r\n", "Transfer-Encoding:\r\n",
    ])
    func ambiguousFramingIsRefused(fields: String) async throws {
        try await Self.expectRefused("HTTP/1.1 200 OK\r\n\(fields)\r\n3\r\nabc\r\n0\r\n\r\n\(Self.content)")
    }

    /// libcurl names a fault of its caller.
    @Test func aLineThatIsNoFieldIsTheServersFault() async throws {
        try await Self.expectRefused(
            "HTTP/1.1 200 OK\r\nA\rB: c\r\nContent-Length: 300\r\n\r\n\(Self.content)")
    }

    /// What is cut off by one of two lengths can be a whole token response.
    @Test func aTokenResponseOfTwoLengthsIsRefused() async throws {
        let whole = #"{"access_token":"abc","token_type":"Bearer"}"#
        for lengths in ["\(whole.utf8.count), 300", "\(whole.utf8.count)\r\nContent-Length: 300"] {
            let server = FaultServer { _ in
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(lengths)\r\n\r\n\(whole)"
            }
            defer { server.stop() }
            let error = await failure { () throws(NetworkError) in
                try await CurlTransport().send(
                    .post, server.url, body: .text("grant_type=refresh_token&refresh_token=once"))
            }
            // The token may have been spent.
            #expect(error?.code == .malformedResponse && error?.mayHaveBeenSent == true)
        }
    }

    @Test(arguments: [
        "X: a\rb\r\n", "X: a\r\r\n", "X: a\0b\r\n", "X: a\u{1}b\r\n", "X: a\u{7F}\r\n", "X\u{1}: a\r\n",
        "X Y: a\r\n", "X\0Y: a\r\n", "X : a\r\n", "(X): a\r\n", "X: a\r\n b\rc\r\n", "X: a\r\n b\0c\r\n",
        "Ünï: a\r\n",
    ])
    func controlsInFieldsAreRefused(field: String) async throws {
        try await Self.expectRefused("HTTP/1.1 200 OK\r\n\(field)Content-Length: 2\r\n\r\nok")
    }

    @Test(arguments: [
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 200 OK\rX: y\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 O\0K\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
    ])
    func otherStatusLinesAreRefused(response: String) async throws { try await Self.expectRefused(response) }

    @Test(arguments: [
        "Content-Length: 3, 3\r\n", "Content-Length: 3\r\nContent-Length: 3\r\n", "Content-Length: 003\r\n",
        "Content-Length: 3,3 ,\t3\r\nContent-Length: 3\r\n", "Content-Length:3\r\n",
        "Content-Length: \t3 \t\r\n",
    ])
    func equalLengthsAreOne(fields: String) async throws {
        let server = FaultServer { _ in "HTTP/1.1 200 OK\r\n\(fields)\r\nabc" }
        defer { server.stop() }
        let transport = CurlTransport()
        for _ in 0..<2 { #expect(try await transport.send(.get, server.url).text == "abc") }
        #expect(server.connectionCount == 1)
    }

    /// Whatever their framing fields say, interim responses have no content (RFC 9112 §6.3).
    @Test func interimResponsesArePassedOver() async throws {
        let server = FaultServer { _ in
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nX: 1\r\n\r\n"
                + ok("abc", fields: "Y: a\tb\r\nZ: \u{E4}\r\n")
        }
        defer { server.stop() }
        let transport = CurlTransport()
        for _ in 0..<2 {
            let response = try await transport.send(.get, server.url)
            #expect(response.status == 200 && response.text == "abc")
            #expect(response.fields["X"] == nil && response.fields["Y"] == "a\tb")
            #expect(response.fields["Z"] == "\u{E4}")
        }
        #expect(server.connectionCount == 1)
    }

    /// libcurl reads the lengths of chunks; the response's end is never where a server did not mean it.
    @Test(arguments: ["0x3", "0;x", "+3", "-3", " 3", "ffffffffffffffffffff3", "", "g", "2"])
    func invalidChunksAreRefused(size: String) async throws {
        let server = FaultServer { _ in
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nabc\r\n0\r\n\r\n"
        }
        defer { server.stop() }
        let transport = CurlTransport()
        for turn in 1...2 {
            let error = await failure { () throws(NetworkError) in try await transport.send(.get, server.url)
            }
            #expect(error?.code == .malformedResponse && error?.mayHaveBeenSent == true)
            #expect(server.connectionCount == turn)
        }
    }

    @Test(arguments: ["no colon", ": no name"]) func linesThatAreNoFieldsAreRefused(line: String) async throws
    {
        try await Self.expectRefused("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 2\r\n\r\nok")
    }

    @Test func chunkedInAnyCase() async throws {
        let server = FaultServer { _ in
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        }
        defer { server.stop() }
        #expect(try await CurlTransport().send(.get, server.url).text == "abc")
    }

    /// A folded value is one line with spaces (RFC 9112 §5.2).
    @Test func foldedValuesAreJoined() async throws {
        let server = FaultServer { _ in ok("abc", fields: "X: a\r\n  b\r\n\tc\r\n") }
        defer { server.stop() }
        #expect(try await CurlTransport().send(.get, server.url).fields["X"] == "a b c")
    }
}
