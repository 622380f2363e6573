import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// `gateway status --origin` in a network namespace.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: NetworkNamespace.isEnabled, "This process may not make network namespaces (ip netns add)."))
struct StatusCommandTests {
    /// What a run of `gateway status` printed.
    private struct Run: Sendable {
        let status: Int32
        let lines: [String]
    }

    private static let program =
        (ProcessInfo.processInfo.arguments.first.map { URL(fileURLWithPath: $0) }
        ?? URL(
            fileURLWithPath: ".")).deletingLastPathComponent().appending(path: "gateway").path

    private static func run(_ arguments: [String], in namespace: NetworkNamespace) async throws -> Run {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let status = await namespace.run { () -> Int32? in
            try? NetworkNamespace.execute(["status"] + arguments, program: program, output: file)
        }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        return Run(status: try #require(status ?? nil), lines: text.split(separator: "\n").map(String.init))
    }

    private static let portal: NamespaceServer.Service = { connection in
        let response = Array(
            "HTTP/1.1 511 Network Authentication Required\r\nContent-Length: 0\r\n\r\n".utf8)
        while NamespaceServer.receive(connection) != nil, NamespaceServer.deliver(response, to: connection) {}
    }

    /// `network.status-origins`
    @Test func theWayToAnOriginIsShown() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let server = try await NamespaceServer(in: pair.there, address: NamespacePair.serverAddress)
        let portal = try await NamespaceServer(
            in: pair.there, address: NamespacePair.serverAddress, port: 8_081, service: Self.portal)
        let base = "http://\(NamespacePair.serverText)"

        let signIn = try await Self.run(["--origin", "\(base):8081", "--path", "/health"], in: pair.here)
        #expect(signIn.status == 4)
        #expect(
            signIn.lines == [
                "online, sign-in required. This network requires a sign-in; open its page in a browser.",
                "  v0: wired",
            ])

