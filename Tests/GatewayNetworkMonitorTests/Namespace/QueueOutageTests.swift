import Foundation
import GatewayClient
import GatewayNetworkMonitor
import GatewayOfflineQueue
import GatewayTesting
import TestTiers
import Testing

/// A queue whose link goes away, and whose server then accepts few requests at a time: nginx, in a network namespace.
@Suite(
    .serialized, .timeLimit(.minutes(15)),
    .enabled(if: NetworkNamespace.isEnabled, "This process may not make network namespaces (ip netns add)."),
    .realTime("A server of 8 calls at once and 10 ms each. SendGateTests simulates one."))
struct QueueOutageTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "queue-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    /// Eight requests at a time, each of which takes 10 ms behind nginx; others are answered 429.
    private func startServer(in namespace: NetworkNamespace) async throws -> (
        NamespaceServer, NamespaceProcess
    ) {
        let slow = try await NamespaceServer(in: namespace, address: [127, 0, 0, 1], port: 8_081) {
            connection in
            guard NamespaceServer.receive(connection) != nil else { return }
            usleep(10_000)
            let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
            _ = NamespaceServer.deliver(Array(response.utf8), to: connection)
        }
        let nginx = try await NamespaceNginx.start(
            in: namespace, folder: folder.path,
            """
            log_format status '$status';
            access_log \(folder.path)/access.log status;
            limit_conn_zone $server_port zone=all:1m;
            server {
                listen \(NamespacePair.serverText):\(NamespaceServer.port);
                keepalive_requests 100000;
                location /ready { return 204; }
                location / { limit_conn all 8; limit_conn_status 429; proxy_pass http://127.0.0.1:8081; }
            }
            """)
        return (slow, nginx)
    }

    /// The statuses that nginx has answered with, but for those of `/ready`.
    private func statuses() throws -> [String] {
        let log = try String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)
        return log.split(separator: "\n").map(String.init).filter { $0 != "204" }
    }

    /// `queue.ramp`: 5,000 entries after a minute, in the soak.
    @Test(.enabled(if: NamespaceNginx.program != nil, "nginx is not installed"))
    func aDrainAfterAnOutageFindsTheLimitOfItsServer() async throws {
        try #require(NetworkNamespace.isAvailable)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pair = try NamespacePair()
        let server = try await startServer(in: pair.there)
        let made = await pair.here.run { () -> (ReachabilityMonitor, GatewayEngine)? in
            guard let monitor = try? ReachabilityMonitor() else { return nil }
            var configuration = GatewayConfiguration()
            configuration.network = monitor
            configuration.retry.policy = .never
            return (monitor, GatewayEngine(configuration: configuration))
        }
        let (monitor, engine) = try #require(made ?? nil)
        let base = "http://\(NamespacePair.serverText):\(NamespaceServer.port)"
        let ready = try HTTPRequest(.get, base + "/ready")
        #expect(await isEventually { (try? await engine.send(ready))?.status == 204 })

        var settings = OfflineQueueEngine.Configuration()
        settings.concurrency = 32
        let queue = try await OfflineQueueEngine(
            store: SQLiteQueueStore(path: folder.path + "/queue.sqlite"), engine: engine, network: monitor,
            configuration: settings)
        let transitions = monitor.transitions()
        try await pair.here.ip(["link", "set", "v0", "down"])
        try await transitions.wait(for: "offline") { $0.kind == .offline }
        await queue.start()
        let count = SoakScale.rounds(500)
        let request = try HTTPRequest(.post, base + "/orders", body: .text("{}"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in 0..<50 {
                group.addTask {
                    for _ in stride(from: start, to: count, by: 50) {
                        _ = try await queue.enqueue(QueueRequest(request))
                    }
                }
            }
            try await group.waitForAll()
        }
        let clock = SystemClock()
        try await clock.sleep(until: clock.now + .seconds(SoakScale.rounds(6)))
        #expect(try statuses().isEmpty)

        try await pair.here.ip(["link", "set", "v0", "up"])
        let up = ContinuousClock.now
        try await transitions.wait(for: "online") { $0.kind == .online }
        let report = await queue.drain(until: .after(.seconds(600)))
        let drained = ContinuousClock.now - up
        await queue.stop(within: .seconds(10))
        #expect(report.done == count && report.remaining == 0)
        let answers = try statuses()
        let rejected = answers.count { $0 != "200" }
        print("queue: \(answers.count) requests for \(count) entries in \(drained), \(rejected) rejected")
        #expect(answers.count == count + rejected)
        // What it takes to find the limit for the first time counts more in a short run.
        #expect(rejected <= max(count / 100, 25), "\(rejected) of \(answers.count)")

        // Without the queue's window the limit rejects most.
        await withDiscardingTaskGroup { group in
            for _ in 0..<32 {
                group.addTask { for _ in 0..<10 { _ = try? await engine.send(request) } }
            }
        }
        let control = try statuses().dropFirst(answers.count)
        #expect(control.count { $0 == "429" } > control.count / 4, "\(control.count)")
        await engine.shutdown(within: .zero)
        withExtendedLifetime(server) {}
    }
}
