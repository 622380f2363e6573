import Foundation
import GatewayCore
import GatewayCurl
import Testing

/// What must not come from outside unless asked: run in processes of their own, whose environment and home are
/// set to lead astray.
@Suite struct EnvironmentTests {
    @Test func proxiesOfTheEnvironmentAreNotUsed() async {
        await #expect(processExitsWith: .success) {
            let server = FaultServer { request in ok(request.line) }
            let refusing = "http://127.0.0.1:\(FaultServer.unusedPort())"
            for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"] {
                setenv(name, refusing, 1)
            }
            let response = try await CurlTransport().send(.get, server.url + "/direct")
            #expect(response.text == "GET /direct HTTP/1.1")
        }
    }

    @Test func netrcIsNotRead() async {
        await #expect(processExitsWith: .success) {
            let home = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: home) }
            try Data("machine 127.0.0.1 login user password secret\n".utf8)
                .write(to: home.appendingPathComponent(".netrc"))
            setenv("HOME", home.path, 1)
            setenv("NETRC", home.appendingPathComponent(".netrc").path, 1)
            let server = FaultServer { _ in ok() }
            _ = try await CurlTransport().send(.get, server.url)
            #expect(server.requests.first?.value("authorization") == nil)
        }
    }

    /// A 401 with challenges and a 407 change nothing: they are responses like others.
    @Test func challengesAreNotAnswered() async throws {
        let server = FaultServer { _ in
            ok(
                status: "401 Unauthorized",
                fields:
                    "WWW-Authenticate: Basic realm=\"x\"\r\nWWW-Authenticate: Negotiate\r\nSet-Cookie: a=b\r\n"
            )
        }
        defer { server.stop() }
        let transport = CurlTransport()
        for _ in 0..<2 { #expect(try await transport.send(.get, server.url).status == 401) }
        #expect(server.requests.count == 2)
        for request in server.requests {
            #expect(request.value("authorization") == nil && request.value("cookie") == nil)
        }
    }

    /// The loop's thread never takes SIGPIPE's default action, whatever the process has set.
    @Test func writingIntoAClosedConnectionDoesNotEndTheProcess() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let server = FaultServer { connection in
                _ = connection.readHead()
                connection.reset()
            }
            let body = HTTPBody.bytes([UInt8](repeating: 1, count: 8 << 20))
            for _ in 0..<20 {
                let error = await failure { () throws(NetworkError) in
                    try await CurlTransport().send(.put, server.url, body: body)
                }
                #expect(error?.code == .connectionLost && error?.mayHaveBeenSent == true)
            }
        }
    }
}
