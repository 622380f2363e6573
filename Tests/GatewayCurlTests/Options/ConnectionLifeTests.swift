import CLibcurl  // Its headers may be what declares the constants of sockets.
import Foundation
import GatewayCore
import GatewayCurl
import TestTiers
import Testing

/// How long connections live, and how the system watches over them.
@Suite(.serialized, .tags(.concurrent)) struct ConnectionLifeTests {
    /// Of a socket of this process that is connected to a port: whether TCP asks, and after how many seconds, and how
    /// often.
    private static func keepAlive(towards port: UInt16) -> [Int32]? {
        for descriptor: Int32 in 3..<4096 {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(descriptor, $0, &length)
                }
            }
            guard code == 0, address.sin_family == sa_family_t(AF_INET),
                UInt16(bigEndian: address.sin_port) == port
            else { continue }
            let options = [
                (SOL_SOCKET, SO_KEEPALIVE), (Int32(IPPROTO_TCP), TCP_KEEPIDLE),
                (Int32(IPPROTO_TCP), TCP_KEEPINTVL),
            ]
            return options.map { level, option in
                var value: Int32 = -1
                var length = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(descriptor, level, option, &value, &length)
                return value
            }
        }
        return nil
    }

    @Test(arguments: [
        (CurlConfiguration.TCPKeepAlive(), [Int32(1), 30, 15]),
        (CurlConfiguration.TCPKeepAlive(idle: .seconds(7), interval: .milliseconds(2500)), [1, 7, 2]),
        (CurlConfiguration.TCPKeepAlive(idle: .seconds(1), interval: .milliseconds(1999)), [1, 1, 1]),
    ])
    func tcpAsksAsItIsTold(keepAlive: CurlConfiguration.TCPKeepAlive, options: [Int32]) async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let transport = transport { $0.tcpKeepAlive = keepAlive }
        #expect(try await transport.send(.get, server.url).status == 200)
        #expect(Self.keepAlive(towards: server.port) == options)
    }

    @Test func tcpAsksOrNot() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        #expect(CurlConfiguration().tcpKeepAlive == CurlConfiguration.TCPKeepAlive())
        let transport = transport { $0.tcpKeepAlive = nil }
        #expect(try await transport.send(.get, server.url).status == 200)
        #expect(Self.keepAlive(towards: server.port)?.first == 0)
    }

    /// Both limits count whole seconds, and are over when one more has passed.
    @Test(.waits("libcurl counts whole seconds on its own clock"))
    func oldAndRestedConnectionsAreNotUsedAgain() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let kept = transport { _ in }
        let rested = transport { $0.maximumConnectionIdle = .seconds(1) }
        let old = transport { $0.maximumConnectionAge = .seconds(1) }
        for transport in [kept, rested, old] {
            for _ in 0..<2 { #expect(try await transport.send(.get, server.url).status == 200) }
        }
        #expect(server.connectionCount == 3)
        await elapse(milliseconds: 2_100)
        // The old one may rest for 55 s.
        #expect(try await old.send(.get, server.url).status == 200)
        #expect(server.connectionCount == 4)
        #expect(try await rested.send(.get, server.url).status == 200)
        #expect(server.connectionCount == 5)
        #expect(try await kept.send(.get, server.url).status == 200)
        #expect(server.connectionCount == 5)
    }
}
