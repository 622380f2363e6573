import Foundation
import GatewayCore
import GatewayCurl
import Testing

/// Values that would change the meaning of what libcurl or a server reads make every request fail before any I/O.
@Suite struct ConfigurationTests {
    private static let pin = Data(repeating: 7, count: 32).base64EncodedString()

    /// The setting that the error names, and how it is spoilt.
    static let spoilt: [(String, @Sendable (inout CurlConfiguration) -> Void)] = [
        ("userAgent", { $0.userAgent = "a\r\nX-Injected: 1" }),
        ("userAgent", { $0.userAgent = "a\nb HTTP/1.1" }),
        ("userAgent", { $0.userAgent = "a\0b" }),
        ("connectionsPerOrigin", { $0.connectionsPerOrigin = 0 }),
        ("connectionsPerOrigin", { $0.connectionsPerOrigin = -1 }),
        ("connectionsInAll", { $0.connectionsInAll = 0 }),
        ("connectionsInAll", { $0.connectionsInAll = .min }),
        ("waitingLimit", { $0.waitingLimit = -1 }),
        ("loops", { $0.loops = 0 }),
        ("loops", { $0.loops = 65 }),
        ("responseHeaderLimitBytes", { $0.responseHeaderLimitBytes = 0 }),
        ("maximumConnectionIdle", { $0.maximumConnectionIdle = .zero }),
        ("maximumConnectionIdle", { $0.maximumConnectionIdle = .seconds(-55) }),
        ("maximumConnectionIdle", { $0.maximumConnectionIdle = .milliseconds(999) }),
        ("maximumConnectionAge", { $0.maximumConnectionAge = .zero }),
        ("maximumConnectionAge", { $0.maximumConnectionAge = .seconds(-1) }),
        ("tcpKeepAlive.idle", { $0.tcpKeepAlive?.idle = .zero }),
        ("tcpKeepAlive.idle", { $0.tcpKeepAlive?.idle = .seconds(-30) }),
        ("tcpKeepAlive.interval", { $0.tcpKeepAlive?.interval = .milliseconds(500) }),
        ("caFile", { $0.caFile = "" }),
        ("caFile", { $0.caFile = "/etc/ca.pem\0.txt" }),
        ("clientCertificate", { $0.clientCertificate = .init(certificateFile: "a\0", keyFile: "b") }),
        ("clientCertificate", { $0.clientCertificate = .init(certificateFile: "a", keyFile: "") }),
        (
            "clientCertificate",
            {
                $0.clientCertificate = .init(certificateFile: "a", keyFile: "b", keyPassword: Secret("a\0b"))
            }
        ),
        ("pinnedKeys", { $0.pinnedKeys = [pin, "no base64"] }),
        ("pinnedKeys", { $0.pinnedKeys = [""] }),
        ("pinnedKeys", { $0.pinnedKeys = ["sha256//" + pin] }),
        ("pinnedKeys", { $0.pinnedKeys = [pin + ";sha256//" + pin] }),
        ("pinnedKeys", { $0.pinnedKeys = [Data(repeating: 7, count: 31).base64EncodedString()] }),
        ("proxy", { $0.proxy = .init(host: "", port: 1) }),
        ("proxy", { $0.proxy = .init(host: "user:password@proxy", port: 1) }),
        ("proxy", { $0.proxy = .init(host: "proxy/path", port: 1) }),
        ("proxy", { $0.proxy = .init(host: "proxy:3128", port: 1) }),
        ("proxy", { $0.proxy = .init(host: "http://proxy", port: 1) }),
        ("proxy", { $0.proxy = .init(host: "proxy\0.example", port: 1) }),
        ("proxy", { $0.proxy = .init(host: "::1", port: 1) }),
        ("proxy", { $0.proxy = .init(host: "[::1", port: 1) }),
        ("proxy", { $0.proxy = .init(host: "[1]", port: 1) }),
        ("proxy", { $0.proxy = .init(host: "127.0.0.1", port: 0) }),
        ("proxy", { $0.proxy = .init(host: "127.0.0.1", port: 1, username: "a:b", password: Secret("c")) }),
        ("proxy", { $0.proxy = .init(host: "127.0.0.1", port: 1, username: "a\0b", password: Secret("c")) }),
        ("proxy", { $0.proxy = .init(host: "127.0.0.1", port: 1, username: "a", password: Secret("c\0d")) }),
        ("proxy", { $0.proxy = .init(host: "127.0.0.1", port: 1, username: "a\r\nb", password: nil) }),
        ("proxy", { $0.proxy = .init(host: "127.0.0.1", port: 1, username: nil, password: Secret("c")) }),
        ("unixSocketPath", { $0.unixSocketPath = "" }),
        ("unixSocketPath", { $0.unixSocketPath = "/tmp/a\0b" }),
        ("unixSocketPath", { $0.unixSocketPath = "/" + String(repeating: "a", count: 107) }),
        ("resolutions", { $0.resolutions = [.init(host: "*", port: 1, addresses: ["127.0.0.1"])] }),
        ("resolutions", { $0.resolutions = [.init(host: "-a", port: 1, addresses: ["127.0.0.1"])] }),
        ("resolutions", { $0.resolutions = [.init(host: "+a", port: 1, addresses: ["127.0.0.1"])] }),
        ("resolutions", { $0.resolutions = [.init(host: "a:2", port: 1, addresses: ["127.0.0.1"])] }),
        ("resolutions", { $0.resolutions = [.init(host: "", port: 1, addresses: ["127.0.0.1"])] }),
        ("resolutions", { $0.resolutions = [.init(host: "a", port: 1, addresses: [])] }),
        ("resolutions", { $0.resolutions = [.init(host: "a", port: 1, addresses: [""])] }),
        ("resolutions", { $0.resolutions = [.init(host: "a", port: 1, addresses: ["b.example"])] }),
        ("resolutions", { $0.resolutions = [.init(host: "a", port: 1, addresses: ["127.0.0.1,127.0.0.2"])] }),
        ("resolutions", { $0.resolutions = [.init(host: "a", port: 1, addresses: ["::1"])] }),
        ("resolutions", { $0.resolutions = [.init(host: "a", port: 1, addresses: ["127.1"])] }),
        ("detours", { $0.detours = [.init(host: "", port: 1, toHost: "a", toPort: 1)] }),
        ("detours", { $0.detours = [.init(host: "a", port: 1, toHost: "", toPort: 1)] }),
        ("detours", { $0.detours = [.init(host: "a:1", port: 1, toHost: "a", toPort: 1)] }),
        ("detours", { $0.detours = [.init(host: "a", port: 1, toHost: "b:80", toPort: 1)] }),
        ("detours", { $0.detours = [.init(host: "a", port: 1, toHost: "b\0", toPort: 1)] }),
        ("detours", { $0.detours = [.init(host: "a", port: 0, toHost: "b", toPort: 1)] }),
    ]