        let closed = try await Self.run(["--origin", "\(base):1"], in: pair.here)
        #expect(closed.status == 4)
        #expect(
            closed.lines.first
                == "online, servers not reachable. Check the connection, a VPN and firewalls.")
        // One that can be reached is enough.
        let either = try await Self.run(
            ["--origin", "\(base):1", "--origin", "\(base):8080"], in: pair.here)
        #expect(either.status == 0 && either.lines == ["online", "  v0: wired"])

        try await pair.here.ip(["link", "set", "v0", "down"])
        let offline = try await Self.run(["--origin", "\(base):8080"], in: pair.here)
        #expect(offline.status == 4 && offline.lines == ["offline"])
        withExtendedLifetime((server, portal)) {}
    }

    /// `network.status-origins`
    @Test(.waits("the command takes a link that is away for an outage after 1.5 s"))
    func changesOfTheWayToAnOriginAreShown() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let isOpen = Locked(true)
        let server = try await NamespaceServer(in: pair.there, address: NamespacePair.serverAddress) {
            connection in
            guard NamespaceServer.receive(connection) != nil else { return }
            let status = isOpen.withLock { $0 } ? "200 OK" : "511 Network Authentication Required"
            let response = "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            _ = NamespaceServer.deliver(Array(response.utf8), to: connection)
        }
        let origin = "http://\(NamespacePair.serverText):\(NamespaceServer.port)"
        let command = try await NamespaceProcess(
            ["status", "--watch", "--interval", "100ms", "--origin", origin], program: Self.program,
            in: pair.here)
        let lines = command.lines
        try await lines.wait(for: "online") { $0 == "online" }
        isOpen.withLock { $0 = false }
        try await lines.wait(for: "a sign-in page") {
            $0 == "online, sign-in required. This network requires a sign-in; open its page in a browser."
        }
        isOpen.withLock { $0 = true }
        try await lines.wait(for: "the origin itself") { $0 == "online" }
        try await pair.here.ip(["link", "set", "v0", "down"])
        try await lines.wait(for: "no network") { $0.hasPrefix("offline since ") }
        try await pair.here.ip(["link", "set", "v0", "up"])
        try await lines.wait(for: "a network") { $0 == "online" }
        withExtendedLifetime((server, command)) {}
    }

    /// `network.status-tls`: a certificate that is not trusted from the start, and a port without TLS.
    @Test(.enabled(if: NamespaceCertificate.openssl != nil, "openssl is not installed"))
    func aFailedHandshakeIsShownWithItsReason() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let certificate = try NamespaceCertificate()
        let backend = try await certificate.serve(in: pair.there, port: 9_001)
        let server = try await NamespaceServer(
            in: pair.there, address: NamespacePair.serverAddress, port: 8_443,
            service: NamespaceServer.relay(to: 9_001))
        let plain = try await NamespaceServer(in: pair.there, address: NamespacePair.serverAddress)
        let origin = "https://\(NamespacePair.serverText):8443"
        try await Self.waitForListener(in: pair.there, port: 9_001)
        let refused = try await Self.run(["--origin", origin], in: pair.here)
        #expect(refused.status == 4)
        #expect(
            refused.lines == [
                "online, secure connections fail", "  v0: wired",
                "  \(origin): the TLS handshake failed. The certificate of \(NamespacePair.serverText):8443 is not "
                    + "trusted: self-signed certificate. If the server is right, add its CA certificate to caFile.",
                "  GATEWAY_CA_FILE names the certificates to trust, GATEWAY_CLIENT_CERTIFICATE_FILE the client's own",
            ])
        let trusting = try await NamespaceProcess(
            ["status", "--origin", origin], program: Self.program, in: pair.here,
            environment: ["GATEWAY_CA_FILE": certificate.certificate])
        #expect(await trusting.lines.reduce(into: []) { $0.append($1) } == ["online", "  v0: wired"])

        let wrong = try await Self.run(
            ["--origin", "https://\(NamespacePair.serverText):\(NamespaceServer.port)"], in: pair.here)
        #expect(wrong.status == 4 && wrong.lines.first == "online, secure connections fail")
        #expect(
            wrong.lines.contains { $0.contains("wrong version number: check that the port speaks TLS.") },
            "\(wrong.lines)")
        withExtendedLifetime((backend, server, plain)) {}
    }

    /// `network.status-tls`: another certificate than before, as that of somebody who listens.
    @Test(.enabled(if: NamespaceCertificate.openssl != nil, "openssl is not installed"))
    func anInterceptionIsShown() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let (right, wrong) = (try NamespaceCertificate(), try NamespaceCertificate())
        let backends = [
            try await right.serve(in: pair.there, port: 9_001),
            try await wrong.serve(in: pair.there, port: 9_002),
        ]
        let target = Locked<UInt16>(9_001)
        let replies = Locked(0)
        let server = try await NamespaceServer(
            in: pair.there, address: NamespacePair.serverAddress, port: 8_443
        ) { connection in
            NamespaceServer.relay(to: target.withLock { $0 })(connection)
            replies.withLock { $0 += 1 }
        }
        for port: UInt16 in [9_001, 9_002] { try await Self.waitForListener(in: pair.there, port: port) }
        let origin = "https://\(NamespacePair.serverText):8443"
        let command = try await NamespaceProcess(
            ["status", "--watch", "--interval", "100ms", "--origin", origin], program: Self.program,
            in: pair.here, environment: ["GATEWAY_CA_FILE": right.certificate])
        let lines = command.lines
        try await lines.wait(for: "online") { $0 == "online" }
        // Each check makes two connections, one after the other: the first has a response by then.
        #expect(await isEventually(within: .seconds(60)) { replies.withLock { $0 } >= 6 })
        target.withLock { $0 = 9_002 }
        try await lines.wait(for: "the reason") {
            $0.hasPrefix("gateway: \(origin): the TLS handshake failed. The certificate of ")
        }
        try await lines.wait(for: "an interception") {
            $0
                == "online, secure connections fail. A proxy or firewall may intercept connections; use another network or ask its operator."
        }
        target.withLock { $0 = 9_001 }
        try await lines.wait(for: "the right certificate") { $0 == "online" }
        withExtendedLifetime((backends, server, command)) {}
    }

    /// Waits for a server that takes a moment to start, on the namespace's loopback interface.
    private static func waitForListener(in namespace: NetworkNamespace, port: UInt16) async throws {
        let isListening = await isEventually {
            await namespace.run {
                let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                defer { close(probe) }
                return SocketAddress.with([127, 0, 0, 1], port: port) { connect(probe, $0, $1) } == 0
            } ?? false
        }
        try #require(isListening)
    }
}
