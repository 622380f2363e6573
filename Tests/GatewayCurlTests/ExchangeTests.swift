import GatewayCore
import GatewayCurl
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct ExchangeTests {
    @Test func aResponseComesWhole() async throws {
        let server = FaultServer { _ in
            ok("hello", fields: "X-A: 1\r\nx-a:  2 \r\nContent-Type: text/plain\r\nX-Folded: a\r\n  b\r\n")
        }
        defer { server.stop() }
        let response = try await CurlTransport().send(.get, server.url + "/a/../b?x=%2e&y")
        #expect(response.status == 200)
        #expect(response.text == "hello")
        #expect(response.fields.values(for: "X-A") == ["1", "2"])
        #expect(response.fields[.contentType] == "text/plain")
        #expect(response.fields["x-folded"] == "a b")
        #expect(response.exchange.attempts == 1)
        #expect(response.exchange.origin == (try Origin(server.url)))
        #expect(response.exchange.stamp == nil)
        #expect(server.requests.map(\.line) == ["GET /a/../b?x=%2e&y HTTP/1.1"])
    }

    /// Framing alone is added: no `Accept`, no `Content-Type`, no `Expect`.
    @Test func nothingIsAddedButFraming() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let transport = transport { $0.userAgent = "" }
        _ = try await transport.send(.get, server.url)
        _ = try await transport.send(.post, server.url, body: .text("x"))
        let large = [UInt8](repeating: 7, count: 2 << 20)
        _ = try await transport.send(.put, server.url, body: .bytes(large))
        let host = "host: 127.0.0.1:\(server.port)"
        #expect(
            server.requests.map { $0.fields.map { $0.lowercased() } } == [
                [host], [host, "content-length: 1"], [host, "content-length: \(large.count)"],
            ])
        #expect(server.requests[2].body == large)
    }

    @Test func fieldsGoOutAsTheyAre() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let transport = transport { $0.userAgent = "configured" }
        _ = try await transport.send(
            .get, server.url,
            fields: ["accept": "a", "X-Empty": "", "x-two": "1", "X-Two": "2", "Authorization": "Bearer t"])
        _ = try await transport.send(.get, server.url, fields: ["User-Agent": "own"])
        #expect(
            Array(server.requests[0].fields.dropFirst()) == [
                "User-Agent: configured", "accept: a", "X-Empty:", "x-two: 1", "X-Two: 2",
                "Authorization: Bearer t",
            ])
        #expect(Array(server.requests[1].fields.dropFirst()) == ["User-Agent: own"])
    }

    /// One kept connection, and so most likely one handle, through every way of sending.
    @Test func aHandleThatIsUsedAgainSendsTheRightThing() async throws {
        let server = FaultServer { request in
            request.line.hasPrefix("HEAD")
                ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" : ok(request.line + "|" + request.text)
        }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let large = String(repeating: "l", count: 100_000)
        let bodies: [(HTTPBody, String)] = [(.empty, ""), (.text("small"), "small"), (.text(large), large)]
        let methods: [HTTPMethod] = [.get, .put, .post, .delete, .patch, .options, HTTPMethod("PROPFIND")]
        for round in 0..<3 {
            for first in methods {
                for second in methods {
                    for method in [first, second] {
                        let (body, text) = bodies[(round + method.rawValue.count) % 3]
                        let response = try await transport.send(method, server.url + "/p\(round)", body: body)
                        #expect(response.text == "\(method) /p\(round) HTTP/1.1|\(text)")
                    }
                    let head = try await transport.send(.head, server.url)
                    #expect(head.status == 200 && head.body.bytes == [] && head.fields[.contentLength] == "5")
                }
            }
        }
        #expect(server.connectionCount == 1)
        for request in server.requests where request.body.isEmpty {
            let saysNone = ["POST", "PUT", "PATCH"].contains { request.line.hasPrefix($0) }
            #expect(request.value("content-length") == (saysNone ? "0" : nil))
        }
    }

    @Test(arguments: [204, 301, 302, 304, 307, 400, 401, 404, 418, 429, 500, 503, 599])
    func everyStatusIsAResponse(status: Int) async throws {
        let server = FaultServer { _ in
            "HTTP/1.1 \(status) X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        }
        defer { server.stop() }
        let response = try await CurlTransport().send(.post, server.url, body: .text("b"))
        #expect(response.status == status)
        #expect(server.requests.count == 1)
    }

    @Test func interimResponsesAreNotTheAnswer() async throws {
        let server = FaultServer { _ in
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok("final", fields: "X: y\r\n")
        }
        defer { server.stop() }
        let response = try await CurlTransport().send(.get, server.url)
        #expect(response.status == 200 && response.text == "final")
        #expect(!response.fields.contains("Link"))
    }

    @Test func chunkedBodiesAndTrailers() async throws {
        let server = FaultServer { _ in
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n"
        }
        defer { server.stop() }
        let response = try await CurlTransport().send(.get, server.url)
        #expect(response.text == "abcde")
        #expect(!response.fields.contains("X-Trailer"))
    }

    @Test func connectionsAreKeptAndDropped() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let transport = CurlTransport()
        for _ in 0..<5 { _ = try await transport.send(.get, server.url) }
        #expect(server.connectionCount == 1)
        transport.dropIdleConnections()
        _ = try await transport.send(.post, server.url, body: .text("x"))
        #expect(server.connectionCount == 2)
        #expect(server.requests.count == 6)
    }

    @Test func manyAtOnceStayWithinTheirConnections() async throws {
        let server = FaultServer { request in ok(request.line) }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 8 }
        let url = server.url
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let response = try await transport.send(.get, url + "/\(number)")
                    #expect(response.text == "GET /\(number) HTTP/1.1")
                }
            }
            try await group.waitForAll()
        }
        #expect(server.connectionCount <= 8)
        #expect(server.requests.count == 400)
    }
}
