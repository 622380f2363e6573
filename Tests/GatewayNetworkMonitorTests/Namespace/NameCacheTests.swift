import Foundation
import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

/// The addresses of names that libcurl keeps, with a resolver in a network namespace.
@Suite(
    .serialized, .timeLimit(.minutes(2)), .tags(.concurrent),
    .enabled(if: NetworkNamespace.isEnabled, "This process may not make network namespaces (ip netns add)."))
struct NameCacheTests {
    /// Answers each request with its own name, over a connection of its own.
    private static func answer(_ name: String) -> NamespaceServer.Service {
        { connection in
            guard NamespaceServer.receive(connection) != nil else { return }
            let text =
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(name.utf8.count)\r\n\r\n\(name)"
            _ = NamespaceServer.deliver(Array(text.utf8), to: connection)
        }
    }

    /// `network.transition-drops-idle`
    @Test func namesAreResolvedAgainInAnotherNetwork() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        try pair.there.batch(["addr add 10.99.0.3/24 dev e0"])
        try pair.here.batch(["link set lo up"])
        let old = try await NamespaceServer(
            in: pair.there, address: [10, 99, 0, 2], service: Self.answer("old"))
        let new = try await NamespaceServer(
            in: pair.there, address: [10, 99, 0, 3], service: Self.answer("new"))
        let names = try await NamespaceNameServer(in: pair.here, address: [10, 99, 0, 2])
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try "nameserver 127.0.0.1\n".write(toFile: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: file) }
        // The thread of the transport, and those with which libcurl resolves names, inherit what the thread sees that starts it.
        let clock = ManualClock()
        let (monitor, engine) = try await pair.makeEngine(
            clock: clock, prepare: { MountNamespace.show(file, at: "/etc/resolv.conf") })
        let request = try HTTPRequest(.get, "http://api.gateway.test:\(NamespaceServer.port)/")
        func call() async throws -> String? {
            try await engine.send(request).body.bytes.map { String(decoding: $0, as: UTF8.self) }
        }

        #expect(try await call() == "old")
        #expect(names.queries == 1)
        names.move(to: [10, 99, 0, 3])
        #expect(try await call() == "old")
        #expect(names.queries == 1, "libcurl keeps addresses for a minute")

        let transitions = monitor.transitions()
        let (latest, before) = (LatestReachability(of: monitor), monitor.reachability)
        try pair.here.batch(["addr del 10.99.0.1/24 dev v0", "addr add 10.99.0.9/24 dev v0"])
        try #require(
            await latest.becomes("another address") { $0.isOnline && $0.lifelines != before.lifelines })
        try await clock.pass(.milliseconds(500))
        try await transitions.wait(for: "another network") { $0.kind == .moved }
        // The engine learns of it at the same time as this test.
        let answers = Locked<[String]>([])
        #expect(
            await isEventually {
                guard let answer = try? await call() else { return false }
                answers.withLock { $0.append(answer) }
                return answer == "new"
            })
        #expect(names.queries == 2)
        await engine.shutdown(within: .zero)
        withExtendedLifetime((old, new)) {}
    }
}
