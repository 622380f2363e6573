import CLibcurl  // Its headers may be what declares the constants of sockets.
import Foundation
import GatewayCore
import GatewayCurl
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct RouteTests {
    private func proxy(_ server: FaultServer, password: Bool = true) -> CurlConfiguration.Proxy {
        CurlConfiguration.Proxy(
            host: "127.0.0.1", port: server.port, username: password ? "me" : nil,
            password: password ? Secret("s3cret") : nil)
    }

    @Test func aProxyIsToldTheWholeURL() async throws {
        let server = FaultServer { _ in ok("by proxy") }
        defer { server.stop() }
        let transport = transport { $0.proxy = proxy(server) }
        for path in ["/a?b=1", "/c"] {
            let response = try await transport.send(.get, "http://service.invalid:8080" + path)
            #expect(response.text == "by proxy")
        }
        #expect(
            server.requests.map(\.line) == [
                "GET http://service.invalid:8080/a?b=1 HTTP/1.1",
                "GET http://service.invalid:8080/c HTTP/1.1",
            ])
        #expect(server.requests.first?.value("host") == "service.invalid:8080")
        let basic = "Basic " + Data("me:s3cret".utf8).base64EncodedString()
        #expect(server.requests.first?.value("proxy-authorization") == basic)
        #expect(!"\(proxy(server))".contains("s3cret"))
    }

    @Test func aTunnelSeesNothingOfTheRequest() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let transport = transport { $0.proxy = proxy(server, password: false) }
        let error = await failure { () throws(NetworkError) in
            try await transport.send(
                .get, "https://service.invalid/secret", fields: [.authorization: "Bearer token"])
        }
        #expect(error?.code == .proxyFailure && error?.mayHaveBeenSent == false && error?.attempts == 1)
        #expect(
            error?.message
                == "The proxy 127.0.0.1:\(server.port) refused a tunnel to service.invalid:443 with the status 407: "
                + "check its user name and password.")
        let request = try #require(server.requests.first)
        #expect(request.line == "CONNECT service.invalid:443 HTTP/1.1")
        #expect(request.value("authorization") == nil && request.value("proxy-authorization") == nil)
    }

    /// What is at the proxy's address is none: it ends the connection, or answers in another protocol.
    @Test(arguments: ["", "SSH-2.0-OpenSSH_9.2\r\n", "<html>"])
    func aTunnelThatIsNotAnswered(answer: String) async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write(answer)
        }
        defer { server.stop() }
        let transport = transport { $0.proxy = proxy(server, password: false) }
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.post, "https://service.invalid/secret", body: .text("pay 100"))
        }
        #expect(error?.code == .proxyFailure && error?.mayHaveBeenSent == false, "\(error as Any)")
        #expect(error?.message.contains("proxy 127.0.0.1:\(server.port)") == true)
    }

    @Test func aProxyThatIsNotThere() async throws {
        let port = FaultServer.unusedPort()
        for url in ["http://service.invalid/", "https://service.invalid/"] {
            let transport = transport { $0.proxy = .init(host: "127.0.0.1", port: port) }
            let error = await failure { () throws(NetworkError) in try await transport.send(.get, url) }
            #expect(error?.code == .proxyFailure && error?.mayHaveBeenSent == false)
            #expect(
                error?.message
                    == "The proxy 127.0.0.1:\(port) refused the connection: check its host and port.")
        }
    }

    @Test func namesAreResolvedAsSaid() async throws {
        let server = FaultServer { request in ok(request.value("host") ?? "") }
        defer { server.stop() }
        let transport = transport {
            $0.resolutions = [.init(host: "service.invalid", port: server.port, addresses: ["127.0.0.1"])]
            $0.detours = [
                .init(host: "other.invalid", port: 80, toHost: "service.invalid", toPort: server.port)
            ]
        }
        for _ in 0..<2 {
            #expect(
                try await transport.send(.get, "http://service.invalid:\(server.port)/").text
                    == "service.invalid:\(server.port)")
            #expect(try await transport.send(.get, "http://other.invalid/").text == "other.invalid")
        }
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.get, "http://third.invalid/")
        }
        #expect(error?.code == .dnsFailure)
    }

    @Test func aUnixSocket() async throws {
        let path = "/tmp/gateway-\(UUID().uuidString.prefix(8)).sock"
        defer { unlink(path) }
        let server = FaultServer(path: path) { connection in
            while let request = connection.readRequest() {
                connection.write(ok(request.value("host") == "service.invalid" ? "yes" : "no"))
            }
        }
        defer { server.stop() }
        let transport = transport { $0.unixSocketPath = path }
        #expect(try await transport.send(.get, "http://service.invalid/").text == "yes")
    }
}
