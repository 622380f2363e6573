import Foundation
import GatewayCore
import GatewayCurl
import Testing

/// A loopback origin may be called in clear text, since it never leaves the machine: no route may change that.
@Suite struct LoopbackRouteTests {
    @Test(arguments: ["127.0.0.1", "localhost", "LOCALHOST"])
    func aLoopbackOriginIsCalledWithoutTheProxy(host: String) async throws {
        let (proxy, server) = (FaultServer { _ in ok("by proxy") }, FaultServer { _ in ok("directly") })
        defer { for one in [proxy, server] { one.stop() } }
        let transport = transport { $0.proxy = .init(host: "127.0.0.1", port: proxy.port) }
        // One handle for all: what one request says must not affect the next.
        for _ in 0..<2 {
            let elsewhere = try await transport.send(.get, "http://service.invalid/a")
            #expect(elsewhere.text == "by proxy")
            let response = try await transport.send(
                .get, "http://\(host):\(server.port)/b", fields: [.authorization: "Bearer token"])
            #expect(response.text == "directly")
        }
        #expect(proxy.requests.map(\.line).allSatisfy { $0.hasPrefix("GET http://service.invalid/a ") })
        #expect(proxy.requests.allSatisfy { $0.value("authorization") == nil })
        #expect(server.requests.first?.line == "GET /b HTTP/1.1")
    }

    @Test func aLoopbackOriginThatIsNotThereIsNotAskedOfTheProxy() async throws {
        let proxy = FaultServer { _ in ok("by proxy") }
        defer { proxy.stop() }
        let transport = transport { $0.proxy = .init(host: "127.0.0.1", port: proxy.port) }
        for host in ["127.0.0.1", "127.9.8.7", "[::1]", "localhost"] {
            let error = await failure { () throws(NetworkError) in
                try await transport.send(.get, "http://\(host):\(FaultServer.unusedPort())/")
            }
            #expect(error?.code == .connectionRefused || error?.code == .noConnection)
        }
        #expect(proxy.connectionCount == 0)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "[::1]", "LocalHost"])
    func aRouteDoesNotLeadALoopbackHostElsewhere(host: String) async throws {
        let routes: [(inout CurlConfiguration) -> Void] = [
            { $0.resolutions = [.init(host: host, port: 80, addresses: ["127.0.0.1", "192.0.2.1"])] },
            { $0.detours = [.init(host: host, port: 80, toHost: "192.0.2.1", toPort: 80)] },
            { $0.detours = [.init(host: host, port: 80, toHost: "service.invalid", toPort: 80)] },
        ]
        for route in routes {
            let transport = transport(route)
            let error = await failure { () throws(NetworkError) in
                try await transport.send(.get, "http://\(host)/")
            }
            #expect(error?.code == .misconfigured)
        }
    }

    @Test func aRouteMayLeadToThisMachine() async throws {
        let server = FaultServer { _ in ok("here") }
        defer { server.stop() }
        let transport = transport {
            $0.resolutions = [.init(host: "localhost", port: 81, addresses: ["127.0.0.1"])]
            $0.detours = [.init(host: "localhost", port: 80, toHost: "127.0.0.1", toPort: server.port)]
        }
        #expect(try await transport.send(.get, "http://localhost/").text == "here")
    }
}
