import GatewayCore
import GatewayCurl
import TestTiers
import Testing

/// libcurl is given a head at once or line by line; who reads it finds the same.
@Suite(.tags(.concurrent)) struct RequestHeadTests {
    private static let token = "Bearer " + String(repeating: "0123456789", count: 50)

    @Test func aHeadGoesOutAtOnce() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        _ = try await CurlTransport().send(
            .get, server.url + "/a?b=%20c",
            fields: ["Authorization": Self.token, "X-Empty": "", "accept": "a"])
        #expect(server.requests.map(\.line) == ["GET /a?b=%20c HTTP/1.1"])
        #expect(
            server.requests[0].fields == [
                "Host: 127.0.0.1:\(server.port)", "Authorization: \(Self.token)", "X-Empty:", "accept: a",
                "User-Agent: GatewayClient HTTP/1.1",
            ])
    }

    /// One connection, and so one handle, that is told of heads in both ways by turns.
    @Test func bothWaysSayTheSame() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.userAgent = "mine/1 HTTP/1.1"
        }
        let fields: [HTTPFields] = [
            [:], ["Authorization": Self.token], ["User-Agent": "own"],
            ["User-Agent": "own/2 HTTP/1.1", "A": "b"],
            ["Accept-Encoding": "br", "Authorization": Self.token],
            ["Content-Type": "text/x", "accept": "y"],
            ["x": "1", "X": "2", "Cookie": "c=d"], ["User-Agent": "a HTTP/1.1", "user-agent": "b HTTP/1.1"],
            ["User-Agent": " HTTP/1.1"], ["User-Agent": "HTTP/1.1"], ["TE": "trailers"],
        ]
        let bodies: [(HTTPMethod, HTTPBody, [String])] = [
            (.get, .empty, []), (.post, .text("content"), ["content-length: 7"]),
            (.put, .empty, ["content-length: 0"]),
            (.patch, .bytes([UInt8](repeating: 7, count: 100_000)), ["content-length: 100000"]),
            (.delete, .empty, []),
        ]
        var number = 0
        for (method, body, framing) in bodies {
            for first in fields {
                // Any two after each other without content; with content, each after one that has a head of its own.
                for second in method == .get ? fields : [fields[1]] {
                    for fields in [first, second] {
                        number += 1
                        _ = try await transport.send(
                            method, server.url + "/\(number)", fields: fields, body: body)
                        let request = try #require(server.requests.last)
                        #expect(request.line == "\(method) /\(number) HTTP/1.1")
                        var expected = fields.map {
                            $0.value.isEmpty ? "\($0.name):" : "\($0.name): \($0.value)"
                        }
                        expected += ["Host: 127.0.0.1:\(server.port)"]
                        if fields[.userAgent] == nil { expected.append("User-Agent: mine/1 HTTP/1.1") }
                        expected += framing
                        #expect(
                            request.fields.map { Self.lowercasedName($0) }.sorted()
                                == expected.map { Self.lowercasedName($0) }.sorted())
                        #expect(request.body == body.bytes ?? [])
                    }
                }
            }
        }
        #expect(server.connectionCount == 1)
    }

    /// libcurl speaks HTTP/1.0 to a server that did.
    @Test func anOldServerIsStillUnderstood() async throws {
        let server = FaultServer { _ in
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"
        }
        defer { server.stop() }
        let transport = CurlTransport()
        for _ in 0..<3 {
            let response = try await transport.send(.get, server.url, fields: ["Authorization": Self.token])
            #expect(response.status == 200)
        }
        for request in server.requests {
            #expect(request.line.hasPrefix("GET / HTTP/1."))
            #expect(request.value("authorization") == Self.token)
            #expect(request.fields.count == 3)
        }
    }

    private static func lowercasedName(_ line: String) -> String {
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        return line[..<colon].lowercased() + line[colon...]
    }
}
