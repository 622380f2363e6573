import Foundation
import GatewayCore
import GatewayCurl
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

/// Connections that end when they should not.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct LostConnectionTests {
    /// The kept connection takes the second request and dies without an answer: libcurl would send it again, up
    /// to five times.
    @Test(arguments: [HTTPMethod.post, .get, .put], [false, true])
    func aRequestOnADeadKeptConnectionArrivesOnce(method: HTTPMethod, resets: Bool) async throws {
        let server = FaultServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(ok("first"))
            guard connection.readRequest() != nil else { return }
            if resets { connection.reset() }
        }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let body: HTTPBody = method == .get ? .empty : .text("pay 100")
        _ = try await transport.send(method, server.url + "/1", body: body)
        let error = await failure { () throws(NetworkError) in
            try await transport.send(method, server.url + "/2", body: body)
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.mayHaveBeenSent == true)
        #expect(error?.attempts == 1)
        #expect(error?.origin == (try Origin(server.url)))
        #expect(server.requests.count { $0.line.contains("/2") } == 1)
        let after = try await transport.send(method, server.url + "/3", body: body)
        #expect(after.text == "first")
    }

    /// After a restart of the server, each kept connection fails at its next request. The last of three attempts must not
    /// meet the third of them.
    @Test func aSecondRetryOpensAConnection() async throws {
        let kept = 8
        let areAllThere = ThreadGate()
        let server = FaultServer { connection in
            guard connection.readRequest() != nil else { return }
            // The last of them to come in finds all.
            if connection.server.connectionCount >= kept { areAllThere.open() }
            areAllThere.wait()
            connection.write(ok("first"))
            _ = connection.readRequest()
        }
        defer {
            areAllThere.open()
            server.stop()
        }
        let transport = transport()
        let request = try HTTPRequest(.get, server.url)
        try await withThrowingTaskGroup { group in
            for _ in 0..<kept {
                group.addTask { _ = try await transport.send(request, context: RequestContext()) }
            }
            try await group.waitForAll()
        }
        #expect(server.connectionCount == kept)
        let engine = RetryEngine(
            below: AttemptEngine(transport: transport), policy: .immediate(attempts: 3))
        let response = try await engine.send(request, context: RequestContext())
        #expect(response.text == "first" && response.exchange.attempts == 3)
        #expect(server.connectionCount == kept + 1)
        // The next call uses a kept connection again.
        _ = try? await transport.send(request, context: RequestContext())
        #expect(server.connectionCount == kept + 1)
    }

    /// The same with a body that is read as it is sent, which must not be read a second time.
    @Test func aStreamOnADeadKeptConnectionIsReadOnce() async throws {
        let server = FaultServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(ok())
            _ = connection.readRequest()
        }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        _ = try await transport.send(.get, server.url)
        let made = Tally()
        let body = HTTPBody.replayable {
            made.add()
            return AsyncThrowingStream { continuation in
                continuation.yield([1, 2, 3])
                continuation.finish()
            }
        }
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.post, server.url + "/2", body: body)
        }
        #expect(error?.code == .connectionLost && error?.mayHaveBeenSent == true)
        #expect(made.count == 1)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", NetworkError.truncated),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .truncated),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe", .truncated),
        ("HTTP/1.1 200 OK\r\nContent-Le", .connectionLost),
        ("", .connectionLost),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", .malformedResponse),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n", .malformedResponse),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello\r\n0\r\n\r\n",
            .malformedResponse
        ),
        ("not http at all\r\n\r\n", .malformedResponse),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", .malformedResponse),
    ])
    func aTornResponseIsNeverAShortSuccess(bytes: String, expected: NetworkError.Code) async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write(bytes)
        }
        defer { server.stop() }
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.get, server.url)
        }
        #expect(error?.code == expected, "\(String(describing: error))")
        #expect(error?.mayHaveBeenSent == true)
    }

    /// libcurl would send the request again without the field, and passes over the content.
    @Test func a417ToAnExpectationIsAResponse() async throws {
        let server = FaultServer { connection in
            while connection.readHead() != nil {
                connection.write(ok("not here", status: "417 Expectation Failed"))
            }
        }
        defer { server.stop() }
        let response = try await CurlTransport().send(
            .post, server.url, fields: ["Expect": "100-continue"],
            body: .text(String(repeating: "x", count: 100_000)))
        #expect(response.status == 417 && response.text == "" && !response.fields.contains(.contentLength))
        #expect(server.requests.count <= 1)
    }

    @Test func aResetInTheMiddleOfABody() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
            connection.reset()
        }
        defer { server.stop() }
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.get, server.url)
        }
        #expect(error?.code == .connectionLost || error?.code == .truncated)
    }

    @Test func aRefusedConnection() async throws {
        let url = "http://127.0.0.1:\(FaultServer.unusedPort())"
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.post, url, body: .text("x"))
        }
        #expect(error?.code == .connectionRefused)
        #expect(error?.phase == .connect)
        #expect(error?.mayHaveBeenSent == false && error?.attempts == 1)
        #expect(
            error?.message
                == "\(url.dropFirst(7)) refused the connection: check that the server is running and listens there."
        )
    }

    @Test func aNameThatDoesNotResolve() async throws {
        let transport = transport { $0.clock = ManualClock() }
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.get, "http://nowhere.invalid/")
        }
        #expect(error?.code == .dnsFailure)
        #expect(error?.phase == .resolve)
        #expect(error?.mayHaveBeenSent == false && error?.attempts == 1)
        #expect(error?.message.hasPrefix("The name nowhere.invalid did not resolve") == true)
    }

    /// The server answers before it has the body, in one of the ways servers do.
    @Test(arguments: [false, true])
    func anEarlyAnswerToAPausedUpload(closes: Bool) async throws {
        let server = FaultServer { connection in
            guard connection.readHead() != nil else { return }
            connection.write(
                ok("early", status: "413 Content Too Large", fields: closes ? "Connection: close\r\n" : ""))
            if !closes { connection.waitForClose() }
        }
        defer { server.stop() }
        let transport = CurlTransport()
        for _ in 0..<20 {
            let (stream, continuation) = AsyncThrowingStream<HTTPBody.Chunk, any Error>.makeStream()
            continuation.yield([UInt8](repeating: 1, count: 1000)[...])
            let response = try await transport.send(.post, server.url, body: .once(stream))
            #expect(response.status == 413 && response.text == "early")
            continuation.finish()
        }
    }
}
