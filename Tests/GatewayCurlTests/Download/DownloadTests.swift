import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent), .timeLimit(.minutes(2))) struct DownloadTests {
    /// One piece less and one more than what libcurl, TLS and our window count in, in chunks of odd sizes.
    @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 65_537, 262_143, 262_144, 262_145, 1_000_003])
    func exactBytes(count: Int) async throws {
        let content = pattern(0..<count)
        let server = FaultServer { connection in
            while let request = connection.readRequest() {
                if request.line.contains("chunked") {
                    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                    var rest = content[...]
                    var size = 1
                    while !rest.isEmpty {
                        let piece = rest.prefix(size)
                        connection.write(
                            Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8))
                        rest = rest.dropFirst(size)
                        size = size * 3 + 1
                    }
                    connection.write("0\r\n\r\n")
                } else {
                    connection.write(
                        Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8) + content)
                }
            }
        }
        defer { server.stop() }
        let transport = CurlTransport()
        for path in ["/chunked", "/length"] {
            let response = try await transport.stream(.get, server.url + path)
            #expect(response.status == 200 && response.body.bytes == nil)
            var got: [UInt8] = []
            for try await chunk in response.body {
                #expect(!chunk.isEmpty)
                got += chunk
            }
            #expect(got == content)
            #expect(
                try await transport.stream(.get, server.url + path).body.collect(upToBytes: count) == content)
        }
        // A stream that was read to its end leaves the connection to the next.
        #expect(server.connectionCount == 1)
    }

    @Test func theHeadComesBeforeTheBody() async throws {
        let (answered, isSent) = (Latch(), Counter())
        let server = FaultServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 201 Created\r\nContent-Length: 4\r\nX-A: b\r\n\r\n")
            guard connection.readBytes(1) == [7] else { return }
            connection.write("late")
        }
        defer { server.stop() }
        // The request's body is still to come when the response's head is there.
        let body = HTTPBody.once(
            length: 1,
            AsyncThrowingStream {
                await answered.wait()
                return isSent.add() == 1 ? [7] : nil
            })
        let response = try await CurlTransport().stream(.post, server.url, body: body)
        answered.open()
        #expect(response.status == 201 && response.fields["X-A"] == "b")
        #expect(try await response.body.collect(upToBytes: 4) == Array("late".utf8))
    }

    @Test func headAndNoContentEndAtOnce() async throws {
        let server = FaultServer { request in
            request.line.hasPrefix("HEAD")
                ? "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" : "HTTP/1.1 204 No Content\r\n\r\n"
        }
        defer { server.stop() }
        let transport = CurlTransport()
        for method in [HTTPMethod.head, .get] {
            let response = try await transport.stream(method, server.url)
            #expect(try await response.body.collect(upToBytes: 0).isEmpty)
        }
    }

    /// Backpressure: what the reader does not take stays with the server.
    @Test func aReaderWhoStandsStillHoldsNoMoreThanHisWindow() async throws {
        let written = Tally()
        let server = FaultServer { connection in
            while let request = connection.readRequest() {
                guard request.line.contains("endless") else {
                    connection.write(ok())
                    continue
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n")
                connection.writeEndlessly(written)
            }
        }
        defer { server.stop() }
        let clock = ManualClock()
        let transport = transport { $0.clock = clock }
        var iterator = try await transport.stream(.get, server.url + "/endless").body.makeAsyncIterator()
        _ = try await iterator.next()
        // Siblings are not delayed. Nothing more is taken of the stream after a while.
        var (last, looks) = (-1, 0)
        await eventually {
            guard (try? await transport.send(.get, server.url).status) == 200 else { return false }
            looks = last == written.count ? looks + 1 : 0
            last = written.count
            return looks == 20
        }
        // The window, and what the system buffers for both sides.
        #expect(last * 65_536 < 16 << 20)
        // No limit of time ends the stream.
        clock.advance(by: .seconds(3600))
        await transport.settle()
        for _ in 0..<100 { #expect(try await iterator.next()?.isEmpty == false) }
        #expect(await isEventually { written.count > last })
    }

    @Test func aPausedStreamIsNoIdleConnection() async throws {
        // The window, and what the system surely buffers.
        let (content, isSent) = (pattern(0..<(256 << 10) + 100_000), Latch())
        let server = FaultServer { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n")
                connection.write(content)
                isSent.open()
            }
        }
        defer { server.stop() }
        let transport = CurlTransport()
        let response = try await transport.stream(.get, server.url)
        await isSent.wait()
        await eventually { server.unreadBytes <= 100_000 }
        transport.dropIdleConnections()
        #expect(try await response.body.collect(upToBytes: content.count) == content)
    }

    /// Cut off in every way there is: the bytes that came, then an error, never a short success.
    @Test(arguments: [
        ("Content-Length: 10\r\n\r\n12345", false, NetworkError.Code.truncated),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n", false, .truncated),
        ("Transfer-Encoding: chunked\r\n\r\na\r\n12345", false, .truncated),
        ("Content-Length: 10\r\n\r\n12345", true, .connectionLost),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\nzz\r\n", false, .malformedResponse),
    ])
    func tornStreams(rest: String, isReset: Bool, code: NetworkError.Code) async throws {
        // A reset that overtakes the head would leave nothing to stream.
        let isUnderWay = ThreadGate()
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\n" + rest)
            guard isReset else { return }
            isUnderWay.wait()
            connection.reset()
        }
        defer { server.stop() }
        defer { isUnderWay.open() }
        let response = try await CurlTransport().stream(.get, server.url)
        isUnderWay.open()
        var got = 0
        var failure: NetworkError?
        do { for try await chunk in response.body { got += chunk.count } } catch { failure = error }
        #expect(got <= 5 && failure?.code == code)
        #expect(failure?.phase == .receive && failure?.mayHaveBeenSent == true && failure?.attempts == 1)
    }

    @Test func theDeadlineHoldsInMidStream() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1")
            connection.waitForClose()
        }
        defer { server.stop() }
        let clock = ManualClock()
        let transport = transport {
            $0.clock = clock
            $0.timeouts.read = .seconds(20)
        }
        /// Reads what is there, and then what comes when the clock is moved on.
        func error(deadline: Duration?, isRead: Bool, after time: Duration) async throws -> NetworkError? {
            var context = RequestContext(options: CallOptions(deadline: deadline), clock: clock)
            context.response = .stream
            let response = try await transport.send(HTTPRequest(.get, server.url), context: context)
            var iterator = response.body.makeAsyncIterator()
            _ = try await iterator.next()
            let unread = iterator
            let mayRead = Latch()
            let reader = Task {
                await mayRead.wait()
                var iterator = unread
                return await failure { () throws(NetworkError) in try await iterator.next() }
            }
            if isRead { mayRead.open() }
            await transport.settle()
            clock.advance(by: time)
            await transport.settle()
            mayRead.open()
            return await reader.value
        }
        for isRead in [true, false] {
            let late = try await error(
                deadline: .milliseconds(300), isRead: isRead, after: .milliseconds(300))
            #expect(
                late?.code == .timeout && late?.limit == .call && late?.phase == .receive
                    && late?.mayHaveBeenSent == true)
        }
        let idle = try await error(deadline: nil, isRead: true, after: .seconds(20))
        #expect(idle?.code == .timeout && idle?.phase == .receive)
    }

    @Test func aSecondReaderIsRefused() async throws {
        let server = FaultServer { _ in ok("text") }
        defer { server.stop() }
        let response = try await CurlTransport().stream(.get, server.url)
        #expect(try await response.body.collect(upToBytes: 4) == Array("text".utf8))
        let second = await failure { () throws(NetworkError) in try await response.body.collect(upToBytes: 4)
        }
        #expect(second?.code == .invalidRequest)
        let small = try await CurlTransport().stream(.get, server.url)
        let error = await failure { () throws(NetworkError) in try await small.body.collect(upToBytes: 3) }
        #expect(error?.code == .responseTooLarge)
    }

    @Test func shuttingDownEndsStreams() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
            connection.writeEndlessly()
        }
        defer { server.stop() }
        let transport = CurlTransport()
        let responses = [
            try await transport.stream(.get, server.url), try await transport.stream(.get, server.url),
        ]
        await transport.shutdown()
        for response in responses {
            let error = await failure { () throws(NetworkError) in
                try await response.body.collect(upToBytes: 1 << 30)
            }
            #expect(error?.code == .closed)
        }
    }
}

/// Counts up.
private final class Counter: Sendable {
    private let tally = Tally()
    func add() -> Int {
        tally.add()
        return tally.count
    }
}
