import GatewayCore
import GatewayCurl
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct LimitTests {
    @Test(arguments: [
        ok("12345678901"),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n12345678901\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n12345678901",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
    ])
    func contentHasALimit(response: String) async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write(response)
            if response.contains("99999999999") { connection.waitForClose() }
        }
        defer { server.stop() }
        let transport = CurlTransport()
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.get, server.url, limit: 10)
        }
        #expect(
            error?.code == .responseTooLarge && error?.phase == .receive && error?.mayHaveBeenSent == true)
        #expect(
            error?.message.hasPrefix(
                "The response from 127.0.0.1:\(server.port) is larger than the limit of 10 bytes:") == true)
        if !response.contains("99999999999") {
            #expect(try await transport.send(.get, server.url, limit: 11).text == "12345678901")
        }
    }

    @Test func aHeadResponseAnnouncesWhatItLikes() async throws {
        let server = FaultServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n" }
        defer { server.stop() }
        #expect(try await CurlTransport().send(.head, server.url, limit: 10).status == 200)
    }

    /// A header of a response that is larger than the limit of 64 KiB.
    enum LargeHeader: CaseIterable {
        case longField, manyFields, interimResponses, trailers, endlessField

        var response: String {
            let fields = String(repeating: "X: y\r\n", count: 20_000)
            return switch self {
            case .longField: "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 200_000) + "\r\n\r\n"
            case .manyFields: "HTTP/1.1 200 OK\r\n" + fields + "\r\n"
            case .interimResponses:
                String(repeating: "HTTP/1.1 103 Early\r\nX: y\r\n\r\n", count: 10_000)
            case .trailers: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + fields + "\r\n"
            case .endlessField: "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 3_000_000)
            }
        }
    }

    @Test(arguments: LargeHeader.allCases)
    func headersHaveALimit(header: LargeHeader) async throws {
        let response = header.response
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write(response)
        }
        defer { server.stop() }
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.get, server.url)
        }
        #expect(error?.code == .responseTooLarge, "\(String(describing: error))")
    }

    /// Refused before any I/O: no connection is made.
    @Test(
        arguments: [
            ("GET\r\nX: y", "/", [:]), ("G ET", "/", [:]), ("", "/", [:]), ("GET", "/\r\nX: y", [:]),
            ("GET", "/a b", [:]), ("GET", "", [:]), ("GET", "/a\0b", [:]), ("GET", "/", ["X": "a\r\nY: b"]),
            ("GET", "/", ["X": "a\0"]), ("GET", "/", ["X\r\nY": "b"]), ("GET", "/", ["": "b"]),
            ("GET", "/", ["Content-Length": "3"]), ("GET", "/", ["Transfer-Encoding": "chunked"]),
            ("GET", "/", ["Host": "other"]),
        ] as [(String, String, HTTPFields)])
    func whatMustNotReachTheWire(method: String, target: String, fields: HTTPFields) async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let request = HTTPRequest(
            method: HTTPMethod(method), origin: try Origin(server.url), target: target, fields: fields)
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(request, context: RequestContext())
        }
        #expect(error?.code == .invalidRequest && error?.mayHaveBeenSent == false)
        #expect(server.connectionCount == 0)
    }

    @Test func headCarriesNoContent() async throws {
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.head, "http://127.0.0.1:1", body: .text("x"))
        }
        #expect(error?.code == .invalidRequest)
    }
}
