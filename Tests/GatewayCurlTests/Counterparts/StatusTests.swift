import GatewayCore
import GatewayCurl
import Testing

/// Every status is a response.
@Suite struct StatusTests {
    /// nginx gives all but these as it is told.
    private static let final = (200...599).filter { $0 != 444 && !(494...499).contains($0) }
    /// Those with a meaning of their own, and one without in each class.
    private static let some = [
        200, 201, 204, 206, 299, 301, 303, 304, 308, 399, 401, 404, 418, 429, 493, 500, 503, 599,
    ]

    @Test(.needsNginx, arguments: [HTTPMethod.get, .head, .post])
    func finalOnes(method: HTTPMethod) async throws {
        let nginx = Counterparts.nginx ?? ""
        let transport = CurlTransport()
        for status in method == .get ? Self.final : Self.some {
            let response = try await transport.send(
                method, "\(nginx)/status/\(status)", body: method == .post ? .text("x") : .empty)
            #expect(response.status == status)
            switch status {
            case 204, 304: #expect(response.text.isEmpty)
            case 301, 302, 303, 307, 308: #expect(response.fields[.location]?.hasSuffix("/ok") == true)
            default: #expect(response.text == (method == .head ? "" : "\(status)"))
            }
        }
    }

    @Test(.needsNginx) func finalOnesOverHTTP2() async throws {
        let transport = trusting { $0.httpVersion = .http2 }
        for status in Self.some where ![204, 301, 302, 303, 304, 307, 308].contains(status) {
            let response = try await transport.send(.get, "\(Counterparts.nginxTLS ?? "")/status/\(status)")
            #expect(response.status == status && response.text == "\(status)")
        }
    }

    @Test(.needsHTTPBin, arguments: [HTTPMethod.get, .post, .put, .patch, .delete])
    func ofAServiceInPython(method: HTTPMethod) async throws {
        let transport = CurlTransport()
        for status in [200, 201, 202, 204, 400, 401, 403, 404, 409, 418, 429, 500, 502, 503, 504] {
            let response = try await transport.send(
                method, "\(Counterparts.httpbin ?? "")/status/\(status)",
                body: method == .get ? .empty : .text("x"))
            #expect(response.status == status)
        }
    }

    /// Interim responses are not the answer (RFC 9110 §15.2), however many there are.
    @Test func interimOnes() async throws {
        let server = FaultServer { request in
            let status = request.line.split(separator: "/")[1].prefix { $0.isNumber }
            let interim = "HTTP/1.1 \(status) Wait\r\nLink: </a>; rel=preload\r\n\r\n"
            return interim + interim + ok("done", fields: "X-Last: yes\r\n")
        }
        defer { server.stop() }
        let transport = CurlTransport()
        for status in 100...199 where status != 101 {
            let response = try await transport.send(.get, "\(server.url)/\(status)")
            #expect(response.status == 200 && response.text == "done", "after \(status)")
            #expect(response.fields["X-Last"] == "yes" && response.fields["Link"] == nil)
        }
    }

    /// Nobody asked to switch protocols: there is no sound answer, and no hang.
    @Test func switchingProtocolsUnasked() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
        }
        defer { server.stop() }
        do throws(NetworkError) {
            #expect(try await CurlTransport().send(.get, server.url, deadline: .seconds(20)).status == 101)
        } catch {
            #expect(error.code == .connectionLost || error.code == .malformedResponse, "\(error)")
        }
    }

    @Test func nothingButInterimOnes() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 103 Early Hints\r\n\r\n")
        }
        defer { server.stop() }
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.get, server.url, deadline: .seconds(20))
        }
        #expect(error?.code == .connectionLost, "\(String(describing: error))")
    }
}
