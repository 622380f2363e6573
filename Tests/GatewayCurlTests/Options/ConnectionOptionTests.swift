import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

/// Limits of time and number that libcurl holds, and what it leaves to us.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct ConnectionOptionTests {
    @Test func noMoreAreKeptThanThereMayBe() async throws {
        let servers = (0..<5).map { _ in FaultServer { _ in ok() } }
        defer { for server in servers { server.stop() } }
        let transport = transport { $0.connectionsInAll = 2 }
        for server in servers { _ = try await transport.send(.get, server.url) }
        #expect(servers.flatMap { ClientSocket.all(to: $0.port) }.count <= 2)
    }

    /// Of a stream only the head must come within the whole exchange's limit; libcurl's own limit, a second later,
    /// is lifted, too.
    @Test func aStreamOutlivesTheWholeLimit() async throws {
        let (clock, rest) = (ManualClock(), DispatchSemaphore(value: 0))
        let server = FaultServer { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nxx")
                rest.wait()
                connection.write("xxx")
            }
        }
        defer {
            rest.signal()
            server.stop()
        }
        let transport = transport {
            $0.clock = clock
            $0.timeouts.whole = .milliseconds(200)
        }
        let body = try await transport.stream(.get, server.url).body
        clock.advance(by: .seconds(20))
        await transport.settle()
        rest.signal()
        #expect(try await body.collect(upToBytes: 5) == Array("xxxxx".utf8))
        // The handle's next transfer has the limit again.
        let url = server.url
        let call = Task { await failure { () throws(NetworkError) in try await transport.send(.get, url) } }
        await transport.waitForStages(.receiving)
        clock.advance(by: .milliseconds(200))
        let error = await call.value
        #expect(error?.code == .timeout && error?.limit == .attempt)
    }

    /// A redirect is a response: libcurl follows none, and so never hands a credential on.
    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectsAreNotFollowed(status: Int) async throws {
        let other = FaultServer { _ in ok() }
        defer { other.stop() }
        let server = FaultServer { _ in ok(status: "\(status) X", fields: "Location: \(other.url)/\r\n") }
        defer { server.stop() }
        let response = try await CurlTransport().send(
            .get, server.url, fields: [.authorization: "Bearer secret"])
        #expect(response.status == status && response.fields[.location] == other.url + "/")
        #expect(server.requests.count == 1 && other.connectionCount == 0)
    }
}

/// One of this process's own sockets.
struct ClientSocket {
    let descriptor: Int32

    /// Those that are connected to a port of this machine.
    static func all(to port: UInt16) -> [ClientSocket] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.filter { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(descriptor, $0, &length)
                }
            }
            return code == 0 && address.sin_family == sa_family_t(AF_INET)
                && UInt16(bigEndian: address.sin_port) == port
        }.map(ClientSocket.init)
    }
}
