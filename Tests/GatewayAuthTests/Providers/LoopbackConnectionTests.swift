import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// What browsers and pages do to the port of a sign-in.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct LoopbackConnectionTests {
    /// A connection that sends what it is told, and nothing else.
    private final class Connection: Sendable {
        private let descriptor: Int32

        init(port: UInt16) throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = port.bigEndian
            self.descriptor = descriptor
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else { throw POSIXError(.ECONNREFUSED) }
        }

        deinit { close(descriptor) }

        func write(_ text: String) {
            let bytes = Array(text.utf8)
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        /// Whether the other side has closed it.
        var isClosed: Bool {
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            return count == 0 || count < 0 && errno == ECONNRESET
        }
    }

    /// With two seconds for each, the sign-in would have ended long before.
    @Test func silentConnectionsDelayNothing() async throws {
        let rig = try await BrowserRig()
        defer { rig.gateway.shutdown() }
        _ = try await rig.signIn(within: .seconds(50)) { url in
            let port = try BrowserRig.port(url)
            let silent = try (0..<LoopbackConnections.maximumCount).map { _ in try Connection(port: port) }
            // A head that never ends is silence, too.
            silent.last?.write("GET /callback?code=x HTTP/1.1\r\n")
            // One more than are served at once.
            let last = try Connection(port: port)
            #expect(await isEventually { silent[0].isClosed })
            #expect(!silent[1].isClosed && !last.isClosed)
            #expect(try await BrowserRig.browse(url) == 200)
            withExtendedLifetime((silent, last)) {}
        }.get()
    }

    private static func largeRequest(_ url: String) throws -> HTTPRequest {
        var request = try HTTPRequest(.get, url)
        request.fields["Cookie"] = String(repeating: "session=", count: 2_500)
        return request
    }

    @Test func aRequestThatIsTooLargeEndsTheSignIn() async throws {
        let rig = try await BrowserRig()
        defer { rig.gateway.shutdown() }
        let result = await rig.signIn { url in
            let browser = CurlTransport()
            let redirect = try await browser.send(try HTTPRequest(.get, url), context: RequestContext())
            let place = try #require(redirect.fields["Location"])
            let page = try await browser.send(try Self.largeRequest(place), context: RequestContext())
            #expect(page.status == 431)
            let text = String(decoding: try await page.body.collect(upToBytes: 10_000), as: UTF8.self)
            #expect(text.contains("Delete its cookies"))
        }
        let error = #expect(throws: NetworkError.self) { try result.get() }
        #expect(error?.code == .redirectUnavailable)
        #expect(error?.message.contains("more than 16 KiB") == true)
        #expect(rig.gateway.statistics.tokenRequestCount == 0)
    }

    /// Every page in a browser can send one.
    @Test func aLargeRequestOfOthersIsIgnored() async throws {
        let rig = try await BrowserRig()
        defer { rig.gateway.shutdown() }
        _ = try await rig.signIn { url in
            let place = BrowserRig.redirectURI(url) + "?code=x&state=x"
            let page = try await CurlTransport().send(
                try Self.largeRequest(place), context: RequestContext())
            #expect(page.status == 431)
            #expect(try await BrowserRig.browse(url) == 200)
        }.get()
    }
}
