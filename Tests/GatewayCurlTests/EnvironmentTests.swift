import Foundation
import GatewayCore
import GatewayCurl
import TestTiers
import Testing

/// What must not come from outside unless asked: run in processes of their own, whose environment and home are
/// set to lead astray.
@Suite(.tags(.concurrent)) struct EnvironmentTests {
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
        await #expect(processExitsWith: .success) {
            let proxy = FaultServer { _ in ok() }
            for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                setenv(name, proxy.url, 1)
            }
            let error = await failure { () throws(NetworkError) in
                try await CurlTransport().send(.get, "https://127.0.0.1:\(FaultServer.unusedPort())")
            }
            #expect(error?.code == .connectionRefused && proxy.connectionCount == 0)
        }
    }

    /// Whoever sets the environment cannot lead requests past the proxy that the configuration names.
    @Test func exceptionsOfTheEnvironmentAreNotMade() async {
        await #expect(processExitsWith: .success) {
            for name in ["no_proxy", "NO_PROXY"] { setenv(name, "*", 1) }
            let server = FaultServer { _ in ok("by proxy") }
            var configuration = CurlConfiguration()
            configuration.proxy = .init(host: "127.0.0.1", port: server.port)
            let response = try await CurlTransport(configuration: configuration)
                .send(.get, "http://service.invalid/")
            #expect(response.text == "by proxy")
        }
    }

    /// libcurl leaves the action of SIGPIPE, which is the program's, alone: it would change it for the time of each
    /// of its calls.
    @Test func signalsAreLeftAlone() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let (ended, changes) = (Tally(), Tally())
            Thread.detachNewThread {
                while ended.count == 0 {
                    var action = sigaction()
                    sigaction(SIGPIPE, nil, &action)
                    if action.__sigaction_handler.sa_handler != nil { changes.add() }
                }
            }
            // Much to read, so that libcurl is at work for most of the time.
            let answer = ok(String(repeating: "x", count: 32 << 20))
            let server = FaultServer { _ in answer }
            let transport = CurlTransport()
            _ = try await transport.send(.get, server.url, limit: 32 << 20)
            ended.add()
            #expect(changes.count == 0)
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
