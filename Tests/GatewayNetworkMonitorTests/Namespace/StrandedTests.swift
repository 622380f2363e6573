import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Exchanges whose local address is gone, with the transport alone.
@Suite(
    .serialized, .timeLimit(.minutes(2)), .tags(.concurrent),
    .enabled(if: NetworkNamespace.isEnabled, "This process may not make network namespaces (ip netns add)."))
struct StrandedTests {
    /// Answers requests to `/ready`, and others when it is told to.
    private final class HoldingService: Sendable {
        let held = Locked(0)
        let paths = Locked<[String]>([])
        private let isReleased = DispatchSemaphore(value: 0)

        func release() { isReleased.signal() }

        var service: NamespaceServer.Service {
            { [self] connection in
                let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
                while let request = NamespaceServer.receive(connection) {
                    let path = String(decoding: request, as: UTF8.self).split(separator: " ").dropFirst()
                        .first
                    paths.withLock { $0.append(path.map(String.init) ?? "") }
                    if path != "/ready" {
                        held.withLock { $0 += 1 }
                        isReleased.wait()
                    }
                    guard NamespaceServer.deliver(response, to: connection) else { return }
                }
            }
        }
    }

    private static func call(
        _ transport: CurlTransport, _ url: String, _ change: (inout RequestContext) -> Void = { _ in }
    ) throws -> Task<Result<HTTPResponse, NetworkError>, Never> {
        let request = try HTTPRequest(.get, url)
        var context = RequestContext(options: CallOptions(deadline: .seconds(240)), clock: SystemClock())
        change(&context)
        return Task { [context] in
            do throws(NetworkError) {
                return .success(try await transport.send(request, context: context))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func failure(_ call: Task<Result<HTTPResponse, NetworkError>, Never>) async
        -> NetworkError?
    {
        if case .failure(let error) = await call.value { error } else { nil }
    }

    /// `network.transition-ends-stranded`
    @Test func aLostAddressOfIPv6EndsItsExchangesAndATentativeOneDoesNot() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        try pair.there.batch(["addr add fd99::2/64 dev e0 nodad"])
        try pair.here.batch(["addr add fd99::1/64 dev v0 nodad"])
        let service = HoldingService()
        let server = try await NamespaceServer(
            in: pair.there, address: [0xFD, 0x99] + [UInt8](repeating: 0, count: 13) + [2],
            service: service.service)
        let transport = try #require(await pair.here.run { CurlTransport() })
        let url = "http://[fd99::2]:\(NamespaceServer.port)/"
        let first = try Self.call(transport, url)
        #expect(await isEventually(within: .seconds(60)) { service.held.withLock { $0 } == 1 })

        // The kernel asks for a minute whether another machine has the address (RFC 4862 §5.4).
        let isSlow = await pair.here.run {
            (try? "1000".write(
                toFile: "/proc/sys/net/ipv6/conf/v0/dad_transmits", atomically: false, encoding: .utf8))
                != nil
        }
        try #require(isSlow == true)
        try pair.here.batch(["addr del fd99::1/64 dev v0", "addr add fd99::1/64 dev v0"])
        transport.dropIdleConnections()
        // The loop has done so before it begins with the next request.
        let other = try await Self.call(
            transport, "http://\(NamespacePair.serverText):1/"
        ).value
        if case .success = other { Issue.record("a server where there is none") }
        try pair.here.batch(["addr del fd99::1/64 dev v0", "addr add fd99::1/64 dev v0 nodad"])
        service.release()
        let response = try await first.value.get()
        #expect(response.status == 200)

        let second = try Self.call(transport, url)
        #expect(await isEventually(within: .seconds(60)) { service.held.withLock { $0 } == 2 })
        try pair.here.batch(["addr del fd99::1/64 dev v0"])
        transport.dropIdleConnections()
        let error = try #require(await Self.failure(second))
        #expect(error.code == .connectionLost && error.mayHaveBeenSent)
        #expect(error.message.contains("[fd99::2]:8080 was made from an address"), "\(error)")
        service.release()
        await transport.shutdown()
        withExtendedLifetime(server) {}
    }

    /// `network.transition-ends-stranded`: a response with a token is the only one.
    @Test func aTokenRequestWaitsForItsAddressToReturn() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let service = HoldingService()
        let server = try await NamespaceServer(
            in: pair.there, address: NamespacePair.serverAddress, service: service.service)
        let transport = try #require(await pair.here.run { CurlTransport() })
        let base = "http://\(NamespacePair.serverText):\(NamespaceServer.port)"
        let token = try Self.call(transport, base + "/token") { $0.isLimitedByDeadlineAlone = true }
        let plain = try Self.call(transport, base + "/books")
        #expect(await isEventually(within: .seconds(60)) { service.held.withLock { $0 } == 2 })
        try pair.here.batch(["addr del 10.99.0.1/24 dev v0"])
        transport.dropIdleConnections()
        #expect(await Self.failure(plain)?.code == .connectionLost)
        try pair.here.batch(["addr add 10.99.0.1/24 dev v0"])
        // One of them answers nobody.
        service.release()
        service.release()
        #expect(try await token.value.get().status == 200)
        await transport.shutdown()
        withExtendedLifetime(server) {}
    }

    /// `network.transition-ends-stranded`
    @Test(
        .enabled(if: NamespaceNginx.program != nil, "nginx is not installed"),
        .enabled(if: NamespaceCertificate.openssl != nil, "openssl is not installed"))
    func allStreamsOfAnHTTP2ConnectionEnd() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let service = HoldingService()
        let backend = try await NamespaceServer(
            in: pair.there, address: [127, 0, 0, 1], service: service.service)
        let certificate = try NamespaceCertificate()
        let nginx = try await Self.startNginx(certificate, in: pair.there)
        let transport = try #require(
            await pair.here.run {
                var configuration = CurlConfiguration()
                configuration.httpVersion = .http2
                configuration.caFile = certificate.certificate
                return CurlTransport(configuration: configuration)
            })
        let base = "https://\(NamespacePair.serverText):8443"
        #expect(
            await isEventually(within: .seconds(60)) {
                guard let call = try? Self.call(transport, base + "/ready") else { return false }
                return (try? await call.value.get().status) == 200
            })
        let ready = try await Self.call(transport, base + "/ready").value.get()
        #expect(ready.fields["x-protocol"] == "HTTP/2.0")
        // So many that libcurl begins with several at once.
        let calls = try (1...48).map { try Self.call(transport, base + "/\($0)") }
        #expect(await isEventually(within: .seconds(60)) { service.held.withLock { $0 } == calls.count })
        #expect(await transport.statistics().all.connections == 1)
        try pair.here.batch(["addr del 10.99.0.1/24 dev v0"])
        transport.dropIdleConnections()
        for call in calls {
            let error = try #require(await Self.failure(call))
            #expect(error.code == .connectionLost && error.mayHaveBeenSent, "\(error)")
        }
        // The connection itself is not used again, either.
        try pair.here.batch(["addr add 10.99.0.7/24 dev v0"])
        #expect(try await Self.call(transport, base + "/ready").value.get().status == 200)
        for _ in calls { service.release() }
        await transport.shutdown()
        withExtendedLifetime((backend, nginx)) {}
    }

    /// An nginx that passes the requests of HTTP/2 on to the namespace's own server.
    private static func startNginx(
        _ certificate: NamespaceCertificate, in namespace: NetworkNamespace
    ) async throws -> NamespaceProcess {
        let folder = certificate.folder
        return try await NamespaceNginx.start(
            in: namespace, folder: folder,
            """
            access_log off;
            server {
                listen \(NamespacePair.serverText):8443 ssl http2;
                ssl_certificate \(certificate.certificate);
                ssl_certificate_key \(certificate.key);
                add_header X-Protocol $server_protocol;
                location / {
                    proxy_pass http://127.0.0.1:\(NamespaceServer.port);
                    proxy_read_timeout 600s;
                }
            }
            """)
    }
}