    @Test(arguments: spoilt.indices) func nothingGoesOut(index: Int) async throws {
        let (setting, spoil) = Self.spoilt[index]
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let transport = transport(spoil)
        for _ in 0..<2 {
            let error = await failure { () throws(NetworkError) in try await transport.send(.get, server.url)
            }
            #expect(error?.code == .misconfigured && error?.mayHaveBeenSent == false, "\(setting)")
            #expect(error?.message.contains("'\(setting)'") == true, "\(error?.message ?? "no error")")
        }
        #expect(server.connectionCount == 0)
    }

    @Test func usualValuesAreAccepted() async throws {
        let server = FaultServer { request in ok(request.value("user-agent") ?? "none") }
        defer { server.stop() }
        let transport = transport {
            $0.userAgent = "mine/1 (a; b)\tc"
            $0.pinnedKeys = [Self.pin]
            $0.resolutions = [
                .init(host: "a_b-c.example", port: 1, addresses: ["127.0.0.1", "[::1]"]),
                .init(host: "service.invalid", port: server.port, addresses: ["127.0.0.1"]),
            ]
            $0.detours = [.init(host: "[::1]", port: 80, toHost: "127.0.0.1", toPort: server.port)]
        }
        #expect(
            try await transport.send(.get, "http://service.invalid:\(server.port)").text == "mine/1 (a; b)\tc"
        )
        #expect(try await transport.send(.get, "http://[::1]").status == 200)
    }
}
