import Foundation
import GatewayTesting
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

    private static func run(_ arguments: [String], in namespace: NetworkNamespace) async throws -> Run {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let program =
            (ProcessInfo.processInfo.arguments.first.map { URL(fileURLWithPath: $0) }
            ?? URL(
                fileURLWithPath: ".")).deletingLastPathComponent().appending(path: "gateway").path
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

        let open = try await Self.run(["--origin", "\(base):8080"], in: pair.here)
        #expect(open.status == 0 && open.lines == ["online", "  v0: wired"])

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
        #expect(either.status == 0 && either.lines.first == "online")

        try await pair.here.ip(["link", "set", "v0", "down"])
        let offline = try await Self.run(["--origin", "\(base):8080"], in: pair.here)
        #expect(offline.status == 4 && offline.lines == ["offline"])
        withExtendedLifetime((server, portal)) {}
    }
}
